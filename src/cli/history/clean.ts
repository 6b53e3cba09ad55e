import { decideRun } from '../../engine/decide.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { clean, type Cleaned } from '../../local/clean/clean.ts';
import { planClean } from '../../local/clean/plan-clean.ts';
import type { LoadedPipeline } from '../../local/load-pipeline.ts';
import { lockWorkspace, stateRoot } from '../../local/local-ports.ts';
import { whoDecides } from '../../local/who-decides.ts';
import { millisecondsOf } from '../../pipeline/file/gateline-values.ts';
import { DEFAULT_RETENTION } from '../../pipeline/retention-settings.ts';
import { bytesText, count, oneLine } from '../../report/text.ts';
import { runKey, type RunName } from '../../run/retention/needs.ts';
import type { KeptRun, OldRun, RetentionRules } from '../../run/retention/retention.ts';
import { openFilesystemStore } from '../../store/filesystem/filesystem-store.ts';
import { listOption, recordedOption, textOption, type CommandInvocation, type OptionValues } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../output/print-json.ts';
import { say } from '../output/say.ts';
import { durationOption } from '../project/duration-option.ts';
import { loadFor, open, parseRunArgument } from '../project/open.ts';
import type { CliWorld } from '../world.ts';

/** What a dry run does not know. */
type Unplanned = Pick<Cleaned, 'contents' | 'compressed' | 'entries'>;

/** `gateline clean`: removes old runs, and what only they needed. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options } = invocation;
  const loaded = await loadFor(invocation, 'without-gates');
  const rules = rulesOf(options, loaded);
  const ofHistory = ageOption(options, 'history-older');
  if (options['dry-run'] === true) {
    show(invocation, await planned(invocation, loaded, rules), true);
    return EXIT_CODES.ok;
  }
  await using _lock = await lockWorkspace(loaded.root, world);
  await refuseBoth(invocation, loaded);
  for (const decision of ['pin', 'unpin'] as const) await decideOn(invocation, loaded, decision);
  const { ports } = await open({ ...invocation, options: {} }, loaded, { readOnly: false });
  const historyBefore = ofHistory === undefined ? undefined : new Date(world.now().getTime() - ofHistory);
  const { onDurable } = world;
  show(invocation, await clean({ loaded, ports, rules, historyBefore, ...(onDurable && { onDurable }) }), false);
  return EXIT_CODES.ok;
}

/** The runs that would be removed. The contents that would be removed are not known in advance. */
async function planned(
  invocation: CommandInvocation,
  loaded: LoadedPipeline,
  rules: RetentionRules,
): Promise<Omit<Cleaned, keyof Unplanned>> {
  const store = await openFilesystemStore({ root: stateRoot(loaded), workspace: loaded.root, readOnly: true });
  const { ports } = await open({ ...invocation, options: {} }, loaded, { readOnly: true });
  const named = async (option: 'pin' | 'unpin'): Promise<ReadonlySet<string>> =>
    new Set((await runsNamed(invocation, loaded, option)).map(runKey));
  const pins = { pin: await named('pin'), unpin: await named('unpin') };
  const { keep, remove } = await planClean(
    store,
    ports,
    loaded.pipeline,
    { ...rules, ...pins },
    { now: invocation.world.now() },
  );
  return { removed: remove.flat(), kept: keep, notices: [] };
}

/** The options, else `retention` in gateline.yml, else the defaults. @throws GatelineError `OPTION_VALUE` */
function rulesOf(options: OptionValues, { pipeline }: LoadedPipeline): RetentionRules {
  const { older, keep } = pipeline.retention ?? DEFAULT_RETENTION;
  const text = textOption(options, 'keep');
  if (text !== undefined && !/^[1-9][0-9]{0,5}$/.test(text))
    throw new GatelineError('OPTION_VALUE', `--keep ${text}: expected a whole number from 1`, {
      hint: 'The newest run of a subject always stays: its number must not be used again.',
    });
  return { older: ageOption(options, 'older') ?? older, keep: text === undefined ? keep : Number(text) };
}

function ageOption(options: OptionValues, name: string): number | undefined {
  const text = durationOption(options, name);
  return text === undefined ? undefined : millisecondsOf(text);
}

