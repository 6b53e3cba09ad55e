import { canonicalChunks } from '../json/canonical-json.ts';
import type { Content } from '../run/records/record.ts';
import type { JsonValue } from '../json/json.ts';
import type { RecordStore } from '../store/record-store.ts';

/** Keeps a value in canonical form, in chunks: its digest is that of the value itself. */
export function keepJson(store: Pick<RecordStore, 'putStream'>, value: JsonValue): Promise<Content> {
  return store.putStream(canonicalChunks(value));
}
