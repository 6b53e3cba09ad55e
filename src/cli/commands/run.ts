import { runPipeline, type RunOptions, type RunResult } from '../../engine/run-pipeline.ts';
import type { EngineEvent } from '../../engine/ports.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { CLI_VARIABLES, type Environment } from '../../environment.ts';
import { runSummaryLines } from '../../report/run-summary.ts';
import { statusJson } from '../../report/status-json.ts';
import { statusTable } from '../../report/status-table.ts';
import { unitsOf } from '../../run/unit.ts';
import { createRedactor } from '../../untrusted/redact.ts';
import { assignmentOf } from '../assignment.ts';
import { listOption, textOption, type Invocation, type OptionValues } from '../command.ts';
import { constructPorts, lockWorkspace, stateRoot } from '../construct.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { loadPipeline, type LoadedPipeline } from '../load-pipeline.ts';
import { paintFor } from '../paint.ts';
import { createProgress, type Progress } from '../progress.ts';
import { createProjector } from '../projector.ts';
import type { CliWorld } from '../world.ts';
import { planOnly } from './plan.ts';

/** `gateline run`: drives the subject's run on. */
export async function execute(invocation: Invocation): Promise<ExitCode> {
  const { world, options } = invocation;
  if (options['dry-run']) return planOnly(invocation);
  const loaded = await loadPipeline(world.workingDirectory, textOption(options, 'file'));
  await using _lock = await lockWorkspace(world, loaded);
  const ports = await constructPorts(world, loaded);
  const base = await assignmentOf(options, loaded, ports.workspace, world.workingDirectory);
  const only = onlyGates(options, loaded);
  const assignment = { ...base, ...(only && { only }), standIn: options['stand-in'] === true };
  const graph = unitsOf(loaded.pipeline);
  const secrets = Object.fromEntries(
    loaded.pipeline.gates.flatMap((gate) => gate.secrets).flatMap((name) => (world.environment[name] ? [[name, world.environment[name]]] : [])),
  );
  const redactor = createRedactor({ secrets });
  const projector = await createProjector(world, { loaded, graph, metadata: assignment.metadata, store: ports.store, redact: redactor.redactText });
  const json = options['json'] === true;
  const screen = json ? world.err : world.out;
  const progress = createProgress({
    screen,
    paint: paintFor(screen, world.environment),
    pipeline: loaded.pipeline,
    graph,
    now: world.now,
    lines: options['quiet'] !== true,
    checkpoints: options['quiet'] !== true,
  });
  for (const name of redactor.tooShort) progress.note(`secret ${name} is shorter than 3 characters and cannot be redacted`);
  const observe = async (event: EngineEvent): Promise<void> => {
    progress.follow(event);
    for (const notice of await projector.follow(event)) progress.note(notice);
  };
  const result = await interruptible(world, progress, (signal) =>
    runPipeline(ports, assignment, { observe, signal, ...forced(options, world.environment) }),
  );
  for (const notice of await projector.show(result.state)) world.err.write(`note: ${notice}\n`);
  if (json) world.out.write(`${JSON.stringify(statusJson(result.state, graph), null, 2)}\n`);
  else tell(world, loaded, result);
  return exitCodeOf(result);
}

/** Runs with Ctrl-C ending the agents; a second one is left to the system. */
async function interruptible(world: CliWorld, progress: Progress, work: (signal: AbortSignal) => Promise<RunResult>): Promise<RunResult> {
  const controller = new AbortController();
  using _progress = progress;
  using _listener = world.onInterrupt(() => {
    if (!controller.signal.aborted) progress.note('interrupted: ending the agents; what they did so far is recorded');
    controller.abort();
  });
  return await work(controller.signal);
}

function onlyGates(options: OptionValues, loaded: LoadedPipeline): ReadonlySet<string> | undefined {
  const gates = listOption(options, 'gate');
  if (gates.length === 0) return undefined;
  const known = loaded.pipeline.gates.map((gate) => gate.id);
  const unknown = gates.filter((gate) => !known.includes(gate));
  if (unknown.length === 0) return new Set(gates);
  throw new GatelineError('user', 'GATE_UNKNOWN', `--gate: there is no gate ${unknown.join(', ')}`, { hint: `Gates: ${known.join(', ')}.` });
}

function forced(options: OptionValues, environment: Environment): Pick<RunOptions, 'force'> {
  const gates = listOption(options, 'force');
  if (gates.length === 0) return {};
  return { force: { gates, actor: actorOf(options, environment), reason: textOption(options, 'reason') ?? 'gateline run --force' } };
}

/** Who decides: `--actor`, else the name of the account. */
export function actorOf(options: OptionValues, environment: Environment): string {
  return textOption(options, 'actor') ?? environment[CLI_VARIABLES.user] ?? environment[CLI_VARIABLES.windowsUser] ?? 'somebody';
}

function tell(world: CliWorld, loaded: LoadedPipeline, result: RunResult): void {
  const paint = paintFor(world.out, world.environment);
  world.out.write(`\n${statusTable(result.state, loaded.pipeline, { width: world.out.columns, paint })}\n`);
  for (const line of runSummaryLines(result.state)) world.out.write(`${line}\n`);
  for (const key of result.waiting) world.out.write(`${key} runs by itself: gateline begin ${key}, then gateline complete.\n`);
  for (const error of result.errors) world.err.write(`gateline: ${error.code}: ${error.message}\n${error.hint === undefined ? '' : `  ${error.hint}\n`}`);
  world.out.write(`Everything is kept in ${stateRoot(loaded)}.\n`);
}

function exitCodeOf(result: RunResult): ExitCode {
  if (result.cancelled) return EXIT_CODES.interrupted;
  if (result.state.status === 'completed') return EXIT_CODES.ok;
  if (result.errors.some((error) => error.code === 'GATE_CLAIMED')) return EXIT_CODES.busy;
  if (result.errors.some((error) => error.fault === 'user')) return EXIT_CODES.usage;
  if (result.errors.some((error) => error.fault === 'platform')) return EXIT_CODES.platform;
  const { status, units } = result.state;
  const asked = result.planned.filter((one) => one.choice === 'run');
  const well = asked.every((one) => units.get(one.key)?.done);
  if (status === 'paused' || (well && result.waiting.length > 0)) return EXIT_CODES.paused;
  const partOnly = status === 'executing' && well;
  return partOnly ? EXIT_CODES.ok : EXIT_CODES.gateFailed;
}
