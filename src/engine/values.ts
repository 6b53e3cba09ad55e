import type { Digest } from '../json/digest.ts';
import { canonicalChunks } from '../json/canonical-json.ts';
import type { JsonValue } from '../json/json.ts';
import { pickPointers } from '../json/pointer.ts';
import type { Content } from '../run/entry.ts';
import type { Call } from './call.ts';

/** The stored value of a digest, verified; undefined: absent or damaged. */
export async function readValue({ ports }: Call, digest: Digest): Promise<JsonValue | undefined> {
  const bytes = await ports.contents.get(digest);
  return bytes === undefined ? undefined : (JSON.parse(new TextDecoder().decode(bytes)) as JsonValue);
}

/** Stores a value in its canonical form. */
export function storeValue({ ports }: Call, value: JsonValue): Promise<Content> {
  return ports.contents.put(canonicalChunks(value));
}

/** Stores the part of an output that later gates see. @param output the whole value, which is stored already */
export async function exportsOf(
  call: Call,
  value: JsonValue,
  pointers: readonly string[],
  output: Content,
): Promise<Content> {
  const part = pickPointers(value, pointers);
  return part === value ? output : storeValue(call, part);
}
