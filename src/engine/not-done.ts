import { GatelineError } from '../errors/gateline-error.ts';
import type { RunProblem, UnitState } from '../run/run-state.ts';
import type { Unit } from '../run/unit.ts';
import type { JobCall } from './verify-upstream.ts';

/** The error of a gate that cannot begin, since these units before it are not done, as far as anybody can see. */
export function notDone(
  unit: Unit,
  open: readonly UnitState[],
  problems: readonly RunProblem[],
  job: JobCall,
): GatelineError {
  const list = open.map((state) => standing(state, problems, job)).join('; ');
  const message = `gate ${unit.key} cannot begin: ${list}`;
  const known = open.find(({ status }) => status !== 'ready' && status !== 'pending');
  if (known === undefined && open.some((state) => isUnseen(state, job))) return unreadable(message);
  const hint = known === undefined ? hintForNoRecord(job) : 'Mend what failed, and run the failed jobs again.';
  return new GatelineError('user', 'UPSTREAM_NOT_DONE', message, { hint });
}

/** The error for records that exist, or may, and cannot be read. */
export function unreadable(message: string): GatelineError {
  return new GatelineError('platform', 'UPSTREAM_UNREADABLE', message, {
    hint: 'Run the failed jobs again: what is done is not started twice. If it stays so, see https://www.githubstatus.com, or run all jobs again.',
  });
}

/** How a unit that is not done stands. One that is ready is nobody's failure: what there is to say is what is known of it. */
function standing(state: UnitState, problems: readonly RunProblem[], { digests }: JobCall): string {
  const { key, gate, status, reason, unread, attempts } = state;
  if (unread !== undefined) return `${key}: ${unread}`;
  const told = digests?.get(gate);
  if (status !== 'ready') return `${key} is ${status}: ${reason}`;
  const problem = problems.find((one) => one.unit === key && one.code !== 'OUTPUT_MISSING');
  if (problem !== undefined) return `${key}: ${problem.message}`;
  if (attempts > 0) return `${key} is ready: ${reason}`;
  const unlisted = `no record of ${key} is listed in this run`;
  return told === undefined ? unlisted : `${unlisted}, and its job says that its output is ${told}`;
}

/** Whether there may be more of a unit than could be seen. */
function isUnseen({ gate, status, unread, attempts }: UnitState, { digests }: JobCall): boolean {
  return unread !== undefined || (status === 'ready' && attempts === 0 && digests?.has(gate) === true);
}

function hintForNoRecord({ call, hiddenBy }: JobCall): string {
  if (call.numbers.runAttempt === 1) {
    return 'Let this job need the jobs of those gates (`needs:`), and let each of them run its gate with the same pipeline and subject.';
  }
  const hidden = 'Records of an earlier attempt of this run may be hidden from this job';
  const all = 'or run all jobs again, which reuses what is in the cache.';
  switch (hiddenBy?.()) {
    case 'no-token':
      return `${hidden}: give the step \`github-token\` with \`actions: read\`, ${all}`;
    case 'not-permitted':
      return `${hidden}: give the job \`permissions: actions: read\`, ${all}`;
    case undefined:
      return 'GitHub shows no record of it in this run attempt. Run all jobs again, which reuses what is in the cache.';
  }
}
