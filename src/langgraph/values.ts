import {
  JsonPlusSerializer,
  WRITES_IDX_MAP,
  compareWritesSortKeys,
  writesSortKey,
  type CheckpointPendingWrite,
  type PendingWrite,
  type SerializerProtocol,
  type WritesSortKey,
} from '@langchain/langgraph-checkpoint';
import { z } from 'zod';
import { GatelineError } from '../errors.ts';
import type { StoredValue } from './document.ts';
import { damaged, type ThreadFile, type WritesHead } from './thread-files.ts';

/** The text that LangGraph's serializer writes instead of a value that JSON cannot express. */
const UNSERIALIZABLE = '"[unable to serialize';

/** Serializes a value at the time of the call. @throws GatelineError `usage` if it has no JSON form */
export async function storeValue(serde: SerializerProtocol, name: string, value: unknown): Promise<StoredValue> {
  // A copy, because a serializer may return the same bytes, and the caller may change them.
  const [type, array] = await serde.dumpsTyped(value instanceof Uint8Array ? Uint8Array.from(value) : value);
  const bytes = Buffer.from(array.buffer, array.byteOffset, array.length);
  if (type !== 'json' || (bytes.length > 0 && !bytes.toString('latin1', 0, 50).startsWith(UNSERIALIZABLE)))
    return { name, type, bytes };
  throw new GatelineError('usage', `the serializer cannot write ${name} as JSON`, {
    hint: 'Keep functions, bigints and objects that are nested thousands deep out of the state, or pass a `serde`.',
  });
}

/** Deserializes a value. @param path of its file @throws GatelineError `platform` if it is absent or not valid */
export async function loadValue(
  serde: SerializerProtocol,
  path: string,
  stored: StoredValue | undefined,
  schema: z.ZodType,
): Promise<unknown> {
  if (stored === undefined) throw damaged(path, new Error('a value is missing'));
  const { type, bytes } = stored;
  // LangGraph's serializer marks values that are not plain JSON by a key `lc`. Without one, JSON.parse is much faster.
  const isPlain = type === 'json' && serde.constructor === JsonPlusSerializer && !bytes.includes('"lc"');
  try {
    const load = () => serde.loadsTyped(type, Uint8Array.from(bytes)) as Promise<unknown>;
    const value: unknown = isPlain ? JSON.parse(bytes.toString()) : await load();
    schema.parse(value);
    return value;
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
  const writes = new Map<string, { path: string; task: string; value: StoredValue; sortKey: WritesSortKey }>();
  for (const { path, head, values } of calls) {
    for (const value of values) {
      const [task, index] = [head.task_id, Number.parseInt(value.name)];
      const [key, sortKey] = [`${index} ${task}`, writesSortKey(head.task_path, task, index)];
      if (index < 0 || !writes.has(key)) writes.set(key, { path, task, value, sortKey });
    }
  }
  const sorted = [...writes.values()].sort((a, b) => compareWritesSortKeys(a.sortKey, b.sortKey));
  const loads = sorted.map(async ({ path, task, value }): Promise<CheckpointPendingWrite> => {
    const channel = value.name.slice(value.name.indexOf(':') + 1);
    return [task, channel, await loadValue(serde, path, value, z.unknown())];
  });
  return Promise.all(loads);
}
