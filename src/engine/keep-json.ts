import { canonicalChunks } from '../run/canonical-json.ts';
import type { Content } from '../run/record.ts';
import type { JsonValue } from '../untrusted/json.ts';
import type { RecordStore } from '../store/record-store.ts';

/** Keeps a value in canonical form, in chunks: its digest is that of the value itself. */
export function keepJson(store: Pick<RecordStore, 'putStream'>, value: JsonValue): Promise<Content> {
  return store.putStream(canonicalChunks(value));
}
