import { Option, type Command } from 'commander';
import type { RunView } from '../../report/view.ts';
import { safeText } from '../../report/table.ts';
import { nextLine } from '../../report/terminal.ts';
import {
  addTargetOptions,
  addRequestOptions,
  addDeciderOptions,
  openGateline,
  parseWholeNumber,
  readJsonFile,
  type TargetOptions,
} from '../options.ts';
import { createGh, findWaitingOutput, postDecision } from '../../local/project/pull-request.ts';
import { type Answer, type AddAction } from '../print.ts';
import type { ProcessContext } from '../process-context.ts';

interface DecisionOptions extends TargetOptions {
  readonly reason?: string;
  readonly actor?: string;
  readonly output?: string;
  readonly pr?: number;
}

const GATE_DECISIONS = {
  approve: 'let later gates use the output of a gate that waits for a person',
  reject: 'never use the output of a gate again; also gives up an attempt that `begin` began',
  skip: 'go on without an output of a gate, for its inputs as they are',
  force: 'let a gate run again at its next turn, even if nothing changed',
} as const;

const RUN_DECISIONS = {
  pause: 'start no further gate until `gateline resume`',
  close: 'end the open run as it is; the next call starts another run',
} as const;

/** Decisions about gates and runs. */
export function addDecisionCommands(context: ProcessContext, program: Command, addAction: AddAction): void {
  for (const [decision, summary] of Object.entries(GATE_DECISIONS) as [keyof typeof GATE_DECISIONS, string][]) {
    const command = addDeciderOptions(
      addTargetOptions(program.command(decision).argument('<gate>', 'a gate, or gate/leg')),
      decision !== 'force',
    ).description(summary);
    if (decision === 'approve' || decision === 'reject')
      command.addOption(
        new Option(
          '--pr <number>',
          'a pull request on GitHub: show the output that waits there, and comment with `gh`',
        ).argParser(parseWholeNumber(1)),
      );
    addAction<DecisionOptions>(command, async ({ reason = 'no reason given', actor, pr, ...options }, unit) => {
      if (pr !== undefined && (decision === 'approve' || decision === 'reject'))
        return decideOnPullRequest(context, { pullRequest: pr, unit, decision, reason });
      const gateline = await openGateline(context, options);
      return decisionAnswer(await gateline.decide(decision, { reason, actor }, unit), unit);
    });
  }
  for (const [decision, summary] of Object.entries(RUN_DECISIONS) as [keyof typeof RUN_DECISIONS, string][]) {
    const command = addDeciderOptions(addTargetOptions(program.command(decision)), true).description(summary);
    addAction<DecisionOptions>(command, async ({ reason, actor, ...options }) => {
      const gateline = await openGateline(context, options);
      return decisionAnswer(await gateline.decide(decision, { reason, actor }));
    });
  }

  const keep = addDeciderOptions(
    addRequestOptions(program.command('keep').argument('[gates...]', 'default: all gates with an output')),
    false,
  ).description('record that outputs hold for the folder as it is now, after you changed files by hand');
  addAction<DecisionOptions>(keep, async ({ reason, actor, ...options }, ...words) => {
    const gateline = await openGateline(context, options);
    const kept = await gateline.keep(words.flat(), { reason, actor });
    return { json: { kept }, text: kept.length === 0 ? 'No gate has an output to keep.' : `Kept: ${kept.join(', ')}` };
  });

  const adopt = addDeciderOptions(
    addRequestOptions(program.command('adopt').argument('<gate>', 'a gate, or gate/leg')),
    true,
  )
    .description('supply the output of a gate')
    .addOption(new Option('-o, --output <path>', 'a JSON file; - is standard input').makeOptionMandatory());
  addAction<DecisionOptions>(adopt, async ({ reason, actor, output, ...options }, unit) => {
    const gateline = await openGateline(context, options);
    const value = await readJsonFile(context, output!);
    return decisionAnswer(await gateline.adopt(unit, value, { reason, actor }), unit);
  });
}

interface PullRequestDecision {
  readonly pullRequest: number;
  readonly unit: string;
  readonly decision: 'approve' | 'reject';
  readonly reason: string;
}

async function decideOnPullRequest(
  context: ProcessContext,
  { pullRequest, unit, ...decision }: PullRequestDecision,
): Promise<Answer> {
  const gh = createGh(context.workingDirectory, context.environment);
  const output = await findWaitingOutput(gh, pullRequest, unit);
  context.err.write(`${safeText(output.report)}\n`);
  const address = await postDecision(gh, pullRequest, output, decision);
  return { json: { unit, ...decision, address }, text: `${unit}: ${decision.decision}: ${safeText(address)}\n` };
}

function decisionAnswer(view: RunView, key?: string): Answer {
  const unit = view.units.find((shown) => shown.key === key);
  const line = unit && `${safeText(`${unit.key}: ${unit.status}: ${unit.reason}`)}\n`;
  return { json: view, text: (line ?? '') + nextLine(view.next) };
}
