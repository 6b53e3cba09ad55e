import { z } from 'zod';
import { digestSchema, hexOf, type Digest } from '../../json/digest.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import type { Position } from '../../run/records/record.ts';

/** The decision about an output in a check run. */
export interface CheckedDecision {
  readonly decision: 'approve' | 'reject';
  /** Id of the run that wrote it. */
  readonly decidingRun: number;
  /** Id of the comment whose author decided it. `undefined`: the person who started that run. */
  readonly comment?: number;
  /** Id of the run whose output it is about. */
  readonly aboutRun: number;
  /** The run and attempt that it was made for. */
  readonly position: Position;
  readonly fingerprint: Digest;
  readonly output: Digest;
}

/** The decision about gates of its run in a check run. */
export interface CheckedFrom extends CheckPlace {
  /** The gate runs again, with all gates after it or, for `retry`, alone; or it is skipped. */
  readonly decision: 'from' | 'retry' | 'skip';
  /** A gate or leg. */
  readonly gate: string;
}

/** Name of the check run of a decision about a gate or leg. */
export function checkNameOf(pipeline: string, unit: string): string {
  return `gateline decision: ${pipeline}/${unit}`;
}

/** Name of the check runs that let gates of a pipeline run again, or skip them. */
export function fromCheckNameOf(pipeline: string): string {
  return `gateline from: ${pipeline}`;
}

/**
 * The part of a deciding run's title that names the decision. `run-name` in the workflow builds it from the inputs, and
 * no job can change it afterwards.
 */
export function titleOf(checked: CheckedDecision | CheckedFrom, unit: string): string {
  const { decision, aboutRun } = checked;
  const which = `gateline ${decision} ${unit} of run ${aboutRun}:`;
  return 'output' in checked ? `${which} ${checked.output}` : which;
}

/** The decision of a run, by its title as of {@link titleOf}; `undefined`: the run is not a deciding run. */
export function decisionInTitle(title: string): 'approve' | 'reject' | 'from' | undefined {
  const [, decision] = /(?:^|\s)gateline (approve|reject|from) \S+ of run [1-9]\d*:/.exec(title) ?? [];
  return decision as ReturnType<typeof decisionInTitle>;
}

/** The decision as the `external_id` of a check run. */
export function externalIdOf(checked: CheckedDecision | CheckedFrom): string {
  const { decision, decidingRun, aboutRun, position } = checked;
  const at = `${position.runNumber}.${position.runAttempt}`;
  const what = 'gate' in checked ? [checked.gate] : [hexOf(checked.fingerprint), hexOf(checked.output)];
  const by = checked.comment === undefined ? [] : ['by', checked.comment];
  return ['gl1', decision, decidingRun, aboutRun, at, ...what, ...by].join(' ');
}

const PLACE = String.raw`([1-9]\d{0,14}) ([1-9]\d{0,14}) ([1-9]\d{0,8})\.([1-9]\d{0,5})`;
const BY = String.raw`(?: by ([1-9]\d{0,14}))?`;
const EXTERNAL_ID = new RegExp(`^gl1 (approve|reject) ${PLACE} ([0-9a-f]{64}) ([0-9a-f]{64})${BY}$`);
const EXTERNAL_FROM = new RegExp(`^gl1 (from|retry|skip) ${PLACE} (\\S{1,200})${BY}$`);

/** `undefined` if it is not one of ours. */
export function readExternalId(text: string): CheckedDecision | undefined {
  const [, decision, deciding, about, runNumber, runAttempt, fingerprint, output, by] = EXTERNAL_ID.exec(text) ?? [];
  if (decision === undefined) return undefined;
  return {
    decision: decision as CheckedDecision['decision'],
    ...placeOf(deciding, about, runNumber, runAttempt),
    fingerprint: digestSchema.parse(`sha256:${fingerprint}`),
    output: digestSchema.parse(`sha256:${output}`),
    ...(by !== undefined && { comment: Number(by) }),
  };
}

/** `undefined` if it is not one of ours. */
export function readExternalFrom(text: string): CheckedFrom | undefined {
  const [, decision, deciding, about, runNumber, runAttempt, gate, by] = EXTERNAL_FROM.exec(text) ?? [];
  if (gate === undefined) return undefined;
  return {
    decision: decision as CheckedFrom['decision'],
    ...placeOf(deciding, about, runNumber, runAttempt),
    gate,
    ...(by !== undefined && { comment: Number(by) }),
  };
}

type CheckPlace = Pick<CheckedDecision, 'decidingRun' | 'comment' | 'aboutRun' | 'position'>;

/** The runs in an external id, as {@link PLACE} has matched them. */
function placeOf(deciding?: string, about?: string, runNumber?: string, runAttempt?: string): CheckPlace {
  return {
    decidingRun: Number(deciding),
    aboutRun: Number(about),
    position: { runNumber: Number(runNumber), runAttempt: Number(runAttempt), n: 0 },
  };
}

/** The fields of a check run that are used. */
export type ApiCheckRun = z.infer<typeof checkRunSchema>;

const checkRunSchema = z.object({
  id: z.int(),
  name: z.string(),
  head_sha: z.string(),
  external_id: z.string().nullish(),
  completed_at: z.string().nullish(),
  output: z.object({ summary: z.string().nullish() }).nullish(),
  app: z.object({ slug: z.string().nullish() }).nullish(),
});

const checkRunsSchema = z.object({ check_runs: z.array(checkRunSchema) }).transform(({ check_runs: list }) => list);

/** All check runs of a commit with a name, or why they are not known. */
export async function checkRunsOf(
  rest: RestClient,
  commit: string,
  name: string,
): Promise<{ readonly checks: readonly ApiCheckRun[] } | { readonly unread: string }> {
  const path = `/repos/${rest.repository}/commits/${commit}/check-runs`;
  const query = { check_name: name, filter: 'all' };
  const { items, complete } = await rest.list({ method: 'GET', path, query }, checkRunsSchema);
  return complete ? { checks: items } : { unread: `commit ${commit.slice(0, 12)} has too many check runs` };
}
