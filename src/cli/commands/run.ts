import { Option, type Command } from 'commander';
import { GatelineError } from '../../errors.ts';
import { ESTIMATE_RUNS, estimateDuration } from '../../history/statistics.ts';
import { readCallerSettings } from '../../environment.ts';
import type { Gateline, RunOptions, RunOutcome } from '../../gateline.ts';
import { nextLine, renderPlan, renderStatus, renderVerdict } from '../../report/terminal.ts';
import { gateOf } from '../../run/units.ts';
import { shellWord } from '../../untrusted/escape.ts';
import {
  addRequestOptions,
  addDeciderOptions,
  collectList,
  openGateline,
  parseWholeNumber,
  type TargetOptions,
} from '../options.ts';
import { paintOf, screenOf, type Answer, type AddAction } from '../print.ts';
import { showProgress } from '../progress.ts';
import { interruptOn, type ProcessContext } from '../process-context.ts';
import { addSetOptions, runSetAnswer } from './set.ts';

const STRATEGIES = ['retry-current', 'retry-previous', 'skip-current', 'from-checkpoint'] as const;

interface RunFlags extends TargetOptions {
  readonly until?: string[];
  readonly gate?: string[];
  readonly force?: string[];
  readonly strategy?: (typeof STRATEGIES)[number];
  readonly from?: string;
  readonly isolated?: boolean;
  readonly new?: boolean;
  readonly sequential?: boolean;
  readonly maxParallel?: number;
  readonly maxIterations?: number;
  readonly memory?: string[];
  readonly set?: string;
  readonly onlySet?: string[];
  readonly dryRun?: boolean;
  readonly checkpoints?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly reason?: string;
  readonly actor?: string;
}

/** `plan`, `run`, `resume`, `begin`, `complete`. */
export function addRunCommands(context: ProcessContext, program: Command, addAction: AddAction): void {
  addAction<RunFlags>(
    addSelectionOptions(addRequestOptions(program.command('plan'))).description('show what would run, and why'),
    (options) => runOrResume(context, { ...options, dryRun: true }, false),
  );
  addAction<RunFlags>(
    addSetOptions(addRunOptions(program.command('run'))).description(
      'run the pipeline, or continue a run that stopped',
    ),
    (options) =>
      (options.set ?? options.onlySet)
        ? runSetAnswer(context, options.set, options)
        : runOrResume(context, options, false),
  );
  addAction<RunFlags>(
    addRunOptions(program.command('resume')).description('continue a run that was paused or rolled back'),
    (options) => runOrResume(context, options, true),
  );
  addBegin(context, program, addAction);
  addComplete(context, program, addAction);
}

function addSelectionOptions(command: Command): Command {
  return command
    .addOption(new Option('--until <gates>', 'these gates and what they need').argParser(collectList))
    .addOption(new Option('--gate <gates>', 'only these gates').argParser(collectList).conflicts('until'))
    .option('--isolated', 'work in a clone of this folder; `gateline apply` brings its files back');
}

function addRunOptions(command: Command): Command {
  return addDeciderOptions(addSelectionOptions(addRequestOptions(command)), false)
    .addOption(new Option('--force <gates>', 'run these gates again, even if nothing changed').argParser(collectList))
    .addOption(new Option('--strategy <name>', 'how to continue after a failure').choices(STRATEGIES))
    .addOption(new Option('--from <gate>', 'the first gate that runs again, with --strategy from-checkpoint'))
    .option('--new', 'close the open run first')
    .addOption(new Option('--max-parallel <n>', 'how many gates may run side by side').argParser(parseWholeNumber(1)))
    .addOption(new Option('--sequential', 'one gate at a time').conflicts('maxParallel'))
    .addOption(new Option('--max-iterations <n>', 'how often a gate may work in a loop').argParser(parseWholeNumber(1)))
    .addOption(new Option('--memory <names>', 'documents that every gate gets in this call').argParser(collectList))
    .option('-n, --dry-run', 'only show what would run')
    .option('--checkpoints', 'print the Markdown checkpoint of each gate')
    .option('-q, --quiet', 'no progress')
    .addOption(new Option('-v, --verbose', 'show what the agents print').conflicts('quiet'));
}

function toRunOptions(options: RunFlags): RunOptions {
  const {
    until,
    gate,
    force,
    strategy,
    from,
    isolated,
    maxIterations,
    maxParallel,
    sequential,
    memory,
    reason,
    actor,
  } = options;
  if (from !== undefined && strategy !== 'from-checkpoint')
    throw new GatelineError('usage', '--from belongs to --strategy from-checkpoint');
  return {
    until,
    only: gate,
    force,
    strategy: strategy === 'from-checkpoint' ? { fromCheckpoint: from ?? '' } : strategy,
    checkpoints: options.checkpoints,
    isolated,
    fresh: options.new,
    maxParallel: sequential ? 1 : maxParallel,
    maxIterations,
    memory,
    by: { reason, actor },
  };
}

