import { handoffFrom } from '../../engine/plan/handoff.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { handoffText } from '../../run/state/handoff.ts';
import { forTerminal } from '../../untrusted/escape.ts';
import type { CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../output/print-json.ts';
import { openToLook } from '../project/open.ts';

/** `gateline handoff`: what gates of the next run get about this one. Read-only. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options } = invocation;
  const { call } = await openToLook(invocation);
  const { runNumber } = call.journal.state();
  const records = call.journal.records().filter((one) => one.runNumber === runNumber);
  const handoff = await handoffFrom(call, records);
  if (handoff === undefined)
    throw new GatelineError('PART_ABSENT', 'no gate of the run has ended, so there is nothing to hand on');
  if (options['json']) printJson(world, handoff);
  else world.out.write(forTerminal(handoffText(handoff)));
  return EXIT_CODES.ok;
}
