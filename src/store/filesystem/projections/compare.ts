import { join } from 'node:path';
import { digestOfJson } from '../../../json/canonical-json.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../json/json.ts';
import { parseStoredJson } from '../../parse-record.ts';
import { readWhole } from '../read-file.ts';
import type { StateFolder } from '../state-folder.ts';
import { MAX_BYTES } from './projection-file.ts';
import { readSealedJson, readSealedMarkdown, type ProjectionOwner, type Sealed } from './projection-seal.ts';

/** A file that does not show the state. */
export interface ProjectionDifference {
  /** Relative to the workspace. */
  readonly file: string;
  /** `outdated`: missing, or ours of an earlier moment, as after a kill. `changed`: not as we wrote it. */
  readonly state: 'outdated' | 'changed';
  /** The problem, as the part of a sentence after the name of the file. */
  readonly message: string;
}

type FileDifference = Omit<ProjectionDifference, 'file'>;

/**
 * Compares what Gateline says in a file, under `gateline`: the guide's keys depend on metadata, which the caller of the
 * run may have overridden.
 * @param value `undefined`: there must be no file of ours
 */
export function compareJson(
  folder: StateFolder,
  owner: ProjectionOwner,
  name: string,
  value: JsonObject | undefined,
): Promise<ProjectionDifference | undefined> {
  return compare(folder, name, value !== undefined, (bytes) => {
    const difference = differenceOf(readSealedJson(bytes), owner, value !== undefined);
    if (difference !== undefined || value === undefined || isOfOther(readSealedJson(bytes), owner)) return difference;
    const json = parseStoredJson(bytes);
    const shown = 'value' in json ? (json.value as JsonValue) : {};
    return sayOf(isJsonObject(shown) ? shown : {}) === sayOf(value) ? undefined : OUTDATED;
  });
}

/** As {@link compareJson}, by the owner and the seal only: the text depends on more than the state. */
export function compareMarkdown(
  folder: StateFolder,
  owner: ProjectionOwner,
  name: string,
  isWanted: boolean,
): Promise<ProjectionDifference | undefined> {
  return compare(folder, name, isWanted, (bytes) => differenceOf(readSealedMarkdown(bytes), owner, isWanted));
}

const OUTDATED: FileDifference = { state: 'outdated', message: 'is not up to date' };

async function compare(
  folder: StateFolder,
  name: string,
  isWanted: boolean,
  judge: (bytes: Uint8Array) => FileDifference | undefined,
): Promise<ProjectionDifference | undefined> {
  const path = join(folder.root, name);
  const file = folder.show(path);
  const read = await readWhole(path, MAX_BYTES);
  if (read.state === 'absent') return isWanted ? { file, state: 'outdated', message: 'is missing' } : undefined;
  if (read.state === 'unreadable') return { file, state: 'changed', message: `cannot be read: ${read.message}` };
  const difference = judge(read.bytes);
  return difference && { file, ...difference };
}

function differenceOf(sealed: Sealed, owner: ProjectionOwner, isWanted: boolean): FileDifference | undefined {
  // What another tool left for a gate without a result is input.
  if (sealed.state === 'foreign')
    return isWanted ? { state: 'changed', message: `is not as Gateline wrote it: ${sealed.why}` } : undefined;
  if (isOfOther(sealed, owner)) return undefined;
  return isWanted && sealed.owner.run === owner.run ? undefined : OUTDATED;
}

/** Pipelines and subjects may share names of files: the last one that ran has its state there. */
function isOfOther(sealed: Sealed, { pipeline, subject }: ProjectionOwner): boolean {
  return sealed.state === 'ours' && (sealed.owner.pipeline !== pipeline || sealed.owner.subject !== subject);
}

function sayOf({ gateline }: JsonObject): string {
  const { checksum: _, ...said } = isJsonObject(gateline) ? gateline : {};
  return digestOfJson(said);
}
