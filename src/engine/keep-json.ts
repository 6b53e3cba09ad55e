import { canonicalChunks } from '../json/canonical-json.ts';
import type { Content } from '../run/records/record.ts';
import type { JsonValue } from '../json/json.ts';
import type { RecordStore } from '../store/record-store.ts';

/** Stores a value in canonical form, in chunks. The content's digest is the value's digest. */
export function keepJson(store: Pick<RecordStore, 'putStream'>, value: JsonValue): Promise<Content> {
  return store.putStream(canonicalChunks(value));
}
