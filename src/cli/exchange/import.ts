import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Adoption } from '../../engine/adoption/adopt-outputs.ts';
import { firstNames } from '../../errors/first-names.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { FileFormat, FormatReading } from '../../formats/exchange.ts';
import { formatNamed } from '../../formats/formats.ts';
import type { HistoryEntry } from '../../history/entry.ts';
import { keysText } from '../../local/exchange/definition.ts';
import { ignoreEarlier } from '../../local/exchange/write-files.ts';
import { ImportRefusedError } from '../../local/exchange/import-refused.ts';
import { addEntries, adoptImported, hasOutputs, newEntries, refuseUnusable } from '../../local/exchange/import-run.ts';
import { readSources } from '../../local/exchange/read-sources.ts';
import { fileOf, type LoadedPipeline } from '../../local/load-pipeline.ts';
import { historyIn, lockWorkspace, STATE_FOLDER } from '../../local/local-ports.ts';
import { writeDocument } from '../../local/memory/documents.ts';
import { documentPath } from '../../memory/documents.ts';
import { count, oneLine } from '../../report/text.ts';
import { atomicWrite } from '../../store/filesystem/atomic-write.ts';
import { textOption, type CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../output/print-json.ts';
import { say } from '../output/say.ts';
import { decisionMadeBy, reasonGiven, type DecisionMade } from '../project/decision.ts';
import { open, projectOnce } from '../project/open.ts';
import type { CliWorld } from '../world.ts';
import {
  definitionFor,
  loadedWith,
  planned,
  subjectIn,
  type DefinitionPlan,
  type FoundDefinition,
} from './imported-definition.ts';

/** `gateline import FORMAT`: takes over what another system's files say, all of it or nothing. */
export async function execute(given: CommandInvocation): Promise<ExitCode> {
  const invocation = { ...given, world: readingOnce(given.world) };
  const { world, options, positionals } = invocation;
  const [system, ...named] = positionals as [string, ...string[]];
  const format = formatNamed(system);
  const found = await definitionFor(invocation);
  const reading = await readAll(invocation, format, found, named);
  const plan = planned(system, reading, found, options);
  const loaded = loadedWith(found, plan.text, reading.run, options);
  const dryRun = options['dry-run'] === true;
  const by = await deciderOf(invocation, system, { loaded, decides: !dryRun && hasOutputs(reading.run) });
  if (dryRun) {
    const adoption = await rehearse(invocation, loaded, reading, by, plan);
    return tell(invocation, {
      system,
      reading,
      plan,
      adoption,
      history: await newEntries(historyIn(loaded), reading.run),
      loaded,
    });
  }
  await using _lock = await lockWorkspace(loaded.root, world);
  // Once without records, so that nothing is written if an output is refused.
  await rehearse(invocation, loaded, reading, by, plan);
  const history = await newEntries(historyIn(loaded), reading.run);
  // What is adopted must not be out of date as soon as the system, a mirror or an export changes these files.
  const line = await ignoreEarlier(loaded.root, format, world.environment);
  if (line !== undefined) say(world.err, `note: ${line} was added to .git/info/exclude, so that git ignores it`);
  for (const document of reading.run.documents) await writeDocument(loaded.root, document, durable(world));
  if (plan.text !== undefined) {
    // A link in its place stays.
    const path = plan.choice === 'edit' ? await realpath(loaded.path) : loaded.path;
    const temporaryFolder = join(loaded.root, STATE_FOLDER, 'tmp');
    await atomicWrite(path, plan.text, { ...durable(world), temporaryFolder });
  }
  await addEntries(historyIn(loaded, durable(world)), history);
  const adoption = await adopt(invocation, loaded, reading, by, false);
  return tell(invocation, { system, reading, plan, adoption, history, loaded });
}

/** What is given on standard input is used for the rehearsal, too. */
function readingOnce(world: CliWorld): CliWorld {
  let read: ReturnType<CliWorld['readStandardInput']> | undefined;
  return { ...world, readStandardInput: (most) => (read ??= world.readStandardInput(most)) };
}

/** Who adopts; nobody has to be known if nothing is recorded. @throws GatelineError as `decisionMadeBy` */
async function deciderOf(
  { world, options }: CommandInvocation,
  system: string,
  { loaded, decides }: { readonly loaded: LoadedPipeline; readonly decides: boolean },
): Promise<DecisionMade> {
  const given = { reason: `imported from ${system}`, ...options };
  return decides ? decisionMadeBy(world, given, loaded) : { actor: 'nobody', reason: reasonGiven(given) };
}

function durable({ onDurable }: CliWorld): Pick<CliWorld, 'onDurable'> {
  return onDurable === undefined ? {} : { onDurable };
}

/** Further subjects are only counted. */
const SHOWN = 10;

/** @throws ImportRefusedError naming every problem of every file */
async function readAll(
  { world, options }: CommandInvocation,
  format: FileFormat,
  found: FoundDefinition,
  named: readonly string[],
): Promise<FormatReading> {
  const { root, text: definition } = found;
  const from = textOption(options, 'from');
  const here = world.workingDirectory;
  const folder = from === undefined ? (named.length > 0 ? here : join(root, format.folder)) : resolve(here, from);
  const { files, problems, left, others } = await readSources(folder, format, named, subjectIn(found, options));
  if (problems.length > 0) throw new ImportRefusedError(problems);
  if (files.length === 0)
    throw new GatelineError('IMPORT_REFUSED', `${folder} has no file of this format`, {
      hint: 'Name the files, or the folder that they are in: `--from DIR`.',
    });
  const read = format.read(files);
  const further = `files of other subjects are not imported: ${firstNames(others, SHOWN)}; \`--subject\` names one`;
  const notes = others.length === 0 ? read.notes : [...read.notes, further];
  const reading = { ...read, notMoved: [...read.notMoved, ...left], notes };
  await refuseUnusable(root, reading, { isNew: definition === undefined });
  return reading;
}

/** @throws ImportRefusedError as {@link adoptImported} */
async function adopt(
  invocation: CommandInvocation,
  loaded: LoadedPipeline,
  { run }: FormatReading,
  by: DecisionMade,
  dryRun: boolean,
): Promise<Adoption> {
  // Without a gate, there may be no definition either.
  if (!hasOutputs(run)) return { problems: [], adopted: [], kept: [] };
  const opened = await open(invocation, loaded, { readOnly: dryRun });
  const adoption = await adoptImported(opened.ports, opened.assignment, run, by, { dryRun });
  // The files that are imported may be those that a mirror would replace.
  if (!dryRun) await projectOnce(invocation.world, opened, false);
  return adoption;
}

/**
 * {@link adopt} without records. If the files are refused, the keys and gates that the definition lacks are shown: they
 * may be why.
 */
async function rehearse(
  invocation: CommandInvocation,
  loaded: LoadedPipeline,
  reading: FormatReading,
  by: DecisionMade,
  plan: DefinitionPlan,
): Promise<Adoption> {
  try {
    return await adopt(invocation, loaded, reading, by, true);
  } catch (error) {
    if (error instanceof ImportRefusedError && invocation.options['json'] !== true)
      sayMissing(invocation.world, plan, fileOf(loaded));
    throw error;
  }
}

/** What to add to a definition that stays as it is. */
function sayMissing(world: CliWorld, { choice, isThere, add }: DefinitionPlan, path: string): void {
  if (Object.keys(add).length === 0 || choice !== 'keep') return;
  const how = isThere ? 'or let `--write` do it' : 'once it has gates';
  say(world.out, `\nAdd to ${path}, ${how}:\n\n${keysText(add).trimEnd()}\n`);
}

interface Imported {
  readonly system: string;
  readonly reading: FormatReading;
  readonly plan: DefinitionPlan;
  readonly adoption: Adoption;
  readonly history: readonly HistoryEntry[];
  readonly loaded: LoadedPipeline;
}

function tell({ world, options }: CommandInvocation, imported: Imported): ExitCode {
  const { system, reading, plan, adoption, history, loaded } = imported;
  const { notes, run } = reading;
  const notMoved = [...reading.notMoved, ...plan.overruled];
  const written = options['dry-run'] !== true;
  const documents = run.documents.map(({ name }) => documentPath(name));
  const path = fileOf(loaded);
  if (options['json']) {
    printJson(world, {
      format: 'gateline-import/1',
      system,
      written,
      definition: { path, choice: plan.choice, add: plan.add },
      adopted: [...adoption.adopted],
      kept: [...adoption.kept],
      documents,
      history: history.length,
      notMoved: notMoved.map((one) => ({ ...one })),
      notes: [...notes],
    });
    return EXIT_CODES.ok;
  }
  const would = written ? '' : 'would be ';
  if (plan.choice !== 'keep') say(world.out, `${path} ${would}${plan.choice === 'create' ? 'written' : 'changed'}`);
  for (const key of adoption.adopted) say(world.out, `${key}: ${would}adopted`);
  for (const key of adoption.kept) say(world.out, `${key}: adopted before`);
  for (const document of documents) say(world.out, `${document} ${would}written`);
  if (history.length > 0) say(world.out, `${count(history.length, 'run')} ${would}added to the history`);
  sayMissing(world, plan, path);
  for (const note of notes) say(world.err, `note: ${oneLine(note)}`);
  for (const { file, pointer, reason } of notMoved)
    say(world.err, `not moved: ${oneLine(`${file} ${pointer}`.trim())}: ${oneLine(reason)}`);
  return EXIT_CODES.ok;
}
