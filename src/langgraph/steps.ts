import type { Checkpoint } from '@langchain/langgraph-checkpoint';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import type { Scope } from './medium.ts';
import { jsonOf, textOf, type SealedFile, type Stored } from './sealed-file.ts';

/** A checkpoint without its values. */
export type Head = Omit<Checkpoint, 'channel_values'>;

/** A checkpoint as it is kept: each value as the serializer wrote it. */
export interface Step {
  readonly parent: string | undefined;
  readonly head: Head;
  readonly metadata: Stored;
  /** By channel. */
  readonly values: ReadonlyMap<string, Stored>;
}

/** Meaning of the slots of a step's file. */
const [HEAD, METADATA, CHANNEL] = [0, 1, 2] as const;

/** A step as a file. @param head as {@link storedJson} */
export function fileOfStep(
  { parent, metadata, values }: Pick<Step, 'parent' | 'metadata' | 'values'>,
  head: Stored,
  about: { readonly checkpoint: string } & Scope,
): SealedFile {
  return {
    about: { ...about, ...(parent === undefined ? {} : { parent }) },
    entries: [
      [HEAD, '', head],
      [METADATA, '', metadata],
      ...[...values].map(([channel, value]) => [CHANNEL, channel, value] as const),
    ],
  };
}

/** The inverse of {@link fileOfStep}; `undefined` if it is no step. The head is a new object each time. */
export function stepOfFile({ about, entries }: SealedFile): Step | undefined {
  let head: unknown;
  let metadata: Stored | undefined;
  const values = new Map<string, Stored>();
  for (const [slot, channel, value] of entries) {
    if (slot === CHANNEL) values.set(channel, value);
    else if (slot === METADATA) metadata = value;
    else if (slot === HEAD && 'bytes' in value) head = jsonOf(textOf(value.bytes));
  }
  return metadata !== undefined && isHead(head) ? { parent: about['parent'], head, metadata, values } : undefined;
}

function isHead(value: unknown): value is Head {
  if (!isJsonObject(value)) return false;
  return (
    isJsonObject(value['channel_versions']) && isJsonObject(value['versions_seen']) && typeof value['v'] === 'number'
  );
}

/**
 * A step that a simpler file checkpointer wrote: a checkpoint as JSON, alone or with `metadata` and the config of its
 * parent next to it, each as JSON or as text that is JSON. `undefined` if there is no checkpoint in it.
 */
export function parseSeedStep(file: unknown, id: string): SealedFile | undefined {
  if (!isJsonObject(file)) return undefined;
  const own = objectOf(file['checkpoint']);
  const { channel_values: channels, ...rest } = own ?? file;
  const values = objectOf(channels);
  if (values === undefined) return undefined;
  const versions =
    objectOf(rest['channel_versions']) ?? Object.fromEntries(Object.keys(values).map((name) => [name, 1]));
  const seen = objectOf(rest['versions_seen']) ?? {};
  const head = { v: 4, ts: '', ...rest, id, channel_versions: versions, versions_seen: seen };
  const config = objectOf(objectOf(file['parentConfig'] ?? file['parent_config'])?.['configurable']);
  const parent = config?.['checkpoint_id'] ?? file['parent_checkpoint_id'];
  const metadata = own === undefined ? undefined : objectOf(file['metadata']);
  return fileOfStep(
    {
      parent: typeof parent === 'string' && parent !== '' ? parent : undefined,
      metadata: storedJson(metadata ?? { source: 'loop', step: -1, parents: {} }),
      values: new Map(Object.entries(values).map(([channel, value]) => [channel, storedJson(value)])),
    },
    storedJson(head),
    { thread: '', namespace: '', checkpoint: id },
  );
}

function objectOf(value: JsonValue | undefined): JsonObject | undefined {
  const object = typeof value === 'string' ? jsonOf(value) : value;
  return isJsonObject(object) ? object : undefined;
}

/** A value that is JSON, as bytes. */
export function storedJson(value: unknown): Stored {
  return { type: 'json', bytes: Buffer.from(JSON.stringify(value)) };
}
