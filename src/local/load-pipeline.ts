import { stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { GatelineError, isSystemError, messageOf } from '../errors/gateline-error.ts';
import { parsePipeline } from '../pipeline/parse-pipeline.ts';
import { type Problem } from '../pipeline/problem.ts';
import { DEFAULT_FILES, type Pipeline } from '../pipeline/pipeline.ts';
import { readNamed } from '../workspace/files/read-named.ts';
import { readText } from '../workspace/files/read-text.ts';
import { PipelineInvalidError } from './pipeline-invalid.ts';

/** A definition with more bytes is not read at all; with fewer, its problems are those of the parser. */
const LARGEST = 16 * 1_024 ** 2;

/** Path of a definition, relative to its workspace, with `/` between folders. */
export function fileOf({ path, root }: Pick<PipelineFile, 'path' | 'root'>): string {
  return relative(root, path).replaceAll(sep, '/');
}

/** A definition file and the folder that it is for. */
export interface PipelineFile {
  /** Absolute. */
  readonly path: string;
  /** Absolute: the workspace. */
  readonly root: string;
  /** It has a default name; the state of any other file is in a folder of its own. */
  readonly isDefault: boolean;
}

/** A pipeline with its source. */
export interface LoadedPipeline extends PipelineFile {
  readonly pipeline: Pipeline;
  readonly warnings: readonly Problem[];
}

/**
 * Finds the definition: the given file, otherwise one of {@link DEFAULT_FILES} here or in the nearest parent folder.
 * @throws GatelineError `PIPELINE_MISSING`
 */
export async function findPipelineFile(workingDirectory: string, given: string | undefined): Promise<PipelineFile> {
  if (given !== undefined) {
    const path = resolve(workingDirectory, given);
    if (!(await isFile(path))) throw missing(`the file ${given} does not exist`);
    const folder = folderOfDefault(path);
    return { path, root: folder ?? resolve(workingDirectory), isDefault: folder !== undefined };
  }
  for (let folder = resolve(workingDirectory); ; folder = dirname(folder)) {
    for (const name of DEFAULT_FILES) {
      const path = join(folder, name);
      if (await isFile(path)) return { path, root: folder, isDefault: true };
    }
    if (folder === dirname(folder)) throw missing('there is no gateline.yml here or above');
  }
}

/** @throws PipelineInvalidError, GatelineError `PIPELINE_MISSING`, `PIPELINE_UNREADABLE` */
export async function loadPipeline(workingDirectory: string, given: string | undefined): Promise<LoadedPipeline> {
  const file = await findPipelineFile(workingDirectory, given);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await readNamed(file.path, LARGEST));
  } catch (cause) {
    throw new GatelineError('PIPELINE_UNREADABLE', `${file.path} cannot be read: ${messageOf(cause)}`, {
      cause,
    });
  }
  const parsed = parsePipeline(text, relative(workingDirectory, file.path) || file.path);
  if (!parsed.ok) {
    const { contractErrors, createContracts } = await import('../engine/call/contracts.ts');
    const contracts = createContracts({ readText: (path) => readText(file.root, path) });
    const errors = await contractErrors(contracts, parsed.contracts);
    throw new PipelineInvalidError(parsed.problems, errors, parsed.subjectReads);
  }
  return { ...file, pipeline: onThisMachine(parsed.pipeline), warnings: parsed.warnings };
}

/** A gate whose agent is an action of GitHub has a command of its own here, if the file names one. */
export function onThisMachine(pipeline: Pipeline): Pipeline {
  const gates = pipeline.gates.map((gate) => (gate.local === undefined ? gate : { ...gate, run: gate.local }));
  return { ...pipeline, gates };
}

/** A pipeline whose gates also get the documents that a call asks for. */
export function withMemory(pipeline: Pipeline, asked: readonly string[]): Pipeline {
  const gates = pipeline.gates.map((gate) => {
    const more = (gate.memoryIfAsked ?? []).filter((name) => asked.includes(name));
    return more.length === 0 ? gate : { ...gate, memory: [...gate.memory, ...more] };
  });
  return { ...pipeline, gates };
}

/** The workspace of a file with a default name: naming the file must give the same result as finding it. */
function folderOfDefault(path: string): string | undefined {
  const name = DEFAULT_FILES.toReversed().find((one) => path.endsWith(join(sep, one)));
  return name === undefined ? undefined : resolve(path, ...name.split('/').map(() => '..'));
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (isSystemError(error, 'ENOENT') || isSystemError(error, 'ENOTDIR')) return false;
    throw new GatelineError('PIPELINE_UNREADABLE', `${path} cannot be looked at: ${messageOf(error)}`, {
      fault: 'platform',
      cause: error,
    });
  }
}

function missing(why: string): GatelineError {
  return new GatelineError('PIPELINE_MISSING', why, {
    hint: '`gateline init` creates one; `--file` names another one.',
  });
}
