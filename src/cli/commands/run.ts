import { fileOf } from '../../local/load-pipeline.ts';
import type { EngineEvent } from '../../engine/ports.ts';
import { openCall, type Assignment } from '../../engine/call/call.ts';
import { listKnown } from '../../engine/call/later-records.ts';
import { isSameOrigin, type ForkOrigin } from '../../engine/fork.ts';
import { runPipeline, type RunResult } from '../../engine/run-pipeline.ts';
import type { Resume } from '../../engine/resume.ts';
import { unfinishedApply } from '../../engine/snapshots/unfinished-apply.ts';
import { refuseUnfinished } from '../../engine/snapshots/unfinished-rollback.ts';
import { isOfRun } from '../../engine/snapshots/wanted-files.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { lockWorkspace, stateRoot } from '../../local/local-ports.ts';
import { statusJson } from '../../report/json/status-json.ts';
import { loopNotes } from '../../run/plan/loop-notes.ts';
import { statusTable } from '../../report/terminal/status-table.ts';
import { oneLine } from '../../report/text.ts';
import type { RecordListing } from '../../run/records/reading.ts';
import { graphOf } from '../../run/records/unit.ts';
import type { RunState } from '../../run/state/run-state.ts';
import { adviceLines } from '../output/advice.ts';
import type { CommandInvocation } from '../command.ts';
import { noteLearnings } from '../memory/note-learnings.ts';
import { noteStale } from '../memory/note-stale.ts';
import { removeOldRuns } from '../project/remove-old-runs.ts';
import { whatToRun } from '../project/what-to-run.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { loadFor, mirrorFor, open, projectorFor, type OpenProject } from '../project/open.ts';
import { exitCodeOfRun, stateToShow } from '../output/outcome.ts';
import { paintFor } from '../output/paint.ts';
import { errorLog } from '../output/error-log.ts';
import { progressFor } from '../project/run-progress.ts';
import { printJson } from '../output/print-json.ts';
import { interruptible } from '../output/interrupt.ts';
import { noteTooShort, redactorFor } from '../project/redactor.ts';
import { planTheSet } from '../sets/plan-set.ts';
import { runTheSet } from '../sets/run-set.ts';
import { refuseSetOptions } from '../sets/set-options.ts';
import { errorLines, exitCodeOfError } from '../output/report-error.ts';
import { say } from '../output/say.ts';
import type { CliWorld } from '../world.ts';
import { appliedLines, applyTo, exitCodeOfApplied } from './apply.ts';
import { planRun } from './plan.ts';

/** `gateline run` and `gateline resume`: continue the subject's run. */
export function execute(invocation: CommandInvocation): Promise<ExitCode> {
  return continueRun(invocation);
}

/** Continues the subject's run, or begins one. @param fork the run that it is a fork of */
export async function continueRun(invocation: CommandInvocation, fork?: ForkOrigin): Promise<ExitCode> {
  const { world, options } = invocation;
  refuseSetOptions(options);
  if (options['set'] !== undefined) return options['dry-run'] ? planTheSet(invocation) : runTheSet(invocation);
  if (options['dry-run']) return planRun(invocation, fork);
  const loaded = await loadFor(invocation);
  const asked = await whatToRun(invocation, loaded, fork);
  await using _lock = await lockWorkspace(loaded.root, world);
  await noteStale(world, loaded);
  const stop = new AbortController();
  const opened = await open(invocation, loaded, { readOnly: false, signal: stop.signal });
  const assignment = { ...opened.assignment, ...asked.assigned };
  const redactor = redactorFor(loaded.pipeline, world.environment);
  const projector = await projectorFor(world, opened, redactor.redactText);
  const mirror = mirrorFor(world, { ...opened, assignment });
  const progress = progressFor(invocation, opened);
  noteTooShort(redactor, progress);
  const observe = async (event: EngineEvent): Promise<void> => {
    progress.follow(event);
    for (const notice of await projector.follow(event)) progress.note(notice);
    if ('state' in event) for (const notice of await mirror.show(event.state)) progress.note(notice);
  };
  const listing = options['apply'] ? await listKnown(opened.ports, assignment) : undefined;
  const completed = listing && (await completedRun(opened, asked.resume, listing));
  if (completed !== undefined) {
    const { runNumber, subject } = completed.state;
    say(world.err, `Run ${runNumber} of ${oneLine(subject)} is completed: nothing is started, its files are applied.`);
    await tell(invocation, { ...opened, assignment }, completed);
    return await applyResult(world, opened, completed, EXIT_CODES.ok);
  }
  const result = await interruptible(world, progress, stop, (signal) =>
    runPipeline(opened.ports, assignment, { observe, signal, resume: asked.resume, listing }),
  );
  const shown = [...(await projector.show(result.state)), ...(await mirror.show(result.state))];
  for (const notice of shown) say(world.err, `note: ${notice}`);
  const graph = graphOf(opened.graph, result.state.units.values());
  await tell(invocation, { ...opened, graph, assignment }, result);
  const code = exitCodeOfRun(result, graph, asked.assigned);
  const last = options['apply'] ? await applyResult(world, opened, result, code) : code;
  if (!result.cancelled) await noteLearnings(world, opened, result.state);
  if (!result.cancelled) await removeOldRuns(world, opened);
  return last;
}

