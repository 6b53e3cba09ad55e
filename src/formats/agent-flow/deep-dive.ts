import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { duration, millisecondsOf } from '../../pipeline/file/gateline-values.ts';
import { pathProblem } from '../../pipeline/file/paths.ts';

/**
 * What is known of a code base, found by several agents and put together by one: agent-flow's `deep-dive.local.md`
 * (seed 002). Front matter says how it was made and when it is out of date; the sections are for agents.
 */
export const DEEP_DIVE = 'deep-dive';

/** Percent of the explored files that may change before a document is stale, unless it says another number. */
export const DEFAULT_STALE_AFTER = '20%';

const phaseStatus = z.enum(['pending', 'in_progress', 'complete']);
const agents = z.int().min(0).max(1_000_000);
const percent = z.string().regex(/^(?:100|[1-9]?[0-9])%$/);

/** The front matter. All keys of agent-flow, and what decides whether the document is stale. */
const headerSchema = z.looseObject({
  /** When it was made, ISO 8601. */
  generated: z.iso.datetime({ offset: true }),
  /** `full`: the whole workspace. `focused`: what is below `focus_path`. */
  scope: z.enum(['full', 'focused']).default('full'),
  focus_path: z
    .string()
    .max(4_096)
    .refine((path) => pathProblem(path) === undefined)
    .nullable()
    .default(null),
  /** For people. Written from `stale_after` and `max_age`. */
  expires_hint: z.string().max(1_000).default(''),
  phase: z.enum(['exploring', 'synthesizing', 'complete']).default('complete'),
  agent_count: agents.default(0),
  phases: z
    .looseObject({
      parallel_exploration: z.looseObject({ status: phaseStatus, agents_spawned: agents, agents_completed: agents }),
      synthesis: z.looseObject({ status: phaseStatus }),
      compilation: z.looseObject({ status: phaseStatus }),
    })
    .optional(),
  /** The commit that it describes; `null`: there was none. */
  commit: z
    .string()
    .regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/)
    .nullable()
    .default(null),
  /** Share of the explored files that may change since. */
  stale_after: percent.default(DEFAULT_STALE_AFTER),
  /** Age from which it is stale whatever has changed: `30d`. `null`: none. */
  max_age: duration.nullable().default(null),
});

/** The front matter of such a document. */
export type DeepDiveHeader = z.infer<typeof headerSchema>;

/** Whether a text is a share: `20%`. */
export function isShare(text: string): boolean {
  return percent.safeParse(text).success;
}

/** The front matter of a document; `undefined`: it has none that can be read. */
export function deepDiveHeader(document: string): DeepDiveHeader | undefined {
  const yaml = /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/.exec(document)?.[1];
  if (yaml === undefined) return undefined;
  try {
    return headerSchema.safeParse(parse(yaml, { logLevel: 'silent' })).data;
  } catch {
    // Not YAML: written by hand, or by something else.
    return undefined;
  }
}

/** How a document is made: what its front matter says, but for what follows from it. */
export interface DeepDiveOrigin {
  readonly generated: Date;
  /** A folder or file, relative to the workspace; `null`: all of it. */
  readonly focus: string | null;
  readonly commit: string | null;
  /** As in {@link DeepDiveHeader}. */
  readonly staleAfter: string;
  readonly maxAge: string | null;
  readonly agents: { readonly spawned: number; readonly completed: number };
}

/** The front matter of a complete document, with the line after it. */
export function frontMatter(origin: DeepDiveOrigin): string {
  const { generated, focus, commit, staleAfter, maxAge } = origin;
  const where = focus === null ? 'the files' : `the files in ${focus}`;
  const header: DeepDiveHeader = {
    generated: generated.toISOString(),
    scope: focus === null ? 'full' : 'focused',
    focus_path: focus,
    expires_hint: `refresh when more than ${staleAfter} of ${where} changed${maxAge === null ? '' : `, or after ${maxAge}`}`,
    phase: 'complete',
    agent_count: origin.agents.spawned,
    phases: {
      parallel_exploration: {
        status: 'complete',
        agents_spawned: origin.agents.spawned,
        agents_completed: origin.agents.completed,
      },
      synthesis: { status: 'complete' },
      compilation: { status: 'complete' },
    },
    commit,
    stale_after: staleAfter,
    max_age: maxAge,
  };
  return `---\n${stringify(header, { lineWidth: 0 })}---\n`;
}

/** How many of the explored files changed since the commit of a document. */
export interface FilesChanged {
  readonly changed: number;
  readonly total: number;
}

/** Whether a document is out of date, and why. */
export interface Staleness {
  readonly choice: 'fresh' | 'stale' | 'expired' | 'unknown';
  /** Part of a sentence, after a colon. */
  readonly reason: string;
}

/** @param changes `undefined`: its commit is not in the repository */
export function stalenessOf(
  header: DeepDiveHeader | undefined,
  changes: FilesChanged | undefined,
  now: Date,
): Staleness {
  if (header === undefined) return { choice: 'unknown', reason: 'its front matter cannot be read' };
  if (header.phase !== 'complete') return { choice: 'stale', reason: `it is not complete: ${header.phase}` };
  const { max_age: maxAge, commit, stale_after: limit } = header;
  const age = now.getTime() - Date.parse(header.generated);
  if (maxAge !== null && age > millisecondsOf(maxAge))
    return { choice: 'expired', reason: `made ${header.generated}, and its maximum age is ${maxAge}` };
  if (commit === null) return { choice: 'unknown', reason: 'it does not say which commit it describes' };
  if (changes === undefined)
    return { choice: 'unknown', reason: `its commit ${commit.slice(0, 12)} is not in this clone` };
  const { changed, total } = changes;
  // Files that are new since count as changed, so that the share can be more than all.
  const share = changed === 0 ? 0 : (changed / Math.max(total, 1)) * 100;
  const text = `${changed} of ${total} files changed since it was made (${Math.round(share)}%, limit ${limit})`;
  return { choice: share > Number.parseInt(limit, 10) ? 'stale' : 'fresh', reason: text };
}
