import { join } from 'node:path';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { FormatReading, ImportedRun, NotMoved } from '../../formats/exchange.ts';
import type { JsonObject } from '../../json/json.ts';
import { pointerSegments } from '../../json/pointer.ts';
import {
  editedDefinition,
  gateId,
  hasGates,
  keysToAdd,
  newDefinition,
  overruled,
} from '../../local/exchange/definition.ts';
import { ImportRefusedError } from '../../local/exchange/import-refused.ts';
import { fileOf, findPipelineFile, onThisMachine, type LoadedPipeline } from '../../local/load-pipeline.ts';
import { PipelineInvalidError } from '../../local/pipeline-invalid.ts';
import { parsePipeline } from '../../pipeline/parse-pipeline.ts';
import { DEFAULT_FILES } from '../../pipeline/pipeline.ts';
import { subjectOfMetadata } from '../../run/records/subject.ts';
import { readSource } from '../../pipeline/yaml/read-source.ts';
import { readText } from '../../workspace/files/read-text.ts';
import { textOption, type CommandInvocation, type OptionValues } from '../command.ts';
import { withAskedMemory } from '../project/open.ts';

/** The definition that there is, or where a new one goes. */
export interface FoundDefinition extends Pick<LoadedPipeline, 'path' | 'root' | 'isDefault'> {
  /** `undefined`: there is none yet. */
  readonly text: string | undefined;
}

/** The definition of an import, or the place of a new one. @throws GatelineError `PIPELINE_MISSING` for `--file` */
export async function definitionFor({ world, options }: CommandInvocation): Promise<FoundDefinition> {
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

/** The subject that somebody named, or that the definition has; `undefined`: none, or it is not valid. */
export function subjectIn({ text, ...found }: FoundDefinition, options: OptionValues): string | undefined {
  const named = textOption(options, 'subject');
  const parsed = named === undefined && text !== undefined ? parsePipeline(text, fileOf(found)) : undefined;
  if (parsed?.ok !== true) return named;
  return parsed.pipeline.subject ?? subjectOfMetadata(parsed.pipeline.metadata);
}

/** What happens to the definition. */
export interface DefinitionPlan {
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

/** What an import does to the definition. @throws PipelineInvalidError if the one that is there is not valid */
export function planned(
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
  const task = textOption(options, 'task');
  const used = { ...written, ...(task !== undefined && { task }) };
  const plan = { isThere: true, add: keys, overruled: overruled(run, used, system) };
  if (Object.keys(keys).length === 0 || options['write'] !== true) return { choice: 'keep', text: undefined, ...plan };
  return { choice: 'edit', text: editedDefinition(text, keys), ...plan };
}

/** @throws PipelineInvalidError, ImportRefusedError if it is not valid with what the files say */
export function loadedWith(
  found: FoundDefinition,
  text: string | undefined,
  run: ImportedRun,
  options: OptionValues,
): LoadedPipeline {
  const parsed = parsePipeline(text ?? found.text ?? NO_GATES, fileOf(found));
  if (parsed.ok) {
    const pipeline = withAskedMemory(onThisMachine(parsed.pipeline), options);
    return { ...found, pipeline, warnings: parsed.warnings };
  }
  if (text === undefined) throw new PipelineInvalidError(parsed.problems);
  const errors = parsed.problems.filter(({ severity }) => severity === 'error');
  const isOwn = (key: string | undefined): boolean => key !== 'gates' && !Object.hasOwn(run.keys, key ?? '');
  const own = found.text === undefined ? [] : errors.filter(({ place }) => isOwn(pointerSegments(place.pointer)[0]));
  if (own.length > 0) throw new PipelineInvalidError(own);
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
