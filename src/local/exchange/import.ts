import type { Dirent } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { GatelineError, isSystemError, messageOf } from '../../errors.ts';
import { adoptOutput, judgeValue } from '../../engine/decide/decide.ts';
import type { Decider, Order } from '../../engine/ports.ts';
import { runPipeline } from '../../engine/run.ts';
import type { Format, ImportedGate, ImportedRun, SourceFile } from '../../formats/format.ts';
import { scoredOutput } from '../../formats/state-guide/envelope.ts';
import type { HistoryEntry } from '../../history/history-entry.ts';
import { canonicalJson } from '../../json/canonical-json.ts';
import { didYouMean } from '../../json/did-you-mean.ts';
import type { JsonValue } from '../../json/json.ts';
import { unitKey, type Gate, type Pipeline, type UnitKey } from '../../pipeline/pipeline.ts';
import { documentPath } from '../../run/memory.ts';
import { gateOf } from '../../run/units.ts';
import { listNames } from '../../verdict/texts.ts';
import { verdictText } from '../../verdict/verdict.ts';
import { readPlainFile } from '../../store/files/attempts.ts';
import { isBehindFile } from '../../workspace/paths.ts';
import type { Folder } from '../folder/folder.ts';
import { FORMATS } from './formats.ts';
import { TEMPLATES } from '../project/init.ts';

/** Whose files to import. */
export interface ImportSource {
  readonly system: string;
  /** The folder with the files, or one of them, as the user names it. Default: the system's own. */
  readonly path?: string;
}

/** What an import took over. */
export interface ImportResult {
  readonly gates: readonly UnitKey[];
  /** Runs of the history that were not there. */
  readonly runs: number;
  /** Documents of `.gateline/memory/` that were not there. */
  readonly documents: readonly string[];
  /** What it does not take, one sentence each. */
  readonly notes: readonly string[];
}

/**
 * Takes over the outputs of another system's files, each judged by the contract of its gate: all or none. Its history and
 * documents are added to ours.
 */
