import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Adoption } from '../../engine/adoption/adopt-outputs.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { FileFormat, FormatReading, ImportedRun, NotMoved } from '../../formats/exchange.ts';
import { formatNamed } from '../../formats/formats.ts';
import type { HistoryEntry } from '../../history/entry.ts';
import type { JsonObject } from '../../json/json.ts';
import {
  editedDefinition,
  gateId,
  hasGates,
  keysText,
  keysToAdd,
  newDefinition,
  overruled,
} from '../../local/exchange/definition.ts';
import { ignoreEarlier } from '../../local/exchange/write-files.ts';
import { ImportRefusedError } from '../../local/exchange/import-refused.ts';
import { addEntries, adoptImported, hasOutputs, newEntries, refuseUnusable } from '../../local/exchange/import-run.ts';
import { readSources } from '../../local/exchange/read-sources.ts';
import { fileOf, findPipelineFile, onThisMachine, type LoadedPipeline } from '../../local/load-pipeline.ts';
import { historyIn, lockWorkspace, STATE_FOLDER } from '../../local/local-ports.ts';
import { writeDocument } from '../../local/memory/documents.ts';
import { PipelineInvalidError } from '../../local/pipeline-invalid.ts';
import { pointerSegments } from '../../json/pointer.ts';
import { documentPath } from '../../memory/documents.ts';
import { parsePipeline } from '../../pipeline/parse-pipeline.ts';
import { DEFAULT_FILES } from '../../pipeline/pipeline.ts';
import { readSource } from '../../pipeline/yaml/read-source.ts';
import { count, oneLine } from '../../report/text.ts';
import { atomicWrite } from '../../store/filesystem/atomic-write.ts';
import { readText } from '../../workspace/files/read-text.ts';
import { textOption, type CommandInvocation, type OptionValues } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { printJson } from '../output/print-json.ts';
import { say } from '../output/say.ts';
import { decisionMadeBy, reasonGiven, type DecisionMade } from '../project/decision.ts';
import { open, projectOnce } from '../project/open.ts';
import type { CliWorld } from '../world.ts';

/** `gateline import FORMAT`: takes over what another system's files say, all of it or nothing. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options, positionals } = invocation;
  const [system, ...named] = positionals as [string, ...string[]];
  const format = formatNamed(system);
  const found = await definitionFor(invocation);
  const reading = await readAll(invocation, format, found, named);
  const plan = planned(system, reading, found, options);
  const loaded = loadedWith(found, plan.text, reading.run);
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

/** The definition that there is, or where a new one goes. */
interface FoundDefinition extends Pick<LoadedPipeline, 'path' | 'root' | 'isDefault'> {
  /** `undefined`: there is none yet. */
  readonly text: string | undefined;
}

async function definitionFor({ world, options }: CommandInvocation): Promise<FoundDefinition> {
  const given = textOption(options, 'file');
  try {
    const file = await findPipelineFile(world.workingDirectory, given);
    return { ...file, text: (await readText(file.root, fileOf(file))) ?? '' };
  } catch (error) {
    if (!(error instanceof GatelineError) || error.code !== 'PIPELINE_MISSING' || given !== undefined) throw error;
    const root = world.workingDirectory;
    return { path: join(root, DEFAULT_FILES[0]), root, isDefault: true, text: undefined };
  }
}

/** @throws ImportRefusedError naming every problem of every file */
async function readAll(
  { world, options }: CommandInvocation,
  format: FileFormat,
  { root, text: definition }: FoundDefinition,
  named: readonly string[],
): Promise<FormatReading> {
  const from = textOption(options, 'from');
  const here = world.workingDirectory;
  const folder = from === undefined ? (named.length > 0 ? here : join(root, format.folder)) : resolve(here, from);
  const { files, problems, left } = await readSources(folder, format, named);
  if (problems.length > 0) throw new ImportRefusedError(problems);
  if (files.length === 0)
    throw new GatelineError('IMPORT_REFUSED', `${folder} has no file of this format`, {
      hint: 'Name the files, or the folder that they are in: `--from DIR`.',
    });
  const read = format.read(files);
  const reading = { ...read, notMoved: [...read.notMoved, ...left] };
  await refuseUnusable(root, reading, { isNew: definition === undefined });
  return reading;
}

/** What happens to the definition. */
interface DefinitionPlan {
  readonly choice: 'create' | 'edit' | 'keep';
  /** `false`: there is none before the import. */
  readonly isThere: boolean;
  /** The new text; `undefined`: it stays as it is. */
  readonly text: string | undefined;
  /** Keys that it lacks. */
  readonly add: JsonObject;
  /** What the files say and it does not. */
  readonly overruled: readonly NotMoved[];
}

function planned(
  system: string,
  { run }: FormatReading,
  found: FoundDefinition,
  options: OptionValues,
): DefinitionPlan {
  const { text } = found;
  if (text === undefined) {
    // Without a gate there is no pipeline: the files only have documents, a history, or keys for a later definition.
    if (run.gates.length === 0)
      return { choice: 'keep', isThere: false, text: undefined, add: run.keys, overruled: [] };
    return {
      choice: 'create',
      isThere: false,
      text: newDefinition(run, system, fileOf(found), textOption(options, 'subject')),
      add: {},
      overruled: [],
    };
  }
  const parsed = parsePipeline(text, fileOf(found));
  const { value, problems } = readSource(text, fileOf(found));
  const isUnreadable = problems.some(({ severity }) => severity === 'error');
  // One without gates is not valid either, and gets some. In any other, it is not known which gates there are.
  if (!parsed.ok && (isUnreadable || hasGates(value))) throw new PipelineInvalidError(parsed.problems);
  const written = (value ?? {}) as JsonObject;
  const keys = keysToAdd(run, { path: fileOf(found), written, ...(parsed.ok && { pipeline: parsed.pipeline }) });
  const plan = { isThere: true, add: keys, overruled: overruled(run, written, system) };
  if (Object.keys(keys).length === 0 || options['write'] !== true) return { choice: 'keep', text: undefined, ...plan };
  return { choice: 'edit', text: editedDefinition(text, keys), ...plan };
}

/** @throws PipelineInvalidError, ImportRefusedError if it is not valid with what the files say */
function loadedWith(found: FoundDefinition, text: string | undefined, run: ImportedRun): LoadedPipeline {
  const parsed = parsePipeline(text ?? found.text ?? NO_GATES, fileOf(found));
  if (parsed.ok) return { ...found, pipeline: onThisMachine(parsed.pipeline), warnings: parsed.warnings };
  if (text === undefined) throw new PipelineInvalidError(parsed.problems);
  const errors = parsed.problems.filter(({ severity }) => severity === 'error');
  throw new ImportRefusedError(
    errors.map(({ place, message }) => {
      const [key, id] = pointerSegments(place.pointer);
      const gate = key === 'gates' ? run.gates.find((one) => gateId(one) === id) : undefined;
      const file = run.file ?? run.gates[0]?.place.file ?? '';
      return { ...(gate?.place ?? { file, pointer: '' }), message: `the definition would not be valid: ${message}` };
    }),
  );
}

/** Stands for a definition that is not written, where only documents and a history are imported. */
const NO_GATES = 'gates: {none: {inputs: []}}';

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
