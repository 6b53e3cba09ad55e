import { GatelineError } from '../../errors/gateline-error.ts';
import type { Digest } from '../../json/digest.ts';
import type { RunProblem, RunState, UnitState } from '../../run/state/run-state.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { JobCall } from './job-call.ts';

/** The error of a gate that cannot begin because units upstream are not done, as far as the records show. */
export function notDone(
  unit: Unit,
  open: readonly UnitState[],
  { problems, units }: Pick<RunState, 'problems' | 'units'>,
  job: JobCall,
): GatelineError {
  const unlisted = new Map(open.map((state) => [state, unlistedOutput(state, units, job)]));
  const list = open.map((state) => describeState(state, problems, unlisted.get(state))).join('; ');
  const message = `gate ${unit.key} cannot begin: ${list}`;
  if (open.some(({ status }) => status !== 'ready' && status !== 'pending')) {
    const hint = 'Fix what failed, then re-run the failed jobs.';
    return new GatelineError('UPSTREAM_NOT_DONE', message, { hint });
  }
  if (open.some(({ unread }) => unread !== undefined)) return unreadable(message);
  if ([...unlisted.values()].some((digest) => digest !== undefined)) return unreadable(message, hintForHidden(job));
  const isSpoilt = open.some(({ status, attempts }) => status === 'ready' && attempts > 0);
  const isLostLeg = open.every(({ gate }) => [...units.values()].some((one) => one.gate === gate && one.attempts > 0));
  const hint = isSpoilt ? SPOILT_HINT : isLostLeg ? LEG_HINT : hintForNoRecord(job);
  return new GatelineError('UPSTREAM_NOT_DONE', message, { hint });
}

/** For records that exist but cannot be used. */
const SPOILT_HINT = 'An artifact of this run may have been replaced. Re-run all jobs, so that the gate runs again.';

/** For legs without a record whose gate has others. */
const LEG_HINT =
  'Other legs of the gate left records: the job of this one was lost, or did not start. Re-run the failed jobs.';

const OUTAGE_HINT =
  'Re-run the failed jobs: gates that are done do not run again. See https://www.githubstatus.com for outages. If a record is damaged, re-run all jobs.';

/** The error for records that exist, or may exist, and cannot be read. */
export function unreadable(message: string, hint = OUTAGE_HINT): GatelineError {
  return new GatelineError('UPSTREAM_UNREADABLE', message, { hint });
}

/** Problems that the unit's own state already reports. */
const REPORTED_ELSEWHERE: ReadonlySet<RunProblem['code']> = new Set(['OUTPUT_MISSING', 'UNREADABLE_RECORD']);

/** Describes a unit that is not done. For one that is ready, nothing failed: the known problems are described. */
function describeState(state: UnitState, problems: readonly RunProblem[], digest: Digest | undefined): string {
  const { key, status, reason, unread, attempts } = state;
  if (unread !== undefined) return `${key}: ${unread}`;
  if (status !== 'ready') return `${key} is ${status}: ${reason}`;
  const problem = problems.find((one) => one.unit === key && !REPORTED_ELSEWHERE.has(one.code));
  if (problem !== undefined) return `${key}: ${problem.message}`;
  if (attempts > 0) return `${key} is ready: ${reason}`;
  const unlisted = `no record of ${key} is listed in this run`;
  return digest === undefined ? unlisted : `${unlisted}, and its job says that its output is ${digest}`;
}

/**
 * The digest of the output that its job reported and for which no record is listed. Of a gate with legs, GitHub keeps
 * what one of them reported.
 */
export function unlistedOutput(
  { gate, status, attempts }: UnitState,
  units: RunState['units'],
  { digests }: JobCall,
): Digest | undefined {
  const digest = status === 'ready' && attempts === 0 ? digests?.get(gate) : undefined;
  const isOfOther = [...units.values()].some((one) => one.gate === gate && one.ended?.value?.digest === digest);
  return isOfOther ? undefined : digest;
}

function hintForNoRecord(job: JobCall): string {
  if (job.call.numbers.runAttempt === 1) {
    return 'Let this job need the jobs of those gates (`needs:`), and let each of them run its gate with the same pipeline and subject.';
  }
  const none = 'GitHub lists no record of it in this run attempt. Re-run all jobs: outputs in the cache are reused.';
  return hintForHidden(job) ?? none;
}

/** How to make records of earlier attempts visible, if something hides them. */
function hintForHidden({ hiddenBy }: JobCall): string | undefined {
  const by = hiddenBy?.();
  if (by === undefined) return undefined;
  const remedy =
    by === 'no-token'
      ? 'give the step `github-token` with `actions: read`'
      : 'give the job `permissions: actions: read`';
  return `Records of an earlier attempt of this run may be hidden from this job: ${remedy}, or re-run all jobs: outputs in the cache are reused.`;
}
