import { mkdir, readdir, realpath } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { Call } from '../../engine/call/call.ts';
import { learningsOf } from '../../engine/plan/handoff.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { readFailure, unlessAbsent, writing } from '../../errors/store-errors.ts';
import { documentAt, documentPath, MEMORY_FOLDER } from '../../memory/documents.ts';
import { entriesOf, entryId, withEntries, withoutEntry, type Added, type MemoryEntry } from '../../memory/entries.ts';
import { atomicWrite } from '../../store/filesystem/atomic-write.ts';
import type { EngineLock } from '../../store/filesystem/lock/engine-lock.ts';
import { takeShortLock } from '../../store/filesystem/lock/short-lock.ts';
import { linksAbove } from '../../workspace/files/look.ts';
import { readText } from '../../workspace/files/read-text.ts';
import { STATE_FOLDER } from '../local-ports.ts';

/** The document that learnings are put into. */
export const PATTERNS = 'learned-patterns';

/** A document of the workspace. */
export interface MemoryDocument {
  readonly name: string;
  readonly text: string;
}

/**
 * The documents of a workspace, by name.
 * @throws GatelineError `PATH_ESCAPES`, `FILE_UNREADABLE`, `FILE_TOO_LARGE`, `FILE_NOT_UTF8`
 */
export async function readDocuments(root: string): Promise<MemoryDocument[]> {
  const folder = join(root, MEMORY_FOLDER);
  const files = await unlessAbsent(readdir(folder)).catch((error: unknown) => {
    throw readFailure(folder, error);
  });
  const names = (files ?? []).flatMap((file) => documentAt(`${MEMORY_FOLDER}${file}`) ?? []);
  const read = names.toSorted().map(async (name) => ({ name, text: await readDocument(root, name) }));
  return (await Promise.all(read)).flatMap(({ name, text }) => (text === undefined ? [] : [{ name, text }]));
}

/** The text of a document; `undefined`: it does not exist. @throws GatelineError as {@link readDocuments} */
export function readDocument(root: string, name: string): Promise<string | undefined> {
  return readText(root, documentPath(name));
}

/**
 * Replaces a document.
 * @throws GatelineError `PATH_ESCAPES` if its folder is elsewhere; `STORE_WRITE_FAILED`; `ENGINE_BUSY` if others change
 *   documents for too long
 */
export async function writeDocument(root: string, document: MemoryDocument): Promise<void> {
  await using _lock = await lockDocuments(root);
  await replace(root, document);
}

function lockDocuments(root: string): Promise<EngineLock> {
  return takeShortLock(join(root, STATE_FOLDER), 'documents');
}

/** The caller has the lock. */
async function replace(root: string, { name, text }: MemoryDocument): Promise<void> {
  const file = join(root, documentPath(name));
  const folder = dirname(file);
  // Before anything is made: a folder must not be created behind a link either.
  if (linksAbove(root)(documentPath(name))) throw escapes();
  await writing(folder, () => mkdir(folder, { recursive: true }));
  const place = relative(await realpath(root), await realpath(folder));
  if (place.split(sep).join('/') !== MEMORY_FOLDER.slice(0, -1)) throw escapes();
  // A temporary file in the folder would stay there, and be committed, if this process were killed.
  await atomicWrite(file, Buffer.from(text), { temporaryFolder: join(root, STATE_FOLDER, 'tmp') });
}

function escapes(): GatelineError {
  return new GatelineError('PATH_ESCAPES', `${MEMORY_FOLDER} is a link to another folder.`);
}

/** A document of a workspace with more entries. Nothing is written. @throws GatelineError as {@link readDocuments} */
export async function documentWith(root: string, name: string, entries: readonly MemoryEntry[]): Promise<Added> {
  return withEntries((await readDocument(root, name)) ?? '', titleOf(name), entries);
}

/**
 * Adds entries to a document. Nothing is written if it has them all.
 * @throws GatelineError as {@link readDocuments} and {@link writeDocument}
 */
export async function addEntries(root: string, name: string, entries: readonly MemoryEntry[]): Promise<Added> {
  await using _lock = await lockDocuments(root);
  const added = await documentWith(root, name, entries);
  if (added.added.length > 0) await replace(root, { name, text: added.document });
  return added;
}

/**
 * Removes the entry of an id from each document that has it.
 * @returns the names of these documents
 * @throws GatelineError as {@link readDocuments} and {@link writeDocument}
 */
export async function forgetEntry(root: string, id: string): Promise<string[]> {
  await using _lock = await lockDocuments(root);
  const found = (await readDocuments(root)).flatMap(({ name, text }) => {
    const left = withoutEntry(text, id);
    return left === undefined ? [] : [{ name, text: left }];
  });
  for (const one of found) await replace(root, one);
  return found.map(({ name }) => name);
}

/** `learned-patterns` → `Learned patterns` */
function titleOf(name: string): string {
  const words = name.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What the agents of a run noted, each learning once. @throws GatelineError `STORE_READ_FAILED` */
export function learningsOfRun({ journal, ports }: Call): Promise<MemoryEntry[]> {
  const { runNumber } = journal.state();
  const ended = [...journal.archive().ended.values()].flat().filter((one) => one.runNumber === runNumber);
  return learningsOf(
    ports,
    ended.toSorted((a, b) => (a.at < b.at ? -1 : 1)),
  );
}

/**
 * As {@link learningsOfRun}, without those that a document has.
 * @throws GatelineError as {@link readDocuments}; `STORE_READ_FAILED`
 */
export async function newLearnings(call: Call, root: string): Promise<MemoryEntry[]> {
  const found = await learningsOfRun(call);
  if (found.length === 0) return [];
  const known = new Set((await readDocuments(root)).flatMap(({ text }) => entriesOf(text).map(({ id }) => id)));
  return found.filter((one) => !known.has(entryId(one)));
}
