import { GatelineError } from '../../errors/gateline-error.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import { strategySteps } from '../../run/plan/strategy.ts';
import type { Unit, UnitGraph } from '../../run/records/unit.ts';
import { commitOf } from '../event/head-commit.ts';
import type { ActionInvocation } from '../invocation.ts';
import { proveCheck } from './check-proof.ts';
import { checkRunsOf, fromCheckNameOf, readExternalFrom, type CheckedFrom } from './check-run.ts';
import { unitsKnown } from './given-decisions.ts';

/** A decision about a gate of this run: it runs again, or is skipped. */
export interface From extends Pick<CheckedFrom, 'decision' | 'gate' | 'position'> {
  readonly actor: string;
  readonly reason: string;
}

/**
 * What people said about gates of this run when `command: decide` or `command: comment` started it again: the first
 * attempt has none. They hold in all later attempts. If a person started this attempt, check runs that cannot be read
 * are ignored, with a notice unless the token may not read them.
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
          reason: reason !== '' ? reason : checked.decision === 'from' ? 'from this gate' : 'another attempt',
          decision: checked.decision,
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

/** The units that it is about: those of the gate; for `from` all after them, too. */
export function unitsFrom(
  { gate, decision }: Pick<From, 'gate' | 'decision'>,
  graph: UnitGraph,
  isWhole: boolean,
): Unit[] {
  const own = unitsKnown(graph, gate, isWhole);
  const first = own.map(({ key }) => key);
  if (first.length === 0 || decision !== 'from') return own;
  return strategySteps('from-checkpoint', graph, { units: new Map() }, first).map(({ unit }) => unit);
}
