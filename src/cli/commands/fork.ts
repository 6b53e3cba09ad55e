import { textOption, type CommandInvocation } from '../command.ts';
import type { ExitCode } from '../exit-codes.ts';
import { loadFor, open, parseRunArgument } from '../project/open.ts';
import { continueRun } from './run.ts';

/** `gateline fork SUBJECT#RUN`: begins a run that goes its own way from a gate of an earlier one. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { options, positionals } = invocation;
  const asked = parseRunArgument(positionals[0], 'RUN');
  const { subject: _, ...others } = options;
  const here = { ...invocation, options: others };
  const { subject: ours } = (await open(here, await loadFor(here), { readOnly: true })).assignment;
  const origin = asked.subject ?? ours;
  const target = textOption(options, 'subject') ?? origin;
  const gate = textOption(options, 'from');
  // A subject that is given is part of every request: the one that is used anyway is not given.
  const about = target === ours ? here : { ...invocation, options: { ...options, subject: target } };
  return continueRun(about, { subject: origin, runNumber: asked.number, ...(gate !== undefined && { gate }) });
}
