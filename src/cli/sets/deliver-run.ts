import type { DeliverAs } from '../../engine/set/deliver-set.ts';
import { setOfRun } from '../../engine/set/one-run.ts';
import { assignmentFor, handedBy, type SetOrder } from '../../engine/set/set-order.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { loadSet } from '../../local/load-set.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { didYouMean } from '../../pipeline/problem.ts';
import { textOption, type CommandInvocation } from '../command.ts';
import type { OpenedRun } from '../project/open.ts';
import { deliverOne, type DeliveredRow } from './deliver-set.ts';

/** The result of `gateline apply --deliver`. */
export interface DeliveredRun {
  /** The gates whose files these are. */
  readonly gates: readonly UnitKey[];
  readonly row: DeliveredRow;
}

/**
 * `gateline apply --deliver`: the files of one run as a branch or a patch.
 * @throws GatelineError those of {@link setOfRun} and {@link deliverOne}
 */
export async function deliverRun(
  invocation: CommandInvocation,
  opened: OpenedRun,
  as: DeliverAs,
): Promise<DeliveredRun> {
  const { options } = invocation;
  const { call, loaded } = opened;
  const { subject } = call.journal.state();
  const set = await setOfRun(call, as, await orderFor(invocation, opened, subject));
  const row = await deliverOne(loaded, set, as, subject, { dryRun: options['dry-run'] === true });
  return { gates: handedBy(set, subject).gates, row };
}

async function orderFor(
  { world, options }: CommandInvocation,
  { loaded, assignment }: OpenedRun,
  subject: string,
): Promise<SetOrder | undefined> {
  const file = textOption(options, 'set');
  if (file === undefined) return undefined;
  const subjects = await loadSet(world.workingDirectory, file);
  if (subjects.has(subject))
    return { pipeline: loaded.pipeline, subjects, assignmentOf: (one) => assignmentFor(assignment, one) };
  const meant = didYouMean(subject, [...subjects.keys()]);
  const message = `--set ${file}: it has no subject ${JSON.stringify(subject)}${meant === undefined ? '' : `; ${meant}`}`;
  throw new GatelineError('OPTION_VALUE', message);
}
