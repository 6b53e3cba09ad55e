import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { GatelineError, messageOf } from '../errors.ts';
import { adoptOutput, judgeValue } from '../engine/decide.ts';
import type { Decider, Order } from '../engine/ports.ts';
import { runPipeline } from '../engine/run.ts';
import type { ImportedGate, SourceFile } from '../formats/format.ts';
import { unitKey, type Pipeline, type UnitKey } from '../pipeline/pipeline.ts';
import { gateOf } from '../run/units.ts';
import { verdictText } from '../verdict/verdict.ts';
import type { Folder } from './folder.ts';
import { FORMATS } from './system-files.ts';

/** Whose files to import. */
export interface ImportSource {
  readonly system: string;
  /** The folder with the files, as the user names it. Default: the system's own. */
  readonly path?: string;
}

/** What an import took over. */
export interface ImportResult {
  readonly gates: readonly UnitKey[];
  /** What it does not take, one sentence each. */
  readonly notes: readonly string[];
}

/**
 * Takes over the outputs of another system's files, each judged by the contract of its gate: all or none.
 */
export async function importRun(
  folder: Folder,
  order: Order,
  { system, path }: ImportSource,
  by: Decider,
): Promise<ImportResult> {
  const format = FORMATS[system];
  if (format === undefined)
    throw new GatelineError('usage', `there is no system ${system}`, {
      hint: `One of: ${Object.keys(FORMATS).join(', ')}`,
    });
  const source = resolve(folder.options.root, path ?? format.folder);
  const files = (await readFiles(source)).filter((file) => format.isStateFile(file.path));
  if (files.length === 0)
    throw new GatelineError('usage', `${source} has no files of ${system}`, { hint: 'name their folder' });
  const imported = format.read(files, order.isSubjectGiven ? order.subject : undefined);
  const notes = [...imported.notes];
  const outputs = imported.gates.flatMap((gate) => {
    const unit = findUnit(order.pipeline, gate);
    if (unit === undefined) notes.push(`gate ${gate.gate} is in no gate of ${order.pipeline.id}: left out`);
    return unit === undefined || gate.output === undefined ? [] : [{ unit, value: gate.output }];
  });
  const problems: string[] = [];
  for (const { unit, value } of outputs) {
    const verdict = await judgeValue(folder.ports, order, unit, value);
    if (verdict.status === 'failed') problems.push(`${unit}: ${verdictText(verdict)}`);
  }
  if (problems.length > 0)
    throw new GatelineError('failed', `outputs do not meet the contracts of their gates:\n${problems.join('\n')}`, {
      hint: 'Nothing was imported.',
    });
  for (const output of outputs) await adoptOutput(folder.ports, order, output, by);
  const only = new Set(outputs.map(({ unit }) => gateOf(unit)));
  await runPipeline(folder.ports, { ...order, only }, new AbortController().signal);
  return { gates: outputs.map(({ unit }) => unit), notes };
}

function findUnit({ gates }: Pipeline, { gate, leg }: ImportedGate): UnitKey | undefined {
  const match = gates.find(({ id, number }) => (typeof gate === 'number' ? number === gate : id === gate));
  return match && unitKey(match.id, leg);
}

const MAX_FILES = 10_000;
const MAX_FILE_BYTES = 64 * 1024 ** 2;

/** The plain files of a folder, not of those below it. */
async function readFiles(folder: string): Promise<SourceFile[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw new GatelineError('usage', `${folder} cannot be read: ${messageOf(error)}`, { cause: error });
  });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  if (names.length > MAX_FILES) throw new GatelineError('usage', `${folder} has more than ${MAX_FILES} files`);
  const files: SourceFile[] = [];
  for (const name of names) {
    const { size, mtimeMs } = await stat(join(folder, name));
    if (size > MAX_FILE_BYTES) continue;
    files.push({ path: name, bytes: await readFile(join(folder, name)), modified: mtimeMs });
  }
  return files;
}
