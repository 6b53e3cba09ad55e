import { GatelineError } from '../../errors/gateline-error.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import { strategySteps } from '../../run/plan/strategy.ts';
import type { Unit, UnitGraph } from '../../run/records/unit.ts';
import { commitOf } from '../event/head-commit.ts';
import type { ActionInvocation } from '../invocation.ts';
import { proveCheck } from './check-proof.ts';
import { checkRunsOf, fromCheckNameOf, readExternalFrom, type CheckedFrom } from './check-run.ts';
import { unitsKnown } from './given-decisions.ts';

/** A gate that a person lets run again in this run, with all gates after it. */
export interface From extends Pick<CheckedFrom, 'gate' | 'position'> {
  readonly actor: string;
  readonly reason: string;
}

/**
 * The gates from which `command: decide` started this run again: all its jobs run again then, so the first attempt has
 * none. They hold in all later attempts. If a person started this attempt, check runs that cannot be read are ignored,
 * with a notice unless the token may not read them.
 * @throws GatelineError `DECISIONS_UNREADABLE` if a program started this attempt: it may have been `command: decide`
 */
export async function findFroms(
  { world, event }: ActionInvocation,
  { rest, pipeline }: { readonly rest: RestClient | undefined; readonly pipeline: string },
): Promise<readonly From[]> {
  if (rest === undefined || event.runAttempt === 1) return [];
  try {
    const listed = await checkRunsOf(rest, commitOf(event), fromCheckNameOf(pipeline));
    if ('unread' in listed) throw new GatelineError('DECISIONS_UNREADABLE', listed.unread);
    const found: From[] = [];
    for (const check of listed.checks) {
      const read = readExternalFrom(check.external_id ?? '');
      if (read !== undefined && !isOfThisRun(read, event)) continue;
      const proved = await proveCheck(rest, event, check, read, read?.gate ?? '');
      if ('why' in proved) {
        const message = `Check run ${check.id} says from which gate this run starts again, and is ignored: ${proved.why}.`;
        world.runner.annotate('warning', message);
      } else {
        const { actor, reason, checked } = proved;
        found.push({
          actor,
          reason: reason === '' ? 'from this gate' : reason,
          gate: checked.gate,
          position: checked.position,
        });
      }
    }
    return found;
  } catch (error) {
    if (!(error instanceof GatelineError)) throw error;
    const isDenied = error.code === 'REST_DENIED' || error.code === 'REST_NOT_FOUND';
    const message = `it cannot be read from which gate this run starts again: ${error.message}`;
    if (event.isByProgram && !isDenied) throw new GatelineError('DECISIONS_UNREADABLE', message, { cause: error });
    if (event.isByProgram || !isDenied) world.runner.annotate('notice', message);
    return [];
  }
}

function isOfThisRun({ position }: CheckedFrom, { runNumber, runAttempt }: ActionInvocation['event']): boolean {
  return position.runNumber === runNumber && position.runAttempt <= runAttempt;
}

/** The units that run again: those of the gate, and all after them. */
export function unitsFrom({ gate }: Pick<From, 'gate'>, graph: UnitGraph, isWhole: boolean): Unit[] {
  const first = unitsKnown(graph, gate, isWhole).map(({ key }) => key);
  if (first.length === 0) return [];
  return strategySteps('from-checkpoint', graph, { units: new Map() }, first).map(({ unit }) => unit);
}
