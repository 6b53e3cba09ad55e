import { z } from 'zod';
import { cleanEntry, DEFAULT_CATEGORY, entriesOf, entryId, type MemoryEntry } from './entries.ts';

const text = z.string().max(100_000);
const learning = z.union([
  text.transform((all): MemoryEntry => ({ category: DEFAULT_CATEGORY, text: all })),
  z.object({ category: text.default(DEFAULT_CATEGORY), text }),
]);
const list = z.array(learning).max(10_000);
const json = z.union([list, z.object({ learnings: list }).transform(({ learnings }) => learnings)]);

/** Learnings of one attempt that are read. */
const MOST = 200;

/**
 * What an agent wrote to `GATELINE_LEARNINGS`: a JSON list of texts or of `{category, text}`, or Markdown. There each
 * item of a list is one, under the heading above it; in a text without lists, each paragraph is. Each once, as first.
 */
export function learningsIn(written: string): MemoryEntry[] {
  const found = (jsonLearnings(written) ?? markdownLearnings(written)).flatMap((one) => cleanEntry(one) ?? []);
  return [...Map.groupBy(found, entryId).values()].map(([first]) => first!).slice(0, MOST);
}

function jsonLearnings(written: string): MemoryEntry[] | undefined {
  if (!/^\s*[[{]/.test(written)) return undefined;
  try {
    return json.safeParse(JSON.parse(written)).data;
  } catch {
    // Markdown may begin with a bracket, too.
    return undefined;
  }
}

function markdownLearnings(written: string): MemoryEntry[] {
  const entries = entriesOf(written);
  if (entries.length > 0) return entries;
  const paragraphs = written.split(/\n\s*\n/).filter((one) => !/^\s*#/.test(one));
  return paragraphs.map((one) => ({ category: DEFAULT_CATEGORY, text: one }));
}
