import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { GatelineError, isSystemError, messageOf } from '../../errors.ts';
import { parseJson } from '../../json/parse-json.ts';
import type { JsonValue } from '../../json/json.ts';
import { parsePipeline } from '../../pipeline/parse-pipeline.ts';
import { DEFINITION_FILES, type Gate, type Pipeline } from '../../pipeline/pipeline.ts';
import { problemText, type Problem } from '../../pipeline/problem.ts';
import type { Contract } from '../../verdict/contract.ts';
import { compileContract } from '../../verdict/judge.ts';

/** A definition, with the contracts of its gates and the schema files that these name. */
export interface Definition {
  /** Absolute path of the folder that gates work in: the one with the definition. */
  readonly root: string;
  /** Relative to `root`, `/`-separated. */
  readonly file: string;
  /** The path by which the caller named it; absent: it is found without a name. */
  readonly named?: string;
  readonly text: string;
  readonly pipeline: Pipeline;
  readonly contracts: ReadonlyMap<string, Contract>;
  readonly warnings: readonly Problem[];
}

type ReadFile = (path: string) => Promise<Uint8Array>;

/** A definition has errors, each a line of the message. */
export class DefinitionError extends GatelineError {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super('usage', problems.map(problemText).join('\n'), { place: problems[0]?.place });
    this.problems = problems;
  }
}

/**
 * Reads a definition: `named`, relative to the folder, else the first of {@link DEFINITION_FILES} in the folder or the
 * nearest one above it.
 * @throws DefinitionError with every problem
 */
export async function loadDefinition(folder: string, named?: string): Promise<Definition> {
  const path = named === undefined ? requireDefinition(resolve(folder)) : resolve(folder, named);
  const root = rootOf(path);
  const file = relative(root, path).split(sep).join('/');
  const text = await readText(path, file);
  const definition = await parseDefinition({ root, file, text }, (name) => readFile(join(root, name)));
  return path === findDefinition(resolve(folder)) ? definition : { ...definition, named };
}

/**
 * Parses a definition.
 * @param readNamed reads a file that it names; rejects with ENOENT if there is none
 * @throws DefinitionError with every problem
 */
export async function parseDefinition(
  { root, file, text }: Pick<Definition, 'root' | 'file' | 'text'>,
  readNamed: ReadFile,
): Promise<Definition> {
  const parsed = parsePipeline(text, file);
  if (!parsed.ok) throw new DefinitionError(parsed.problems);
  const { pipeline, warnings } = parsed;
  // Gates may share a schema.
  const files = new Map<string, Promise<Uint8Array>>();
  const readOnce: ReadFile = (path) => {
    const bytes = files.get(path) ?? readNamed(path);
    files.set(path, bytes);
    return bytes;
  };
  const reads = pipeline.gates.map(async (gate) => {
    const contract = await contractOf(readOnce, gate, pipeline).catch(problemsIn);
    return [gate.id, contract] as const;
  });
  const results = await Promise.all(reads);
  const problems = results.flatMap(([, result]) => ('format' in result ? [] : result));
  const contracts = new Map(results.flatMap(([id, result]) => ('format' in result ? [[id, result]] : [])));
  const definition = { root, file, text, pipeline, warnings, contracts };
  if (problems.length > 0) throw new DefinitionError([...problems, ...(await findContractProblems(definition))]);
  return definition;
}

function problemsIn(error: unknown): readonly Problem[] {
  if (error instanceof DefinitionError) return error.problems;
  throw error;
}

/** The definition in a folder or the nearest one above it; undefined: there is none. @param folder absolute */
export function findDefinition(folder: string): string | undefined {
  for (let place = folder; ; place = dirname(place)) {
    const path = DEFINITION_FILES.map((name) => join(place, name)).find(existsSync);
    if (path !== undefined || dirname(place) === place) return path;
  }
}

function requireDefinition(folder: string): string {
  const path = findDefinition(folder);
  if (path !== undefined) return path;
  throw new GatelineError('usage', `there is no gateline.yml in ${folder} or above it`, {
    hint: '`gateline init` writes one; `--file` names another',
  });
}

/** The folder that gates of a definition work in. */
export function rootOf(path: string): string {
  const folder = dirname(path);
  return basename(folder) === '.github' ? dirname(folder) : folder;
}

async function readText(path: string, file: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const message = isSystemError(error, 'ENOENT')
      ? `${file} does not exist`
      : `${file} cannot be read: ${messageOf(error)}`;
    throw new GatelineError('usage', message, { cause: error });
  }
}

/** The contract of a gate, with its schema file read. */
async function contractOf(readNamed: ReadFile, gate: Gate, { gates }: Pipeline): Promise<Contract> {
  const { schema, score, threshold, partial, checks, result, message, redact } = gate.contract;
  const lists = gates.flatMap(({ matrix }) =>
    matrix && 'from' in matrix && matrix.from.gate === gate.id ? [matrix.from.pointer] : [],
  );
  return {
    format: 'gateline-contract/1',
    ...(schema !== undefined && {
      schema: 'path' in schema ? await readSchema(readNamed, schema.path, gate) : schema.inline,
    }),
    ...(score !== undefined && { score }),
    threshold,
    partial,
    checks: [...checks],
    exports: [...gate.exports],
    ...(lists.length > 0 && { lists }),
    ...(result && { result: { pointer: result.pointer, pass: [...result.pass] } }),
    ...(message !== undefined && { message }),
    redact: [...redact],
    ...(gate.extract && { extract: gate.extract }),
  };
}

async function readSchema(readNamed: ReadFile, file: string, { id, schemaPlace: place }: Gate): Promise<JsonValue> {
  const path = ['gates', id, 'output', 'schema'];
  const bytes = await readNamed(file).catch((error: unknown) => {
    const message = isSystemError(error, 'ENOENT') ? 'does not exist' : `cannot be read: ${messageOf(error)}`;
    throw new DefinitionError([{ path, message: `${file} ${message}`, level: 'error', place }]);
  });
  const parsed = parseJson(bytes);
  if (parsed.ok) return parsed.value;
  const { message, advice: hint } = parsed;
  throw new DefinitionError([{ path, message, hint, level: 'error', place: { file } }]);
}

/** Compiles every contract. @throws DefinitionError with every problem */
export async function checkContracts(definition: Definition): Promise<void> {
  const problems = await findContractProblems(definition);
  if (problems.length > 0) throw new DefinitionError(problems);
}

async function findContractProblems({ pipeline, contracts }: Definition): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const { id, contract, place } of pipeline.gates.filter((gate) => contracts.has(gate.id))) {
    const file = contract.schema && 'path' in contract.schema ? contract.schema.path : undefined;
    await compileContract(contracts.get(id)!).catch((error: unknown) => {
      if (!(error instanceof GatelineError)) throw error;
      const { message, hint } = error;
      problems.push({ path: ['gates', id, 'output'], message, hint, level: 'error', place: file ? { file } : place });
    });
  }
  return problems;
}
