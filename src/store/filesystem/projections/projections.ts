import { join } from 'node:path';
import type { JsonObject, JsonValue } from '../../../json/json.ts';
import { messageOf } from '../../../errors/gateline-error.ts';
import type { UnitKey } from '../../../pipeline/pipeline.ts';
import { hexOf, type Digest } from '../../../json/digest.ts';
import type { Content } from '../../../run/records/record.ts';
import type { RunState, UnitState } from '../../../run/state/run-state.ts';
import { parseStoredJson } from '../../parse-record.ts';
import type { Read } from '../../record-store.ts';
import { compareJson, compareMarkdown, type ProjectionDifference } from './compare.ts';
import { ProjectionFile, type ProjectionNotice } from './projection-file.ts';
import { readSealedJson, readSealedMarkdown, sealJson, sealMarkdown, type ProjectionOwner } from './projection-seal.ts';
import { StateFolder, type StateFolderOptions } from '../state-folder.ts';

export type { ProjectionDifference, ProjectionNotice };

/**
 * An output as written to a gate's file: its value, or its path (relative to the state folder), or why it cannot be
 * shown.
 */
export interface ProjectionOutput {
  readonly value?: JsonValue;
  readonly file?: string;
  readonly problem?: string;
}

/** Names and contents of the files for people, made by pure code; for example `stateDocuments` of the formats. */
export interface ProjectionDocuments {
  /** The file of the whole run. Its `gateline` key names pipeline, subject and run. */
  pipeline(state: RunState): { readonly name: string; readonly value: JsonObject };
  /** The files of one unit; `undefined` for a unit that is not in the pipeline. No content: the file must not exist. */
  gate(
    state: RunState,
    key: UnitKey,
    output: ProjectionOutput,
  ):
    | {
        readonly output: { readonly name: string; readonly value: JsonObject | undefined };
        readonly checkpoint: { readonly name: string; readonly text: string | undefined };
      }
    | undefined;
}

/** Options of {@link createProjections}. */
export interface ProjectionsOptions extends StateFolderOptions {
  readonly documents: ProjectionDocuments;
  /** Content by digest, verified; the store's `get`. */
  readonly readContent: (digest: Digest) => Promise<Read<Uint8Array>>;
  /** Larger outputs are referenced instead of copied. Bytes; default 8 MiB. */
  readonly maxInlineOutput?: number;
  /** The store is not in this folder: larger outputs are left out. Default false. */
  readonly isCopy?: boolean;
}

/** Keeps the state guide's files up to date with the state of a run. */
export interface Projections {
  /**
   * Make the files of these units and of the pipeline show this state. A file that already does is not written. One of
   * ours that is out of date is replaced, or removed if its unit has no result (yet). Anything else in its place is
   * moved to `quarantine/` first. Calls are processed one after the other.
   *
   * @returns notices for people. Never rejects: the records are the source of truth, and no gate fails because of a
   *   file that only shows them.
   */
  update(state: RunState, changed: Iterable<UnitKey>): Promise<ProjectionNotice[]>;
  /** Makes only the files of a unit show this state. Otherwise as {@link update}. */
  showUnit(state: RunState, key: UnitKey): Promise<ProjectionNotice[]>;
  /** Removes a file by its name; one that is not ours is moved to `quarantine/`. @throws GatelineError */
  clear(state: RunState, name: string): Promise<ProjectionNotice[]>;
  /** Which files do not show this state. Changes nothing. */
  compare(state: RunState): Promise<ProjectionDifference[]>;
}

const MAX_INLINE_OUTPUT = 8 * 1_024 * 1_024;
/** The state guide reads so many lines of a gate's file. */
const MAX_LINES = 10_000;

/**
 * The state guide's files as projections of run states, directly in the folder `root`; see
 * docs/reference/state-files.md.
 * @throws GatelineError as `openFilesystemStore` does
 */
export async function createProjections(options: ProjectionsOptions): Promise<Projections> {
  const folder = await StateFolder.open(options);
  const written = new Map<string, string>();
  let last: Promise<unknown> = Promise.resolve();
  return {
    update(state, changed) {
      const keys = [...changed];
      const mine = last.then(() => project(folder, options, state, keys, written));
      last = mine;
      return mine;
    },
    showUnit: (state, key) => noticing(key, () => showUnit(folder, options, state, key)),
    clear: (state, name) => new ProjectionFile(folder, name, ownerOf(state), readSealedJson).clear(),
    compare: (state) => compareAll(folder, options, state),
  };
}