/**
 * The newest run, if what is asked for is done but for its files: the call that was to apply them was interrupted, or a
 * completed run is to be resumed.
 * @throws GatelineError `ROLLBACK_UNFINISHED`
 */
async function completedRun(
  { ports, assignment }: OpenProject,
  resume: Resume | undefined,
  listing: RecordListing,
): Promise<RunResult | undefined> {
  const call = await openCall(ports, assignment, () => undefined, { runNumber: 0, listing });
  const state = call.journal.state();
  if (state.status !== 'completed' || resume?.fresh) return undefined;
  await refuseUnfinished(ports);
  const { lift = false, strategy = 'retry-current', force = [], fork } = resume ?? {};
  const isPlain = lift && strategy === 'retry-current' && force.length === 0;
  const isSameFork = fork !== undefined && isSameOrigin(state.decided.forked?.origin, fork);
  if (!isPlain) {
    if (resume !== undefined && !lift && !isSameFork) return undefined;
    const unfinished = await unfinishedApply(call.ports, call.snapshot);
    if (unfinished === undefined || !isOfRun(call, unfinished)) return undefined;
  }
  const nothing = { planned: [], waiting: [], errors: [], cancelled: false, endedLeftovers: [] };
  return { ...nothing, state, call: call.journal.call };
}

/** Applies the files of a completed run only: an incomplete result is not a usable version. */
async function applyResult(
  world: CliWorld,
  { ports, assignment }: OpenProject,
  { state }: RunResult,
  code: ExitCode,
): Promise<ExitCode> {
  if (state.status !== 'completed') {
    say(world.err, 'Nothing is applied: the run is not completed.');
    return code;
  }
  try {
    const call = await openCall(ports, assignment, () => undefined, { runNumber: state.runNumber });
    const applied = await applyTo(world, call, { dryRun: false });
    for (const line of appliedLines(applied, call, false)) say(world.err, line);
    return code === EXIT_CODES.ok ? exitCodeOfApplied(applied) : code;
  } catch (error) {
    if (!(error instanceof GatelineError)) throw error;
    // The state is printed already, and it is the only document that `--json` promises.
    for (const line of errorLines(error)) world.err.write(`${line}\n`);
    return exitCodeOfError(error);
  }
}

/** The gates' changes are not in the folder yet. */
function handedOnLines({ status, units }: RunState): string[] {
  const files = [...units.values()].flatMap((unit) => (unit.done ? (unit.ended?.files ?? []) : []));
  const number = new Set(files.map(({ path }) => path)).size;
  if (status !== 'completed' || number === 0) return [];
  const [these, it] = number === 1 ? ['1 file', 'it'] : [`${number} files`, 'them'];
  return [`The gates made ${these}: \`gateline diff\` shows ${it}, \`gateline apply\` puts ${it} into your folder.`];
}

/**
 * The end of a run: the state, the next steps, and what kept gates from running. With `--json`, the text for people
 * goes to stderr.
 */
async function tell(
  { world, options }: CommandInvocation,
  {
    loaded,
    graph,
    ports,
    assignment,
  }: Pick<OpenProject, 'loaded' | 'graph' | 'ports'> & { readonly assignment: Assignment },
  result: RunResult,
): Promise<void> {
  const screen = options['json'] ? world.err : world.out;
  const shown = stateToShow(result);
  const { notes, usedUp } = loopNotes(shown, graph, loaded.pipeline, assignment.maxIterations);
  const about = { groups: loaded.pipeline.groups, file: fileOf(loaded) };
  if (options['json']) {
    const log = await errorLog(ports.store, result.state);
    printJson(world, statusJson(result.state, graph, { ...about, log }));
  } else {
    const paint = paintFor(screen, world.environment);
    screen.write(`\n${statusTable(shown, loaded.pipeline, { width: screen.columns, paint, wrap: true, notes })}\n`);
  }
  for (const error of result.errors) for (const line of errorLines(error)) say(world.err, line);
  const isBlocked = result.errors.length > 0;
  for (const line of adviceLines(shown, { graph, options, isBlocked, usedUp })) say(screen, line);
  if (!options['apply']) for (const line of handedOnLines(result.state)) say(screen, line);
  say(screen, `Everything is kept in ${stateRoot(loaded)}.`);
}
