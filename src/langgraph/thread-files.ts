import { compareWritesSortKeys, writesSortKey } from '@langchain/langgraph-checkpoint';
import { GatelineError } from '../errors/gateline-error.ts';
import type { ErrorCode } from '../errors/error-codes.ts';
import { decodeId, encodeId, isNameOfId } from './ids.ts';
import type { CheckpointMedium, Fault, Kind, Place } from './medium.ts';
import { seal, unseal, type SealedFile, type Stored, type Unsealed } from './sealed-file.ts';
import { fileOfStep, parseSeedStep, stepOfFile, type Step } from './steps.ts';

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

  #last: { readonly place: Place; readonly step: Step } | undefined;

  constructor(medium: CheckpointMedium) {
    this.#medium = medium;
  }

  /** Ids of all steps of a place. */
  async stepIds(place: Place): Promise<string[]> {
    const names = (await this.#medium.names(place, 'steps')).filter((name) => !name.startsWith('.'));
    return names.map((name) => name.slice(0, -'.json'.length)).map((name) => decodeId(name) ?? name);
  }

  /** A step; `undefined` if there is none. @throws GatelineError `LANGGRAPH_STEP_…` */
  async step(place: Place, id: string): Promise<Step | undefined> {
    const { thread, namespace } = place;
    const name = `${encodeId(id)}.json`;
    // Other programs put ids into names as they are.
    const others = /[/\\]/.test(id) || namespace !== '' || isNameOfId(id) ? [] : [`${id}.json`];
    for (const one of new Set([name, ...others])) {
      const file = await this.#read(place, 'steps', one, { thread, namespace, checkpoint: id });
      if (file === undefined) continue;
      const step = stepOfFile(file);
      if (step !== undefined) return step;
      throw this.#error(place, 'steps', one, { code: 'CORRUPT', message: 'not the shape of a step' });
    }
    return undefined;
  }

  async putStep(place: Place, step: Step): Promise<void> {
    await this.#medium.replace(place, 'steps', `${encodeId(step.head.id)}.json`, seal(fileOfStep(place, step)));
    this.#last = { place, step };
  }

  /** A step on which another one is put: most often the last that was put. */
  async parent(place: Place, id: string): Promise<Step | undefined> {
    const last = this.#last;
    const isLast =
      last?.step.head.id === id && last.place.thread === place.thread && last.place.namespace === place.namespace;
    return isLast ? last.step : this.step(place, id);
  }

  async remove(thread: string): Promise<void> {
    this.#last = undefined;
    await this.#medium.remove(thread);
  }

  /**
   * Stores what a task wrote in one call. An index that is stored already keeps its first value, a special one gets
   * the new one.
   */
  async addWrites(place: Place, checkpoint: string, writes: readonly TaskWrite[]): Promise<void> {
    const [{ task, path } = { task: '', path: '' }] = writes;
    const entries = writes.map(({ index, channel, value }) => [index, channel, value] as const);
    const chunks = seal({ about: { ...place, checkpoint, task, path }, entries });
    const prefix = `${encodeId(checkpoint)}.${encodeId(task)}.`;
    for (let n = 0; !(await this.#medium.claim(place, 'writes', `${prefix}${n}.json`, chunks)); n += 1) {
      const names = (await this.writeNames(place)).filter((name) => name.startsWith(prefix));
      const stored = new Map((await this.writes(place, checkpoint, names)).map((write) => [write.index, write.value]));
      // The same writes again: a task that runs again after a crash.
      if (writes.every(({ index, value }) => stored.has(index) && (index >= 0 || isSame(stored.get(index), value))))
        return;
      n = Math.max(n, names.length - 1);
    }
  }

  /** Names of the files with writes. Up to the first dot, they name the step. */
  writeNames(place: Place): Promise<string[]> {
    return this.#medium.names(place, 'writes');
  }

  /**
   * The writes that are pending at a step, in the order in which they apply.
   * @param names among them those of the step
   */
  async writes(place: Place, checkpoint: string, names: readonly string[]): Promise<TaskWrite[]> {
    const prefix = `${encodeId(checkpoint)}.`;
    const own = names.filter((name) => name.startsWith(prefix));
    const calls = own.map((name) => ({ name, parts: name.split('.') }));
    calls.sort((a, b) => Number(a.parts[2]) - Number(b.parts[2]));
    const merged = new Map<string, TaskWrite>();
    for (const { name, parts } of calls) {
      const task = decodeId(parts[1] ?? '') ?? '';
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
  async #read(place: Place, kind: Kind, name: string, about: SealedFile['about']): Promise<SealedFile | undefined> {
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

  #error(place: Place, kind: Kind, name: string, fault: Fault, copy?: string): GatelineError {
    const where = this.#medium.show(place, kind, name);
    const kept = copy === undefined ? '' : ` (a copy is kept as ${copy})`;
    const code = CODES[fault.code] ?? 'LANGGRAPH_STEP_CORRUPT';
    return new GatelineError(code, `${where} cannot be used: ${fault.message}${kept}`, { place: { file: where } });
  }
}

const CODES: Readonly<Partial<Record<Fault['code'], ErrorCode>>> = {
  UNKNOWN_VERSION: 'LANGGRAPH_STEP_UNKNOWN',
  UNREADABLE: 'LANGGRAPH_STEP_UNREADABLE',
};

function faultOf(unsealed: Exclude<Unsealed, { readonly file: SealedFile }>): Fault {
  return 'fault' in unsealed ? unsealed.fault : { code: 'CORRUPT', message: 'JSON, but not of a checkpoint' };
}

function disagreement({ about }: SealedFile, expected: SealedFile['about']): Fault | undefined {
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
