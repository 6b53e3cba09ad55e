import {
  JsonPlusSerializer,
  WRITES_IDX_MAP,
  compareWritesSortKeys,
  writesSortKey,
  type CheckpointPendingWrite,
  type PendingWrite,
  type SerializerProtocol,
} from '@langchain/langgraph-checkpoint';
import { z } from 'zod';
import { GatelineError } from '../errors.ts';
import type { StoredValue } from './document.ts';
import { damaged, type ThreadFile, type WritesHead } from './thread-files.ts';

/** What LangGraph's serializer writes in place of all of a value that JSON cannot express. */
const UNSERIALIZABLE = '"[unable to serialize';

/** The bytes of a value as it is at the time of the call. @throws GatelineError `usage` if it has no JSON form */
export async function storeValue(serde: SerializerProtocol, name: string, value: unknown): Promise<StoredValue> {
  const [type, array] = await serde.dumpsTyped(value);
  // Bytes that the caller may change are copied.
  const bytes = type === 'json' ? Buffer.from(array.buffer, array.byteOffset, array.length) : Buffer.from(array);
  if (type !== 'json' || (bytes.length > 0 && !bytes.toString('latin1', 0, 50).startsWith(UNSERIALIZABLE)))
    return { name, type, bytes };
  throw new GatelineError('usage', `the serializer cannot write ${name} as JSON`, {
    hint: 'Keep functions, bigints and objects that are nested thousands deep out of the state, or pass a `serde`.',
  });
}

/** @param path of the file that has the value. @throws GatelineError `platform` if the bytes are not such a value */
export async function loadValue<T>(
  serde: SerializerProtocol,
  path: string,
  { type, bytes }: StoredValue,
  schema: z.ZodType<T>,
): Promise<T> {
  // LangGraph's serializer marks all that is not plain JSON by a key `lc`, and looks for it in each value: slowly.
  const isPlain = type === 'json' && serde.constructor === JsonPlusSerializer && !bytes.includes('"lc"');
  try {
    // A serializer may hand the bytes on to the user: a copy of them, and no buffer.
    const load = (): unknown => serde.loadsTyped(type, Uint8Array.from(bytes));
    const value: unknown = isPlain ? JSON.parse(bytes.toString()) : await load();
    schema.parse(value);
    return value as T;
  } catch (cause) {
    throw damaged(path, cause);
  }
}

/** A value's name is `<index>:<channel>`. */
export function storeWrites(serde: SerializerProtocol, writes: readonly PendingWrite[]): Promise<StoredValue[]> {
  const stores = writes.map(([channel, value], n) => {
    const index = Object.hasOwn(WRITES_IDX_MAP, channel) ? WRITES_IDX_MAP[channel]! : n;
    return storeValue(serde, `${index}:${channel}`, value);
  });
  return Promise.all(stores);
}

/** The writes that hold, in the order in which LangGraph applies them. @param calls for a step, the oldest first */
export async function loadWrites(
  serde: SerializerProtocol,
  calls: readonly ThreadFile<WritesHead>[],
): Promise<CheckpointPendingWrite[]> {
  const all = calls.flatMap(({ path, head, values }) =>
    values.map((value) => {
      const [index, channel] = [Number.parseInt(value.name), value.name.slice(value.name.indexOf(':') + 1)];
      return { path, task: head.task_id, channel, value, sortKey: writesSortKey(head.task_path, head.task_id, index) };
    }),
  );
  const writes = new Map<string, (typeof all)[number]>();
  for (const write of all) {
    const [, task, index] = write.sortKey;
    const key = `${index} ${task}`;
    if (index < 0 || !writes.has(key)) writes.set(key, write);
  }
  const sorted = [...writes.values()].sort((a, b) => compareWritesSortKeys(a.sortKey, b.sortKey));
  const loads = sorted.map(async ({ path, task, channel, value }): Promise<CheckpointPendingWrite> => {
    return [task, channel, await loadValue(serde, path, value, z.unknown())];
  });
  return Promise.all(loads);
}
