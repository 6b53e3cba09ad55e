import { runSet, type SetEvent, type SetResult, type SubjectResult } from '../../engine/set/run-set.ts';
import { assignmentIn } from '../../engine/set/set-order.ts';
import { lockWorkspace, stateRoot } from '../../local/local-ports.ts';
import type { Mirror } from '../../local/exchange/mirror.ts';
import type { Projector } from '../../local/projector.ts';
import { setStatusJson, type SetStatusRow } from '../../report/json/set-json.ts';
import { setSummary, setTable } from '../../report/terminal/set-table.ts';
import { oneLine } from '../../report/text.ts';
import type { SubjectStatus } from '../../run/subjects/subject-states.ts';
import type { CommandInvocation } from '../command.ts';
import { EXIT_CODES, worstOf, type ExitCode } from '../exit-codes.ts';
import { interruptible } from '../output/interrupt.ts';
import { exitCodeOfRun } from '../output/outcome.ts';
import { paintFor } from '../output/paint.ts';
import { printJson } from '../output/print-json.ts';
import { errorLines, exitCodeOfError } from '../output/report-error.ts';
import { say } from '../output/say.ts';
import { mirrorFor, projectorFor } from '../project/open.ts';
import { noteTooShort, redactorFor } from '../project/redactor.ts';
import { removeOldRuns } from '../project/remove-old-runs.ts';
import { whatToRun } from '../project/what-to-run.ts';
import { deliver } from './deliver-set.ts';
import { loadSetFor, openSet, type LoadedSet, type OpenSet } from './open-set.ts';
import { requireHead } from '../../engine/set/deliver-set.ts';
import { deliverOption, maxParallelOption } from './set-options.ts';
import { setProgress, type SetProgress } from './set-progress.ts';

/** `gateline run --set`: runs the pipeline for the subjects of a set. */
export async function runTheSet(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options } = invocation;
  const set = await loadSetFor(invocation);
  const { assigned, resume } = await whatToRun(invocation, set.loaded);
  const maxParallel = maxParallelOption(options);
  const as = deliverOption(options);
  await using _lock = await lockWorkspace(set.loaded.root, world);
  const stop = new AbortController();
  const opened = await openSet(invocation, set, { readOnly: false, signal: stop.signal }, assigned);
  // Before any agent costs something.
  if (as === 'branch') await requireHead(opened.ports.branches!);
  const redactor = redactorFor(set.loaded.pipeline, world.environment);
  const progress = setProgress(invocation);
  noteTooShort(redactor, progress);
  const shown = shownFiles(invocation, opened, redactor.redactText, progress);
  const result = await interruptible(world, progress, stop, (signal) =>
    runSet(opened.ports, opened.order, {
      observe: shown.observe,
      signal,
      resume,
      ...(maxParallel !== undefined && { maxParallel }),
    }),
  );
  await shown.finish(result);
  const { delivered, codes } = await deliver(as, set.loaded, result);
  tell(
    invocation,
    set,
    rowsOf(set, result).map((row) => ({ ...row, delivered: delivered.get(row.subject.id) ?? null })),
  );
  if (!result.cancelled) await removeOldRuns(world, opened);
  return worstOf([exitCodeOfSet(result), ...codes]);
}

/** What a set shows while it runs, and at its end. */
interface ShownFiles {
  readonly observe: (event: SetEvent) => Promise<void>;
  readonly finish: (result: SetResult) => Promise<void>;
}

/**
 * Shows what happens, and keeps the files of each subject that people read up to date. The files of other systems show
 * one run: that of the subject in which something happened last. If nothing happened, that of the last subject.
 */
