import type { Content, EndedRecord } from '../../run/records/record.ts';
import type { RecordStore } from '../../store/record-store.ts';
import type { JsonValue } from '../../json/json.ts';
import { parseJson } from '../../json/parse-json.ts';
import { MAX_EXPOSED_BYTES } from '../outputs.ts';

/** Larger outputs are not searched for files and lines to annotate. */
const LOOKED_INTO = 4 * 1024 * 1024;

/** An output for annotations and summary; `undefined` if there is none, it is too large, or it cannot be read. */
export async function readValue(
  store: Pick<RecordStore, 'get'>,
  ended: Pick<EndedRecord, 'value'> | undefined,
): Promise<JsonValue | undefined> {
  if (ended?.value === undefined || ended.value.bytes > LOOKED_INTO) return undefined;
  const read = await store.get(ended.value.digest);
  const parsed = read.state === 'present' ? parseJson(read.value) : undefined;
  return parsed?.ok === true ? parsed.value : undefined;
}

/** The text of an output to expose as an output of the step, or why it cannot be exposed. */
export async function readExposed(
  store: Pick<RecordStore, 'get'>,
  value: Content,
): Promise<{ readonly text: string } | { readonly why: string }> {
  if (value.bytes > MAX_EXPOSED_BYTES) {
    return {
      why: `the output has ${value.bytes} bytes, more than the ${MAX_EXPOSED_BYTES} that are exposed; read the artifact`,
    };
  }
  const read = await store.get(value.digest);
  if (read.state === 'present') return { text: new TextDecoder().decode(read.value) };
  return {
    why: read.state === 'unknown' ? `the output cannot be read: ${read.problem.message}` : 'the output is missing',
  };
}
