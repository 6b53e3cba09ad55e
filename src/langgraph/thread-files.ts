import { compareWritesSortKeys, writesSortKey } from '@langchain/langgraph-checkpoint';
import { GatelineError } from '../errors/gateline-error.ts';
import type { ErrorCode } from '../errors/error-codes.ts';
import { decodeId, encodeId, isNameOfId } from './ids.ts';
import type { CheckpointMedium, FileKind, Scope, Values } from './medium.ts';
import type { ReadFault } from '../store/record-store.ts';
import { seal, unseal, type SealedFile, type Stored, type Unsealed } from './sealed-file.ts';
import { parseSeedStep, stepOfFile, type Step } from './steps.ts';

/** What a task wrote into a channel. */
export interface TaskWrite {
  readonly task: string;
  /** Where the task is in its step, by which writes are ordered. */
  readonly path: string;
  /** Position in its call; below 0 for a special channel. */
  readonly index: number;
  readonly channel: string;
  readonly value: Stored;
}

/** Steps and writes in the files of a medium. What cannot be read is an error, and a copy of it is kept aside. */
export class ThreadFiles {
  readonly #medium: CheckpointMedium;
  /** A medium gives the same bytes again as long as a file has not changed. */
  readonly #unsealed = new WeakMap<Uint8Array, Unsealed>();

  constructor(medium: CheckpointMedium) {
    this.#medium = medium;
  }

  /** Ids of all steps of a place. */
  async stepIds(place: Scope): Promise<string[]> {
    // Another program's file and ours may be of one step.
    const ids = new Set<string>();
    for (const name of await this.#medium.names(place, 'steps')) {
      const id = name.slice(0, -'.json'.length);
      if (!name.startsWith('.')) ids.add(decodeId(id) ?? id);
    }
    return [...ids];
  }

  /** A step; `undefined` if there is none. @throws GatelineError `LANGGRAPH_STEP_…` */
  async step(place: Scope, id: string): Promise<Step | undefined> {
    const { thread, namespace } = place;
    // Other programs put ids into names as they are.
    const others = /[/\\]/.test(id) || namespace !== '' || isNameOfId(id) ? [] : [`${id}.json`];
    for (const one of new Set([stepName(id), ...others])) {
      const file = await this.#read(place, 'steps', one, { thread, namespace, checkpoint: id });
      if (file === undefined) continue;
      const step = stepOfFile(file);
      if (step !== undefined) return step;
      throw this.#error(place, 'steps', one, { code: 'CORRUPT', message: 'not the shape of a step' });
    }
    return undefined;
  }

  /** @param values what the file refers to */
  async putStep(place: Scope, id: string, file: SealedFile, values: Values): Promise<void> {
    await this.#medium.write(place, 'steps', stepName(id), seal(file), values);
  }