/** The runs that an option names. @throws GatelineError `OPTION_VALUE` */
async function runsNamed(
  invocation: CommandInvocation,
  loaded: LoadedPipeline,
  option: 'pin' | 'unpin',
): Promise<RunName[]> {
  const asked = listOption(invocation.options, option).map((text) => parseRunArgument(text, `--${option}`));
  if (asked.length === 0) return [];
  const { assignment } = await open({ ...invocation, options: subjectOf(invocation) }, loaded, { readOnly: true });
  return asked.map(({ subject = assignment.subject, number }) => ({ subject, runNumber: number }));
}

/** @throws GatelineError `OPTION_CONFLICT` if a run is to be pinned and unpinned */
async function refuseBoth(invocation: CommandInvocation, loaded: LoadedPipeline): Promise<void> {
  const unpinned = new Set((await runsNamed(invocation, loaded, 'unpin')).map(runKey));
  const both = (await runsNamed(invocation, loaded, 'pin')).find((run) => unpinned.has(runKey(run)));
  if (both === undefined) return;
  throw new GatelineError('OPTION_CONFLICT', `--pin and --unpin: both name ${runText(both)}; choose one`);
}

function subjectOf({ options }: CommandInvocation, subject?: string): OptionValues {
  return { ...options, ...(subject !== undefined && { subject }) };
}

/** Records decisions to pin or unpin runs. */
async function decideOn(
  invocation: CommandInvocation,
  loaded: LoadedPipeline,
  decision: 'pin' | 'unpin',
): Promise<void> {
  const { world, options } = invocation;
  for (const { subject, runNumber } of await runsNamed(invocation, loaded, decision)) {
    const actor = await whoDecides(loaded.root, world.environment, recordedOption(options, 'actor', 255));
    const reason = recordedOption(options, 'reason', 4_096) ?? `gateline clean --${decision}`;
    const { ports, assignment } = await open({ ...invocation, options: subjectOf(invocation, subject) }, loaded, {
      readOnly: false,
    });
    await decideRun(ports, assignment, { decision, runNumber, actor, reason });
  }
}

function show(
  { world, options }: CommandInvocation,
  done: Omit<Cleaned, keyof Unplanned> & Partial<Cleaned>,
  dryRun: boolean,
): void {
  if (options['json']) printJson(world, cleanJson(done, dryRun));
  else showText(world, done, dryRun);
}

function showText(
  world: CliWorld,
  { removed, kept, contents, compressed, entries = 0, notices }: Omit<Cleaned, keyof Unplanned> & Partial<Cleaned>,
  dryRun: boolean,
): void {
  for (const run of removed)
    say(world.out, `${dryRun ? 'Would remove' : 'Removed'} ${runText(run)}: last record of ${run.updatedAt}.`);
  if (dryRun) for (const run of kept) say(world.out, `Keeps ${runText(run)}: ${oneLine(run.reason)}.`);
  const said = [`${dryRun ? 'Would remove' : 'Removed'} ${count(removed.length, 'run')}, keeps ${kept.length}.`];
  if (contents !== undefined && contents.contents > 0)
    said.push(`Removed ${count(contents.contents, 'content')} (${bytesText(contents.bytes)}).`);
  if (compressed !== undefined && compressed.contents > 0)
    said.push(`Compressed ${count(compressed.contents, 'content')} (saves ${bytesText(compressed.bytes)}).`);
  if (entries > 0) said.push(`Removed the history of ${count(entries, 'run')}.`);
  say(world.out, said.join(' '));
  for (const notice of notices) say(world.err, `note: ${notice}`);
}

function runText({ subject, runNumber }: RunName): string {
  const subjectText = oneLine(subject);
  return runNumber === 0 ? `what ${subjectText} had before its first run` : `run ${runNumber} of ${subjectText}`;
}

/** `gateline-clean/1`; see docs/reference/json-output.md. */
function cleanJson(
  { removed, kept, contents, compressed, entries, notices }: Omit<Cleaned, keyof Unplanned> & Partial<Cleaned>,
  dryRun: boolean,
): object {
  return {
    format: 'gateline-clean/1',
    dryRun,
    removed: removed.map(({ subject, runNumber: run, startedAt, updatedAt }: OldRun) => ({
      subject,
      run,
      startedAt,
      updatedAt,
    })),
    kept: kept.map(({ subject, runNumber: run, why, reason }: KeptRun) => ({ subject, run, why, reason })),
    contents: contents ?? null,
    compressed: compressed ?? null,
    historyEntries: entries ?? null,
    notices,
  };
}
