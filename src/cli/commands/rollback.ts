import { relative } from 'node:path';
import { rollback, type RollbackOptions, type RollbackPlan, type RolledBack } from '../../engine/rollback.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { lockWorkspace } from '../../local/local-ports.ts';
import { whoDecides } from '../../local/who-decides.ts';
import { count, listOf, oneLine } from '../../report/text.ts';
import { forTerminal } from '../../untrusted/escape.ts';
import { adviceLines } from '../output/advice.ts';
import { printJson } from '../output/print-json.ts';
import { say } from '../output/say.ts';
import { recordedOption, textOption, type CommandInvocation, type OptionValues } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { loadFor, open, parseRunArgument, projectOnce, type OpenProject } from '../project/open.ts';
import { savedFolder } from '../project/saved-folder.ts';
import { putLines } from './apply.ts';

/** `gateline rollback --to GATE | --all`: restores what a gate left, or what the run found. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options } = invocation;
  const to = targetOf(options);
  const run = parseRunArgument(textOption(options, 'run'), '--run');
  const loaded = await loadFor(invocation);
  await using _lock = await lockWorkspace(loaded.root, world);
  const actor = await whoDecides(loaded.root, world.environment, recordedOption(options, 'actor', 255));
  const about = { ...options, ...(run.subject !== undefined && { subject: run.subject }) };
  const opened = await open({ ...invocation, options: about }, loaded, { readOnly: false });
  const reason =
    recordedOption(options, 'reason', 4_096) ?? (to === undefined ? 'rolled back' : `rolled back to ${to}`);
  const dryRun = options['dry-run'] === true;
  const isJson = options['json'] === true;
  const asked: RollbackOptions = {
    ...(run.number > 0 && { runNumber: run.number }),
    ...(to !== undefined && { to }),
    saved: savedFolder(world, opened.ports.workspace.root),
    dryRun,
    force: options['force'] === true,
    actor,
    reason,
    preview: ({ patch }) => {
      if (!isJson) world.out.write(world.out.interactive ? forTerminal(patch) : patch);
    },
  };
  const done = await rollback(opened.ports, opened.assignment, asked);
  const lines = done.isDone ? [alreadyText(done, opened, to)] : resultLines(done, opened, dryRun);
  if (!isJson) for (const line of lines) say(world.out, line);
  if (!dryRun) {
    const state = await projectOnce(world, opened);
    if (!isJson) for (const line of adviceLines(state, { graph: opened.graph, options: about })) say(world.out, line);
  }
  if (isJson) printJson(world, rollbackJson(done, opened, to, dryRun));
  return done.puts.some(({ action }) => action === 'conflict') ? EXIT_CODES.gateFailed : EXIT_CODES.ok;
}

function targetOf(options: OptionValues): string | undefined {
  const to = textOption(options, 'to');
  if ((to === undefined) === (options['all'] === true)) return to;
  const hint = 'Name the gate whose state to restore, or restore the state before the first gate with --all.';
  throw to === undefined
    ? new GatelineError('ARGUMENT_MISSING', '--to GATE or --all is missing', { hint })
    : new GatelineError('OPTION_CONFLICT', '--to and --all exclude each other', { hint });
}

const DATABASE: Readonly<Record<RollbackPlan['database'], readonly [done: string, would: string] | undefined>> = {
  none: undefined,
  unchanged: ['The database is unchanged.', 'The database would stay unchanged.'],
  restored: ['The database was restored.', 'The database would be restored.'],
};

function resultLines(done: RolledBack, { ports }: OpenProject, dryRun: boolean): string[] {
  const lines =
    done.puts.length === 0 ? ['No gate changed this folder: no file changes.'] : putLines(done.puts, dryRun);
  const database = DATABASE[done.database]?.[dryRun ? 1 : 0];
  if (database !== undefined) lines.push(database);
  for (const { path, commit } of done.committed)
    lines.push(`${oneLine(path)} was committed in ${commit?.slice(0, 12) ?? 'a commit'}, which does not change.`);
  if (done.saved !== undefined)
    lines.push(`What was replaced is kept in ${fromRoot(ports.workspace.root, done.saved)}.`);
  if (done.other !== undefined)
    lines.push(`Files of run ${done.other.runNumber} of ${oneLine(done.other.subject)} are in this folder, and stay.`);
  if (done.gates.length > 0)
    lines.push(
      `${dryRun ? 'Would roll' : 'Rolled'} back ${count(done.gates.length, 'gate')}: ${listOf(done.gates.map(oneLine))}.`,
    );
  return lines;
}

function alreadyText({ runNumber }: RolledBack, { assignment }: OpenProject, to: string | undefined): string {
  const where = to === undefined ? '' : ` to ${oneLine(to)}`;
  return `Run ${runNumber} of ${oneLine(assignment.subject)} is rolled back${where} already: nothing was left to do.`;
}

/** `gateline-rollback/1`; see docs/reference/json-output.md. */
function rollbackJson(done: RolledBack, opened: OpenProject, to: string | undefined, dryRun: boolean): object {
  const { runNumber: run, gates, committed, database } = done;
  const files = done.puts.map(({ path, action, why = null }) => ({ path, action, why }));
  const saved = done.saved === undefined ? null : fromRoot(opened.ports.workspace.root, done.saved);
  const { pipeline, subject } = opened.assignment;
  return {
    format: 'gateline-rollback/1',
    pipeline: pipeline.id,
    subject,
    run,
    to: to ?? null,
    dryRun,
    gates,
    files,
    committed,
    database,
    saved,
  };
}

function fromRoot(root: string, path: string): string {
  return relative(root, path).replaceAll('\\', '/');
}