function shownFiles(
  invocation: CommandInvocation,
  opened: OpenSet,
  redact: (text: string) => string,
  progress: SetProgress,
): ShownFiles {
  const shown = new Map<string, Promise<{ readonly projector: Projector; readonly mirror: Mirror }>>();
  const shownOf = async (id: string): Promise<{ readonly projector: Projector; readonly mirror: Mirror }> => {
    const assignment = assignmentIn(opened.order, opened.order.subjects.get(id)!);
    const own = { ...opened, assignment };
    return { projector: await projectorFor(invocation.world, own, redact), mirror: mirrorFor(invocation.world, own) };
  };
  let last: Promise<readonly string[]> | undefined;
  const observe = async (about: SetEvent): Promise<void> => {
    progress.follow(about);
    if (about.type !== 'engine' || about.subject === undefined) return;
    const { subject, event } = about;
    const known = shown.get(subject) ?? shownOf(subject);
    shown.set(subject, known);
    const { projector, mirror } = await known;
    const notices = await projector.follow(event);
    if ('state' in event) {
      // All files of a system are of one subject.
      const before = last;
      const mirrored = (async () => {
        await before;
        return mirror.show(event.state);
      })();
      last = mirrored;
      notices.push(...(await mirrored));
    }
    for (const notice of notices) progress.note(`${subject}: ${notice}`);
  };
  const finish = async ({ subjects }: SetResult): Promise<void> => {
    const [id, found] = [...subjects].findLast(([, { run }]) => run !== undefined) ?? [];
    if (last !== undefined || id === undefined || found?.run === undefined) return;
    for (const notice of await (await shownOf(id)).mirror.show(found.run)) progress.note(`${id}: ${notice}`);
  };
  return { observe, finish };
}

function rowsOf({ subjects }: LoadedSet, result: SetResult): SetStatusRow[] {
  return [...result.subjects].map(([id, found]) => ({
    ...found,
    subject: subjects.get(id)!,
    errors: found.error === undefined ? (found.driven?.errors ?? []) : [found.error],
  }));
}

/** The end of a call: the subjects, and what kept them from running. */
function tell({ world, options }: CommandInvocation, { loaded }: LoadedSet, rows: readonly SetStatusRow[]): void {
  const screen = options['json'] ? world.err : world.out;
  if (options['json']) printJson(world, setStatusJson(loaded.pipeline.id, rows));
  else screen.write(`\n${setTable(rows, { width: screen.columns, paint: paintFor(screen, world.environment) })}\n`);
  for (const { subject, errors } of rows) {
    if (errors.length > 0) say(world.err, `subject ${oneLine(subject.id)}:`);
    for (const error of errors) for (const line of errorLines(error)) say(world.err, line);
  }
  say(screen, `${setSummary(rows)}.`);
  for (const { subject, delivered } of rows)
    if (delivered) say(screen, `${oneLine(subject.id)}: ${oneLine(delivered.reason)}`);
  for (const line of adviceFor(rows, options['deliver'] !== undefined)) say(screen, line);
  say(screen, `Everything is kept in ${stateRoot(loaded)}.`);
}

/** The next steps, for the first subject of each kind. */
function adviceFor(rows: readonly SetStatusRow[], isDelivered: boolean): string[] {
  const first = (status: SubjectStatus): SetStatusRow | undefined => rows.find((row) => row.status === status);
  const lines: string[] = [];
  const [failed, paused] = [first('failed'), first('paused')];
  if (failed !== undefined)
    lines.push(
      `Look at a subject: \`gateline status --subject ${failed.subject.id}\`. The next call runs what failed again.`,
    );
  if (paused !== undefined)
    lines.push(
      `Look at a paused subject: \`gateline status --subject ${paused.subject.id}\`; then run this command again.`,
    );
  const made = rows.find(({ run, status }) => status === 'completed' && filesIn(run) > 0);
  if (made !== undefined && !isDelivered) {
    const name = `${made.subject.id}#${made.run!.runNumber}`;
    lines.push(`The gates made files: \`gateline apply ${name}\` puts those of a subject into your folder.`);
  }
  return lines;
}

function filesIn(run: SetStatusRow['run']): number {
  const units = [...(run?.units.values() ?? [])];
  return units.reduce((sum, { done, ended }) => sum + (done ? (ended?.files.length ?? 0) : 0), 0);
}

/** The worst of the subjects' exit codes. Those that others keep from starting have none of their own. */
function exitCodeOfSet({ subjects, cancelled }: SetResult): ExitCode {
  const codes = [...subjects.values()].flatMap((one) => codeOf(one) ?? []);
  const isOpen = [...subjects.values()].some(({ status }) => status !== 'completed');
  if (cancelled && isOpen) return EXIT_CODES.interrupted;
  // A subject that was not chosen may be what the only ones that are open wait for.
  return worstOf(isOpen && codes.every((code) => code === EXIT_CODES.ok) ? [EXIT_CODES.gateFailed] : codes);
}

function codeOf({ status, error, driven, graph }: SubjectResult): ExitCode | undefined {
  if (error !== undefined) return exitCodeOfError(error);
  if (driven !== undefined) return exitCodeOfRun(driven, graph!);
  return status === 'completed' ? EXIT_CODES.ok : undefined;
}
