import { Argument, Option, type Command } from 'commander';
import { join, relative, resolve } from 'node:path';
import { Gateline } from '../../gateline.ts';
import { formatBytes } from '../../report/amounts.ts';
import { renderStatus, renderVerdict } from '../../report/terminal.ts';
import { forTerminal } from '../../untrusted/escape.ts';
import type { Part } from '../../report/view.ts';
import { GatelineError } from '../../errors.ts';
import { assertUnit } from '../../local/runs/order.ts';
import { writeReport } from '../../local/report.ts';
import {
  addTargetOptions,
  addRequestOptions,
  gatelineOptions,
  parseWholeNumber,
  type TargetOptions,
} from '../options.ts';
import { tableScreenOf, type Answer, type AddAnswer } from '../print.ts';
import type { World } from '../world.ts';
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
export function addShowCommands(world: World, program: Command, answer: AddAnswer): void {
  const status = addRequestOptions(program.command('status')).description('show how a run stands, and what to do next');
  status
    .addOption(setOption())
    .addOption(runOption())
    .addOption(new Option('--watch', 'print it again each second until the run has ended').conflicts('json'))
    .addOption(new Option('--handoff', 'print what an agent that begins now is told').conflicts('watch'));
  answer<ShowOptions & { watch?: boolean; handoff?: boolean; set?: string }>(status, async (options) => {
    if (options.set !== undefined) return setStatusAnswer(world, options.set, options);
    const gateline = await Gateline.open(await gatelineOptions(world, options));
    if (options.handoff) {
      const handoff = await gateline.memory.handoff();
      return { json: { handoff }, text: forTerminal(handoff) };
    }
    const print = async (): Promise<Answer> => statusAnswer(world, gateline, options);
    if (!options.watch) return print();
    for (;;) {
      const shown = await print();
      const { status: now } = shown.json as { status: string };
      if (now !== 'executing' && now !== 'initializing') return shown;
      world.out.write(`${world.out.isInteractive ? '\u001b[H\u001b[2J' : ''}${shown.text}`);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  });

  const show = addTargetOptions(program.command('show').argument('<gate>', 'a gate, or gate/leg')).addArgument(
    new Argument('[part]', 'what to print; default: the verdict').choices(PARTS).default('verdict'),
  );
  show
    .description('print what a gate left: its verdict, output, request and more')
    .addOption(runOption())
    .addOption(attemptOption());
  answer<ShowOptions>(show, async (options, unit, part) => {
    const gateline = await Gateline.open(await gatelineOptions(world, options));
    if (part === 'verdict') return verdictAnswer(world, gateline, unit, options);
    const value = await gateline.part(unit, part as Part, options);
    return 'json' in value
      ? { json: value.json, text: JSON.stringify(value.json, null, 2) }
      : { json: { text: value.text }, text: forTerminal(value.text) };
  });

  const report = addTargetOptions(program.command('report')).description('write a run as a page that a browser shows');
  report.addOption(runOption()).option('-o, --output <path>', 'the page; default: .state/report.html');
  answer<ShowOptions & { output?: string }>(report, async ({ output, ...options }) => {
    const gateline = await Gateline.open(await gatelineOptions(world, options));
    const { html } = await gateline.report(options.run);
    const path =
      output === undefined
        ? join(gateline.definition.root, '.state/report.html')
        : resolve(world.workingDirectory, output);
    await writeReport(path, html);
    const bytes = Buffer.byteLength(html);
    const file = relative(world.workingDirectory, path).replaceAll('\\', '/');
    return { json: { path: file, bytes }, text: `wrote ${forTerminal(file)} (${formatBytes(bytes)})` };
  });

  const logs = addTargetOptions(program.command('logs').argument('<gate>', 'a gate, or gate/leg')).description(
    'print what the agent of a gate printed',
  );
  logs.addOption(runOption()).addOption(attemptOption());
  answer<ShowOptions>(logs, async (options, unit) => {
    const gateline = await Gateline.open(await gatelineOptions(world, options));
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

async function statusAnswer({ out }: World, gateline: Gateline, { run, json }: ShowOptions): Promise<Answer> {
  const view = await gateline.view(run);
  const plan = run === undefined && !json && view.status === 'completed' ? await gateline.plan() : undefined;
  return {
    json: view,
    text: renderStatus(view, { ...tableScreenOf(out), now: new Date().toISOString(), plan }),
  };
}

async function verdictAnswer(
  { out }: World,
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
  return { json: chosen ?? unit, text: renderVerdict(unit, chosen, tableScreenOf(out)) };
}