export async function importRun(
  folder: Folder,
  order: Order,
  { system, path }: ImportSource,
  by: Decider,
): Promise<ImportResult> {
  const format = formatNamed(system);
  const source = resolve(folder.options.root, path ?? format.folder);
  if (path === undefined && isBehindFile(folder.options.root, `${format.folder}/x`))
    throw new GatelineError('usage', `${format.folder} is no plain folder`, { hint: 'name the folder that is meant' });
  const hint = `\`gateline import ${system} PATH\` reads another folder or file${system === 'nexus' ? ', such as ~/.claude/skills/nexus/history' : ''}`;
  const files = await readFiles(source, format.isStateFile, hint);
  if (files.length === 0) throw new GatelineError('usage', `${source} has no files of ${system}`, { hint });
  const imported = format.read(files, order.isSubjectGiven ? order.subject : undefined);
  const notes = [...imported.notes];
  if (imported.task !== undefined && imported.task !== order.task)
    notes.push(
      `its task is not that of the run: set \`task: ${JSON.stringify(imported.task)}\` in ${order.definitionFile}, then import again`,
    );
  const other = Object.keys(imported.metadata).filter(
    (key) => !isSame(imported.metadata[key] ?? null, order.metadata[key] ?? null),
  );
  if (other.length > 0)
    notes.push(
      `${listNames(other, 10)} of its metadata ${other.length === 1 ? 'is' : 'are'} not that of the run: set \`metadata:\` in ${order.definitionFile}, then import again`,
    );
  const outputs = imported.gates.flatMap((gate) => {
    const { output, validation } = gate;
    if (output === undefined) return [];
    const match = findGate(order.pipeline, gate);
    if (match === undefined) {
      notes.push(`${gate.gate} is no gate of ${order.pipeline.id}: left out`);
      return [];
    }
    const value = validation ? scoredOutput(output, validation, match.contract.score) : output;
    return [{ unit: unitKey(match.id, gate.leg), value }];
  });
  if (outputs.length === 0 && imported.gates.some(({ output }) => output !== undefined))
    throw new GatelineError('usage', `no gate of ${order.pipeline.id} is among ${listNames(idsOf(imported), 10)}`, {
      hint: `name the gates of ${order.definitionFile} so${isTemplate(imported.pipeline) ? `, or begin with \`gateline init --template ${imported.pipeline}\` elsewhere` : ''}`,
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
  // Before the outputs: documents are part of the requests that these answer.
  const documents = await addDocuments(folder, imported.documents, notes);
  for (const output of outputs) await adoptOutput(folder.ports, order, output, by);
  const only = new Set(outputs.map(({ unit }) => gateOf(unit)));
  if (only.size > 0) await runPipeline(folder.ports, { ...order, only }, new AbortController().signal);
  const redacted = order.redactor.json(imported.history as unknown as JsonValue).value as unknown as HistoryEntry[];
  return {
    gates: outputs.map(({ unit }) => unit),
    runs: await folder.addHistory(redacted),
    documents,
    notes,
  };
}

/** @throws GatelineError `usage` naming the systems */
export function formatNamed(system: string): Format {
  if (Object.hasOwn(FORMATS, system)) return FORMATS[system]!;
  const names = Object.keys(FORMATS);
  throw new GatelineError('usage', `there is no system ${system}`, {
    hint: didYouMean(system, names) ?? `One of: ${names.join(', ')}`,
  });
}

function isTemplate(name: string | undefined): boolean {
  return TEMPLATES.some((template) => template === name);
}

function idsOf({ gates }: ImportedRun): string[] {
  return gates.map(({ gate }) => String(gate));
}

function isSame(a: JsonValue, b: JsonValue): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

function findGate({ gates }: Pipeline, { gate }: ImportedGate): Gate | undefined {
  return gates.find(({ id, number }) => (typeof gate === 'number' ? number === gate : id === gate));
}

/**
 * Writes documents that are not there yet, or have only the heading of a template: what people and promoted learnings
 * made of others stays.
 */
async function addDocuments(
  { documents }: Folder,
  imported: Readonly<Record<string, string>>,
  notes: string[],
): Promise<string[]> {
  const added: string[] = [];
  for (const [name, text] of Object.entries(imported)) {
    const path = documentPath(name);
    const current = new TextDecoder().decode(await documents.read(name));
    if (current === text) continue;
    if (!/^(?:# .*)?\s*$/.test(current)) notes.push(`${path} is there already: left as it is`);
    else {
      await documents.write(name, text);
      added.push(path);
    }
  }
  return added;
}

const MAX_FILES = 10_000;
const MAX_FILE_BYTES = 64 * 1024 ** 2;

/**
 * The files of a folder that belong to a system, or one of them.
 * @throws GatelineError `usage` if one of them is no plain file
 */
async function readFiles(source: string, isStateFile: (path: string) => boolean, hint: string): Promise<SourceFile[]> {
  const isFile = (await stat(source).catch(() => undefined))?.isDirectory() === false;
  if (isFile) {
    const parts = source.split(sep);
    const name = [1, 2, 3].map((count) => parts.slice(-count).join('/')).find(isStateFile);
    return name === undefined ? [] : [await readSourceFile(source, name)];
  }
  const folder = source;
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch((error: unknown) => {
    const reason = isSystemError(error, 'ENOENT') ? 'does not exist' : `cannot be read: ${messageOf(error)}`;
    throw new GatelineError('usage', `${folder} ${reason}`, { hint, cause: error });
  });
  const nameOf = (entry: Dirent) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/');
  // A link may take the place of a folder of the system, too.
  const isMeant = (entry: Dirent) =>
    isStateFile(nameOf(entry)) || (entry.isSymbolicLink() && isStateFile(`${nameOf(entry)}/x.json`));
  const names = entries.filter(isMeant).map(nameOf);
  if (names.length > MAX_FILES) throw new GatelineError('usage', `${folder} has more than ${MAX_FILES} files`);
  const files: SourceFile[] = [];
  for (const name of names.toSorted()) files.push(await readSourceFile(join(folder, name), name));
  return files;
}

async function readSourceFile(path: string, name: string): Promise<SourceFile> {
  const file = await readPlainFile(path, MAX_FILE_BYTES);
  const hint = 'Nothing was imported. Leave the file out.';
  if (file.state === 'too-large') throw new GatelineError('usage', `${path} has more than 64 MiB`, { hint });
  if (file.state !== 'present')
    throw new GatelineError('usage', file.state === 'refused' ? file.reason : `${path} is gone`, { hint });
  return { path: name, bytes: file.bytes, modified: (await lstat(path)).mtimeMs };
}
