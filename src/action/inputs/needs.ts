import { z } from 'zod';
import { ID_PATTERN } from '../../pipeline/pipeline.ts';
import { parseJson } from '../../json/parse-json.ts';
import { MAX_WAVES } from '../../pipeline/waves.ts';
import { wordsOf } from './input-values.ts';

/** Maximum size of the text, in bytes of UTF-8: GitHub's limit for a job's outputs. */
const MAX_NEEDS_BYTES = 1_048_576;
/** Maximum number of gates or jobs. */
const MAX_NEEDS = 1_000;

const RESULTS = ['success', 'failure', 'cancelled', 'skipped'] as const;

/** GitHub's data about a job that this one needed. */
export interface NeedsEntry {
  readonly result: (typeof RESULTS)[number];
  /** Outputs of the job, by name. Text from the workflow and its steps. */
  readonly outputs: Readonly<Record<string, string>>;
}

/** The input `needs`. */
export interface Needs {
  /**
   * Ids of gates, in order, without duplicates. From a list: as written. From the needs context: the job's output
   * `gate` if it has one, otherwise the id of the job, which may not be a valid gate id.
   */
  readonly gates: readonly string[];
  /** The gates in each wave, by the id of its job: what `command: waves` put out as `waves` in another needed job. */
  readonly waves?: ReadonlyMap<string, readonly string[]>;
  /** By job id, if the input was `${{ toJSON(needs) }}`, without the job that put out the waves. */
  readonly results: ReadonlyMap<string, NeedsEntry> | undefined;
}

const contextSchema = z.record(
  z.string().min(1).max(200),
  z.object({
    result: z.enum(RESULTS),
    outputs: z
      .record(z.string(), z.string().nullable())
      .nullish()
      .transform((outputs) => withoutNulls(outputs ?? {})),
  }),
);

/**
 * Reads the input `needs`: ids of gates separated by commas, spaces or line breaks, or `${{ toJSON(needs) }}`.
 * https://docs.github.com/actions/reference/workflows-and-actions/contexts#needs-context
 * @returns the needs, or a description of what is expected
 */
export function parseNeeds(text: string): { readonly needs: Needs } | { readonly expected: string } {
  if (Buffer.byteLength(text) > MAX_NEEDS_BYTES) return { expected: `expected at most ${MAX_NEEDS_BYTES} bytes` };
  return text.trim().startsWith('{') ? fromContext(text) : fromList(text);
}

/** {@link parseNeeds} as an input of the schema. */
export const needs = z
  .string()
  .transform((text, context): Needs => {
    const parsed = parseNeeds(text);
    if ('needs' in parsed) return parsed.needs;
    context.addIssue({ code: 'custom', message: parsed.expected });
    return z.NEVER;
  })
  .optional();

function fromContext(text: string): { needs: Needs } | { expected: string } {
  const parsed = parseJson(Buffer.from(text));
  const context = parsed.ok ? contextSchema.safeParse(parsed.value) : undefined;
  if (context?.success !== true) return { expected: 'expected `${{ toJSON(needs) }}`, or ids of gates' };
  const all = Object.entries(context.data);
  const lister = all.find(([, { outputs }]) => wavesIn(outputs['waves']) !== undefined);
  const waves = lister && wavesIn(lister[1].outputs['waves']);
  // A wave without gates has a job all the same, which is skipped.
  const isIdle = (job: string): boolean => waves !== undefined && WAVE_JOB.test(job) && !waves.has(job);
  const results = new Map<string, NeedsEntry>(all.filter(([job]) => job !== lister?.[0] && !isIdle(job)));
  if (results.size > MAX_NEEDS) return { expected: `expected at most ${MAX_NEEDS} jobs` };
  const gates = [...results].flatMap(
    ([job, { outputs }]) => waves?.get(job) ?? [ID_PATTERN.test(outputs['gate'] ?? '') ? outputs['gate']! : job],
  );
  return { needs: { gates: [...new Set(gates)], ...(waves && { waves }), results } };
}

const WAVE_JOB = /^wave-[0-9]+$/;
const wavesSchema = z.array(z.array(z.object({ gate: z.string().regex(ID_PATTERN) }))).max(MAX_WAVES);

/** The gates of each wave, by their positions. */
function wavesIn(text: string | undefined): Map<string, string[]> | undefined {
  if (text === undefined) return undefined;
  const parsed = parseJson(Buffer.from(text));
  const waves = parsed.ok ? wavesSchema.safeParse(parsed.value) : undefined;
  if (waves?.success !== true) return undefined;
  return new Map(waves.data.map((places, index) => [`wave-${index}`, places.map(({ gate }) => gate)]));
}

function fromList(text: string): { needs: Needs } | { expected: string } {
  const words = wordsOf(text);
  const wrong = words.find((word) => !ID_PATTERN.test(word));
  if (wrong !== undefined) return { expected: 'expected comma-separated gate ids, or `${{ toJSON(needs) }}`' };
  if (text.trim().startsWith('[') && words.length > 0 && words.every((word) => RESULTS.some((one) => one === word))) {
    return { expected: 'expected ids of gates, and these are results of jobs: write `${{ toJSON(needs) }}`' };
  }
  const twice = words.find((word, index) => words.indexOf(word) !== index);
  if (twice !== undefined) return { expected: `expected each gate once, but \`${twice}\` is listed twice` };
  if (words.length > MAX_NEEDS) return { expected: `expected at most ${MAX_NEEDS} gates` };
  return { needs: { gates: words, results: undefined } };
}

function withoutNulls(outputs: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(outputs).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}