async function runOrResume(context: ProcessContext, options: RunFlags, isResume: boolean): Promise<Answer> {
  using progress = showProgress(context, options);
  const gateline = await openGateline(context, options, progress.observe);
  if (options.strategy === 'from-checkpoint' && options.from === undefined) throw await missingFromError(gateline);
  if (options.dryRun) return await planAnswer(context, gateline, await gateline.plan(toRunOptions(options)));
  using interruption = interruptOn(context);
  const settings = { ...toRunOptions(options), signal: interruption.signal };
  const outcome = isResume ? await gateline.resume(settings) : await gateline.run(settings);
  // Files that changed while agents worked may outdate outputs: the plan at the end names them.
  const { result, view } = outcome;
  const isChanged = view.units.some(({ key, undeclared }) => result.ran.includes(key) && undeclared.length > 0);
  const { until, only, memory } = settings;
  const plan = isChanged && !options.isolated ? await gateline.plan({ until, only, memory }) : undefined;
  progress.end();
  return runAnswer(context, outcome, plan);
}

type Plans = Awaited<ReturnType<Gateline['plan']>>;

/** The error for a missing `--from`, which lists the gates that a run can continue from. */
async function missingFromError(gateline: Gateline): Promise<GatelineError> {
  const done = (await gateline.view()).units.filter((unit) => unit.done).map(({ gate }) => gate);
  const hint =
    done.length === 0 ? 'no gate of the newest run is done' : `--from is one of: ${[...new Set(done)].join(', ')}`;
  return new GatelineError('usage', '--strategy from-checkpoint needs --from GATE', { hint });
}

async function planAnswer({ out }: ProcessContext, gateline: Gateline, plans: Plans): Promise<Answer> {
  const { gates, id } = gateline.definition.pipeline;
  const coming = plans.filter(({ choice }) => choice === 'run' || choice === 'depends');
  const { entries } = await gateline.history({ pipeline: id, limit: ESTIMATE_RUNS });
  const estimatedMs = estimateDuration(gates, entries, new Set(coming.map(({ unit }) => gateOf(unit))));
  return { json: { plan: plans, estimatedMs }, text: renderPlan(plans, screenOf(out), estimatedMs) };
}

export function runAnswer({ out }: ProcessContext, { result, view }: RunOutcome, plan?: Plans): Answer {
  const screen = { ...screenOf(out), ran: result.ran, now: new Date().toISOString(), plan };
  const text = renderStatus(view, screen);
  const head = result.status === 'nothing' ? 'Everything is done: nothing has changed.\n' : '';
  const exit =
    result.status === 'interrupted' ? 130 : result.status === 'completed' || result.status === 'nothing' ? 0 : 1;
  // The log does not know that files of an output that holds could not be put back.
  const foot = exit === 1 && view.status === 'completed' ? 'Not all gates are done now: see the notes.\n' : '';
  return { json: { result, run: view }, text: head + text + foot, exit };
}

function addBegin(context: ProcessContext, program: Command, addAction: AddAction): void {
  const command = addRequestOptions(program.command('begin').argument('<gate>', 'a gate, or gate/leg'))
    .summary('begin an attempt of an agent that works by itself')
    .description(
      'Prints variables for the shell: eval "$(gateline begin GATE)". If an output holds, GATELINE_DONE is set, and there is nothing to do.',
    );
  addAction<TargetOptions>(command, async (options, unit) => {
    const gateline = await openGateline(context, options);
    const begun = await gateline.begin(unit);
    const variables: Readonly<Record<string, string>> =
      begun.choice === 'run' ? { ...begun.env, GATELINE_TOKEN: begun.token } : { GATELINE_DONE: begun.reason };
    const exports = Object.entries(variables).map(([name, value]) => `export ${name}=${shellWord(value)}`);
    context.err.write(`${begun.choice === 'run' ? 'work' : 'nothing to do'}: ${begun.reason}\n`);
    return {
      json: begun,
      // A gate before may have left these in the same shell.
      text: ['unset GATELINE_DONE GATELINE_TOKEN', ...exports].join('\n'),
    };
  });
}

function addComplete(context: ProcessContext, program: Command, addAction: AddAction): void {
  const command = addRequestOptions(
    program.command('complete').argument('[gate]', 'a gate, or gate/leg; default: the one of GATELINE_TOKEN'),
  )
    .addOption(new Option('--exit-code <n>', 'of the agent; not 0: it failed').argParser(parseWholeNumber(0)))
    .description('end an attempt that `begin` began');
  addAction<TargetOptions & { exitCode?: number }>(command, async (options, word) => {
    const token = word ?? readCallerSettings(context.environment).token;
    if (token === undefined)
      throw new GatelineError('usage', 'no gate is named, and there is no token', {
        hint: '`gateline complete GATE`; eval "$(gateline begin GATE)" sets GATELINE_TOKEN',
      });
    const gateline = await openGateline(context, options);
    const { ended, view } = await gateline.complete(token, options.exitCode);
    const unit = view.units.find(({ key }) => key === ended.unit);
    const isGood = (unit ?? ended.verdict).status === 'passed' || (unit?.status === 'partial' && unit.done);
    const text = unit
      ? renderVerdict(unit, undefined, { paint: paintOf(context.out) })
      : `${ended.unit} is no leg any more. Its output is used when it is one again.\n`;
    return {
      json: { ended, run: view },
      text: text + nextLine(view.next),
      exit: isGood ? 0 : 1,
    };
  });
}