async function project(
  folder: StateFolder,
  options: ProjectionsOptions,
  state: RunState,
  keys: readonly UnitKey[],
  written: Map<string, string>,
): Promise<ProjectionNotice[]> {
  const owner = ownerOf(state);
  const notices: ProjectionNotice[] = [];
  for (const key of keys) notices.push(...(await noticing(key, () => showUnit(folder, options, state, key))));
  // Last, so that it never names a gate as completed whose file does not exist yet.
  const last = await noticing('the state file of the pipeline', async () => {
    const { name, value } = options.documents.pipeline(state);
    const [key, text] = [JSON.stringify([name, owner]), sealJson(value)];
    const shown = await new ProjectionFile(folder, name, owner, readSealedJson, written.get(key)).show(text);
    written.set(key, text);
    return shown;
  });
  return [...notices, ...last];
}

function ownerOf({ pipeline, subject, runNumber: run }: RunState): ProjectionOwner {
  return { pipeline, subject, run };
}

async function showUnit(
  folder: StateFolder,
  options: ProjectionsOptions,
  state: RunState,
  key: UnitKey,
): Promise<ProjectionNotice[]> {
  const owner = ownerOf(state);
  const documents = await documentsOf(options, state, key);
  if (documents === undefined) return [];
  const { output, checkpoint } = documents;
  const json = output.value && sealJson(output.value);
  const text = checkpoint.text === undefined ? undefined : sealMarkdown(checkpoint.text, owner);
  const show = (name: string, readSeal: typeof readSealedJson, content: string | undefined) =>
    noticing(name, () => new ProjectionFile(folder, name, owner, readSeal).show(content));
  const shown = await show(output.name, readSealedJson, json);
  return [...shown, ...tooLong(folder, output.name, json), ...(await show(checkpoint.name, readSealedMarkdown, text))];
}

function tooLong(folder: StateFolder, name: string, text: string | undefined): ProjectionNotice[] {
  const lines = text === undefined ? 0 : text.split('\n').length - 1;
  if (lines <= MAX_LINES) return [];
  const file = folder.show(join(folder.root, name));
  const message = `${file} has ${lines} lines; agents of the state guide read the first ${MAX_LINES}.`;
  return [{ code: 'PROJECTION_TOO_LONG', file, message }];
}

async function compareAll(
  folder: StateFolder,
  options: ProjectionsOptions,
  state: RunState,
): Promise<ProjectionDifference[]> {
  const owner = ownerOf(state);
  const { name, value } = options.documents.pipeline(state);
  const found = [await compareJson(folder, owner, name, value)];
  for (const key of state.units.keys()) {
    const documents = await documentsOf(options, state, key);
    if (documents === undefined) continue;
    const { output, checkpoint } = documents;
    found.push(await compareJson(folder, owner, output.name, output.value));
    found.push(await compareMarkdown(folder, owner, checkpoint.name, checkpoint.text !== undefined));
  }
  return found.filter((difference) => difference !== undefined);
}

/** The notices of some work, or that it failed. */
async function noticing(file: string, work: () => Promise<ProjectionNotice[]>): Promise<ProjectionNotice[]> {
  try {
    return await work();
  } catch (error) {
    return [{ code: 'PROJECTION_FAILED', file, message: `The file is not up to date: ${messageOf(error)}` }];
  }
}

async function documentsOf(
  options: ProjectionsOptions,
  state: RunState,
  key: UnitKey,
): Promise<ReturnType<ProjectionDocuments['gate']>> {
  const unit = state.units.get(key);
  return unit === undefined ? undefined : options.documents.gate(state, key, await shownOutput(options, unit));
}

async function shownOutput(
  { readContent, maxInlineOutput = MAX_INLINE_OUTPUT, isCopy = false }: ProjectionsOptions,
  unit: UnitState,
): Promise<ProjectionOutput> {
  const content = outputOf(unit);
  if (content === undefined) return {};
  if (content.bytes > maxInlineOutput && isCopy)
    return { problem: `the output has ${content.bytes} bytes, too many for this file` };
  if (content.bytes > maxInlineOutput) return { file: contentFile(content.digest) };
  const read = await readContent(content.digest);
  if (read.state === 'absent') return { problem: 'the output is missing from the store' };
  if (read.state === 'unknown') return { problem: `the output could not be read: ${read.problem.message}` };
  const json = parseStoredJson(read.value);
  if ('fault' in json) return { problem: `the output could not be read: ${json.fault.message}` };
  return { value: json.value as JsonValue };
}

/**
 * The whole output; for a skipped gate, the one supplied with the skip. A lost attempt has none, whatever an earlier
 * attempt had.
 */
function outputOf(unit: UnitState): Content | undefined {
  if (unit.status === 'lost') return undefined;
  return unit.status === 'skipped' ? unit.decided?.exports : unit.ended?.value;
}

/** Path of content in the store, relative to its folder. */
function contentFile(digest: Digest): string {
  const hex = hexOf(digest);
  return join('content', 'sha256', hex.slice(0, 2), hex.slice(2)).replaceAll('\\', '/');
}
