/** Chunks of content, as passed to `RecordStore.putStream`. */
export type Chunks = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/**
 * Chunks as bytes; text is encoded as UTF-8. A surrogate pair that is split across two texts is joined again, so the
 * split never changes the bytes.
 */
export async function* bytesOf(chunks: Chunks): AsyncGenerator<Uint8Array, void, undefined> {
  let half = '';
  for await (const chunk of chunks) {
    if (typeof chunk !== 'string') {
      if (half !== '') yield Buffer.from(half);
      half = '';
      if (chunk.length > 0) yield chunk;
      continue;
    }
    const text = half + chunk;
    const cut = /[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length;
    half = text.slice(cut);
    if (cut > 0) yield Buffer.from(text.slice(0, cut));
  }
  if (half !== '') yield Buffer.from(half);
}
