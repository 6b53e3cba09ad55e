import { GatelineError } from '../errors/gateline-error.ts';

/** Names that stand for themselves. Upper case is not among them: file systems may ignore it. */
const PLAIN = /^[a-z0-9_-]+$/;

/** Names that Windows reserves. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/** The longest folder name; a longer id is several folders. `+` ends every part but the last. */
const LONGEST_PART = 150;
const PARTS = new RegExp(`.{1,${LONGEST_PART}}`, 'g');

/**
 * The longest id that is part of a file name, encoded; and the longest that is folders: Linux has paths of 4,096 bytes.
 */
const LONGEST = { file: 100, folders: 1_500 };

/**
 * An id as a name that is safe on every system and stands for this id only: `PRD 7` → `%50%52%44%207`, bytes of UTF-8
 * in hexadecimal.
 */
export function encodeId(id: string): string {
  if (PLAIN.test(id)) return RESERVED.test(id) ? `${hexOfByte(id.charCodeAt(0))}${id.slice(1)}` : id;
  const characters = [...Buffer.from(id)].map((byte) => {
    const character = String.fromCharCode(byte);
    return PLAIN.test(character) ? character : hexOfByte(byte);
  });
  return characters.join('');
}

function hexOfByte(byte: number): string {
  return `%${byte.toString(16).padStart(2, '0')}`;
}

/** The inverse of {@link encodeId}; `undefined` for a name that no id gets. */
export function decodeId(name: string): string | undefined {
  if (PLAIN.test(name)) return RESERVED.test(name) ? undefined : name;
  try {
    const id = decodeURIComponent(name);
    return id !== '' && encodeId(id) === name && !leadsOut(id) ? id : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether a folder's name is one that an id gets here: then it is never another program's name for the id of that
 * spelling.
 */
export function isNameOfId(name: string): boolean {
  return isPart(name) || (name.length <= LONGEST_PART && decodeId(name) !== undefined);
}

/** Whether a folder's name is a part of a long id, and not the last one. */
export function isPart(name: string): boolean {
  return name.length === LONGEST_PART + 1 && /^[a-z0-9_%-]+\+$/.test(name);
}

/** An id as folders: one, or several for a long id. */
export function foldersOf(id: string): string[] {
  const parts = encodeId(id).match(PARTS) ?? [];
  return parts.map((part, index) => (index < parts.length - 1 ? `${part}+` : part));
}

/** What an id is the id of. */
type IdOf = 'thread_id' | 'checkpoint_ns' | 'checkpoint_id' | 'task_id';

/**
 * An id that can be a name.
 * @throws GatelineError `LANGGRAPH_ID_REFUSED`
 */
export function checkedId(of: IdOf, id: unknown): string {
  if (typeof id !== 'string') throw refused(of, id === undefined ? 'is missing' : `is not a text: ${typeof id}`);
  if (id === '' && of !== 'checkpoint_ns') throw refused(of, 'is empty');
  if (!id.isWellFormed()) throw refused(of, 'holds half of a surrogate pair, which is not a character');
  if (leadsOut(id)) throw refused(of, `leads out of its folder: ${JSON.stringify(id.slice(0, 100))}`);
  const longest = of === 'checkpoint_id' || of === 'task_id' ? LONGEST.file : LONGEST.folders;
  if (encodeId(id).length > longest)
    throw refused(
      of,
      `is too long: ${id.slice(0, 50)}… (at most ${longest} bytes, of which all but a-z, 0-9, - and _ count three times)`,
    );
  return id;
}

function leadsOut(id: string): boolean {
  return id.split(/[/\\]/).includes('..');
}

function refused(of: IdOf, why: string): GatelineError {
  return new GatelineError('LANGGRAPH_ID_REFUSED', `The ${of} ${why}`);
}
