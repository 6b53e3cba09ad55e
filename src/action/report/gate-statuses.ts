import type { Pipeline } from '../../pipeline/pipeline.ts';
import type { UnsatisfiedJob } from '../../report/github/needed-jobs.ts';
import { scoreFact, scoreText } from '../../report/wording.ts';
import { resultOf, worstStatus, type RunState, type UnitState, type UnitStatus } from '../../run/state/run-state.ts';

/** A commit status without its context, as GitHub's API spells it. */
export interface StatusText {
  readonly state: 'success' | 'failure' | 'pending';
  readonly description: string;
}

/** The status of a gate, all its legs together. */
export interface GateStatus extends StatusText {
  readonly gate: string;
  /** Id of its job in the workflow file. */
  readonly job: string;
}

/** A gate that is not done and has none of these has no result yet: it waits for a person or for another gate. */
const BAD: ReadonlySet<UnitStatus> = new Set(['failed', 'lost', 'partial']);

/**
 * The status of every gate of a run. A gate whose job failed or left no record never has `success`, whatever records
 * say.
 * @param missing needed jobs that are not satisfied
 */
export function gateStatuses(
  { gates }: Pick<Pipeline, 'gates'>,
  state: Pick<RunState, 'units'>,
  missing: readonly UnsatisfiedJob[],
): GateStatus[] {
  const unitsOf = Map.groupBy(state.units.values(), ({ gate }) => gate);
  const lost = new Map(
    missing.map((job) => [job.gate !== undefined && unitsOf.has(job.gate) ? job.gate : job.id, job]),
  );
  const known = gates.map((gate): GateStatus => {
    const units = unitsOf.get(gate.id) ?? [];
    const job = lost.get(gate.id);
    if (job !== undefined) return withoutJob(gate.id, job);
    const by = units.map(({ ended, started }) => (ended ?? started)?.by.job).find((id) => id !== undefined);
    return { gate: gate.id, job: by ?? gate.id, ...textOf(units, gate) };
  });
  const others = [...lost].filter(([id]) => !gates.some((gate) => gate.id === id));
  return [...known, ...others.map(([id, job]) => withoutJob(id, job))];
}

function withoutJob(gate: string, { id, isSilent }: UnsatisfiedJob): GateStatus {
  const description = isSilent ? 'not checked: its job left no record' : 'its job did not succeed';
  return { gate, job: id, state: 'failure', description };
}

function textOf(units: readonly UnitState[], { contract }: Pick<Pipeline['gates'][number], 'contract'>): StatusText {
  const worst = worstStatus(units.map(({ status }) => status));
  if (worst === undefined) return { state: 'failure', description: 'not checked: it has no leg' };
  const done = units.filter((unit) => unit.done);
  const isDone = done.length === units.length;
  const judged = units.filter(({ status }) => status !== 'not-applicable').map((unit) => resultOf(unit)?.verdict);
  const scores = judged.flatMap((verdict) =>
    verdict === undefined || scoreFact(verdict, contract) === undefined ? [] : verdict.score,
  );
  const isScored = scores.length > 0 && scores.length === judged.length;
  const parts = [
    worst.replace('-', ' '),
    ...(units.every(({ reused }) => reused) ? ['reused'] : []),
    ...(isScored ? [`${units.length > 1 ? 'lowest score' : 'score'} ${scoreText(Math.min(...scores))}`] : []),
    ...(units.length > 1 ? [`${done.length} of ${units.length} legs done`] : []),
  ];
  return { state: isDone ? 'success' : BAD.has(worst) ? 'failure' : 'pending', description: parts.join(', ') };
}
