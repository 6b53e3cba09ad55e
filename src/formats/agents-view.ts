import type { UnitKey } from '../pipeline/pipeline.ts';
import { unitOf } from '../run/records/record.ts';
import { ancestorsOf } from '../run/records/unit.ts';
import type { RunState, RunStatus, UnitState } from '../run/state/run-state.ts';
import type { ExportedRun } from './exchange.ts';

/**
 * A run as the agent of one unit may see it: only that unit and those before it have begun. Its request does not
 * contain what others do at the same time, which would differ from run to run.
 */
export function agentsView(run: ExportedRun, key: UnitKey): ExportedRun {
  const { state, graph, records, outputs } = run;
  const known = new Set([...ancestorsOf(graph, key), key]);
  const units = new Map([...state.units].map(([one, unit]) => [one, known.has(one) ? unit : notBegun(unit)]));
  return {
    ...run,
    state: { ...state, units, status: statusFor(state, units, key) },
    records: records.filter((record) => record.kind === 'decided' || known.has(unitOf(record))),
    outputs: new Map([...outputs].filter(([one]) => known.has(one))),
  };
}

function notBegun({ key, gate, leg }: UnitState): UnitState {
  return {
    key,
    gate,
    leg,
    status: 'pending',
    reason: '',
    done: false,
    reused: false,
    exports: undefined,
    ended: undefined,
    started: undefined,
    reworks: [],
    decided: undefined,
    begun: [],
    numbered: [],
    attempts: 0,
  };
}

function statusFor({ status }: RunState, units: RunState['units'], key: UnitKey): RunStatus {
  if (status === 'rollback') return status;
  const own = units.get(key);
  if (own !== undefined && !own.done && STOPPED.has(own.status)) return own.status === 'paused' ? 'paused' : 'error';
  return [...units.values()].every(({ done }) => done) ? 'completed' : 'executing';
}

const STOPPED: ReadonlySet<UnitState['status']> = new Set(['failed', 'lost', 'partial', 'paused']);
