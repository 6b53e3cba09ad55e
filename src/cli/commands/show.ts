import { Argument, Option, type Command } from 'commander';
import { join, relative, resolve } from 'node:path';
import type { Gateline } from '../../gateline.ts';
import { formatBytes } from '../../report/amounts.ts';
import { renderStatus, renderVerdict } from '../../report/terminal.ts';
import { forTerminal } from '../../untrusted/escape.ts';
import type { Part } from '../../report/view.ts';
import { GatelineError } from '../../errors.ts';
import { assertUnit } from '../../local/runs/order.ts';
import { requireReportPath, writeReport } from '../../local/report.ts';
import { addTargetOptions, addRequestOptions, openGateline, parseWholeNumber, type TargetOptions } from '../options.ts';
import { screenOf, type Answer, type AddAction } from '../print.ts';
import type { ProcessContext } from '../process-context.ts';
import { setOption, setStatusAnswer } from './set.ts';

const PARTS = [
  'verdict',
  'output',
  'exports',
  'request',
  'contract',
  'stdout',
  'stderr',
  'learnings',
  'feedback',
] as const;

interface ShowOptions extends TargetOptions {
  readonly run?: number;
  readonly attempt?: number;
}

/** `status`, `show`, `report`, `logs`. */
export function addShowCommands(context: ProcessContext, program: Command, addAction: AddAction): void {
  const status = addRequestOptions(program.command('status')).description(
    'show the state of a run, and what to do next',
  );
  status
    .addOption(setOption())
    .addOption(runOption())
    .addOption(new Option('--watch', 'print it again each second until the run has ended').conflicts('json'))
    .addOption(
      new Option('--handoff', 'print the handoff document for an agent that would start now').conflicts('watch'),
    );
  addAction<ShowOptions & { watch?: boolean; handoff?: boolean; set?: string }>(status, async (options) => {
    if (options.set !== undefined) return setStatusAnswer(context, options.set, options);
    const gateline = await openGateline(context, options);
    if (options.handoff) {
      const handoff = await gateline.memory.handoff();
      return { json: { handoff }, text: forTerminal(handoff) };
    }
    const print = async (): Promise<Answer> => statusAnswer(context, gateline, options);
    if (!options.watch) return print();
    for (;;) {
      const shown = await print();
      const { status: now } = shown.json as { status: string };
      if (now !== 'executing' && now !== 'initializing') return shown;
      context.out.write(`${context.out.isInteractive ? '\u001b[H\u001b[2J' : ''}${shown.text}`);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  });

  const show = addTargetOptions(program.command('show').argument('<gate>', 'a gate, or gate/leg')).addArgument(
    new Argument('[part]', 'what to print; default: the verdict').choices(PARTS).default('verdict'),
  );
  show
    .description('print a part of a gate: its verdict, output, request and more')
    .addOption(runOption())
    .addOption(attemptOption());
  addAction<ShowOptions>(show, async (options, unit, part) => {
    const gateline = await openGateline(context, options);
    if (part === 'verdict') return verdictAnswer(context, gateline, unit, options);
    const value = await gateline.part(unit, part as Part, options);
    return 'json' in value
      ? { json: value.json, text: JSON.stringify(value.json, null, 2) }
      : { json: { text: value.text }, text: forTerminal(value.text) };
  });

  const report = addTargetOptions(program.command('report')).description('write a run as an HTML page');
  report.addOption(runOption()).option('-o, --output <path>', 'the page; default: .state/report.html');
  addAction<ShowOptions & { output?: string }>(report, async ({ output, ...options }) => {
    const gateline = await openGateline(context, options);
    const named = output === undefined ? undefined : resolve(context.workingDirectory, output);
    if (named !== undefined) await requireReportPath(named);
    const { html } = await gateline.report(options.run);
    const path = named ?? join(gateline.definition.root, '.state/report.html');
    await writeReport(path, html);
    const bytes = Buffer.byteLength(html);
    const file = relative(context.workingDirectory, path).replaceAll('\\', '/');
    return { json: { path: file, bytes }, text: `wrote ${forTerminal(file)} (${formatBytes(bytes)})` };
  });

  const logs = addTargetOptions(program.command('logs').argument('<gate>', 'a gate, or gate/leg')).description(
    'print what the agent of a gate printed',
  );
  logs.addOption(runOption()).addOption(attemptOption());
  addAction<ShowOptions>(logs, async (options, unit) => {
    const gateline = await openGateline(context, options);
    const [stdout, stderr] = await Promise.all(
      (['stdout', 'stderr'] as const).map((part) => gateline.part(unit, part, options)),
    );
    const texts = { stdout: 'text' in stdout! ? stdout.text : '', stderr: 'text' in stderr! ? stderr.text : '' };
    return { json: texts, text: forTerminal(texts.stdout + texts.stderr) || `${unit} printed nothing` };
  });
}

function runOption(): Option {
  return new Option('--run <n>', 'a run of the subject; default: the newest').argParser(parseWholeNumber(1));
}

function attemptOption(): Option {
  return new Option('--attempt <n>', 'an attempt of the gate; default: the newest').argParser(parseWholeNumber(1));
}

async function statusAnswer({ out }: ProcessContext, gateline: Gateline, { run, json }: ShowOptions): Promise<Answer> {
  const view = await gateline.view(run);
  const plan = run === undefined && !json && view.status === 'completed' ? await gateline.plan() : undefined;
  return {
    json: view,
    text: renderStatus(view, { ...screenOf(out), now: new Date().toISOString(), plan }),
  };
}

async function verdictAnswer(
  { out }: ProcessContext,
  gateline: Gateline,
  key: string,
  { run, attempt }: ShowOptions,
): Promise<Answer> {
  const unit = (await gateline.view(run)).units.find((view) => view.key === key);
  if (unit === undefined) {
    assertUnit(gateline.definition.pipeline, key);
    throw new GatelineError('usage', `${key} is no unit of this run`, {
      hint: '`gateline status` shows gates and legs',
    });
  }
  const chosen = attempt === undefined ? undefined : unit.attempts.find(({ n }) => n === attempt);
  if (attempt !== undefined && chosen === undefined)
    throw new GatelineError('usage', `${key} has no attempt ${attempt}`);
  return { json: chosen ?? unit, text: renderVerdict(unit, chosen, screenOf(out)) };
}