  /**
   * Stores what a task wrote in one call. An index that is stored already keeps its first value, a special one gets
   * the new one.
   */
  async addWrites(place: Scope, checkpoint: string, writes: readonly TaskWrite[], values: Values): Promise<void> {
    const [{ task, path } = { task: '', path: '' }] = writes;
    const entries = writes.map(({ index, channel, value }) => [index, channel, value] as const);
    const chunks = seal({ about: { ...place, checkpoint, task, path }, entries });
    const prefix = `${encodeId(checkpoint)}.${encodeId(task)}.`;
    for (;;) {
      const names = (await this.writeNames(place)).filter((name) => name.startsWith(prefix));
      const stored = new Map((await this.writes(place, checkpoint, names)).map((write) => [write.index, write.value]));
      // The same writes again: a task that runs again after a crash.
      if (writes.every(({ index, value }) => stored.has(index) && (index >= 0 || isSame(stored.get(index), value))))
        return;
      // After the last one: a file between them may have been moved away.
      const number = Math.max(-1, ...names.map(numberOf)) + 1;
      if (await this.#medium.write(place, 'writes', `${prefix}${number}.json`, chunks, values)) return;
    }
  }

  /** Names of the files with writes. Up to the first dot, they name the step. */
  writeNames(place: Scope): Promise<string[]> {
    return this.#medium.names(place, 'writes');
  }

  /**
   * The writes that are pending at a step, in the order in which they apply.
   * @param names among them those of the step
   */
  async writes(place: Scope, checkpoint: string, names: readonly string[]): Promise<TaskWrite[]> {
    const prefix = `${encodeId(checkpoint)}.`;
    const own = names.filter((name) => name.startsWith(prefix)).toSorted((a, b) => numberOf(a) - numberOf(b));
    const merged = new Map<string, TaskWrite>();
    for (const name of own) {
      const task = decodeId(name.split('.')[1] ?? '') ?? '';
      const file = await this.#read(place, 'writes', name, { ...place, checkpoint, task });
      for (const [index, channel, value] of file?.entries ?? []) {
        const key = `${task} ${index}`;
        if (index >= 0 && merged.has(key)) continue;
        merged.set(key, { task, path: file?.about['path'] ?? '', index, channel, value });
      }
    }
    const keyOf = ({ path, task, index }: TaskWrite) => writesSortKey(path, task, index);
    return [...merged.values()].sort((a, b) => compareWritesSortKeys(keyOf(a), keyOf(b)));
  }

  /** The file of that name, if it is about what its name and its place say. */
  async #read(place: Scope, kind: FileKind, name: string, about: SealedFile['about']): Promise<SealedFile | undefined> {
    const read = await this.#medium.read(place, kind, name);
    if (read.state === 'absent') return undefined;
    if (read.state === 'unknown') throw this.#error(place, kind, name, read.problem);
    const unsealed = this.#unsealed.get(read.value) ?? unseal(read.value);
    this.#unsealed.set(read.value, unsealed);
    const file =
      kind === 'steps' && 'other' in unsealed ? parseSeedStep(unsealed.other, about['checkpoint']!) : undefined;
    if (file !== undefined) return file;
    const fault = 'file' in unsealed ? disagreement(unsealed.file, about) : faultOf(unsealed);
    if (fault === undefined) return 'file' in unsealed ? unsealed.file : undefined;
    const copy =
      fault.code === 'UNKNOWN_VERSION' ? undefined : await this.#medium.keepAside(place, kind, name, read.value, fault);
    throw this.#error(place, kind, name, fault, copy);
  }

  #error(place: Scope, kind: FileKind, name: string, fault: ReadFault, copy?: string): GatelineError {
    const where = this.#medium.show(place, kind, name);
    const kept = copy === undefined ? '' : ` (a copy is kept as ${copy})`;
    const code = CODES[fault.code] ?? 'LANGGRAPH_STEP_CORRUPT';
    const hint = kind === 'writes' && code === 'LANGGRAPH_STEP_CORRUPT' ? REMEDY_FOR_WRITES : undefined;
    return new GatelineError(code, `${where} cannot be used: ${fault.message}${kept}`, {
      hint,
      place: { file: where },
    });
  }
}

const CODES: Readonly<Partial<Record<ReadFault['code'], ErrorCode>>> = {
  UNKNOWN_VERSION: 'LANGGRAPH_STEP_UNKNOWN',
  UNREADABLE: 'LANGGRAPH_STEP_UNREADABLE',
};

/** Without its writes, a task counts as not done. */
const REMEDY_FOR_WRITES = 'Move the file away: the graph runs the task again when it resumes. Or delete the thread.';

function stepName(id: string): string {
  return `${encodeId(id)}.json`;
}

/** Which call of `putWrites` for a task a file is from. */
function numberOf(name: string): number {
  return Number.parseInt(name.split('.')[2] ?? '') || 0;
}

function faultOf(unsealed: Exclude<Unsealed, { readonly file: SealedFile }>): ReadFault {
  return 'fault' in unsealed ? unsealed.fault : { code: 'CORRUPT', message: 'JSON, but not of a checkpoint' };
}

function disagreement({ about }: SealedFile, expected: SealedFile['about']): ReadFault | undefined {
  const wrong = Object.keys(expected).filter((key) => about[key] !== expected[key]);
  if (wrong.length === 0) return undefined;
  const parts = wrong.map(
    (key) => `${key} ${JSON.stringify(about[key])} where ${JSON.stringify(expected[key])} belongs`,
  );
  return { code: 'FOREIGN', message: `its place and its content disagree: ${parts.join('; ')}`.slice(0, 1_000) };
}

function isSame(a: Stored | undefined, b: Stored): boolean {
  if (a === undefined || a.type !== b.type) return false;
  if ('bytes' in a && 'bytes' in b) return Buffer.compare(a.bytes, b.bytes) === 0;
  return 'digest' in a && 'digest' in b && a.digest === b.digest;
}
