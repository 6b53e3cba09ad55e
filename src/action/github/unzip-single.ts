/**
 * The bytes of the entry of that name, of at most `maxBytes`. Other entries do not count, and no path is ever made of a name.
 * @throws Error where there is no such entry, or it is larger, or the zip is damaged
 */
export async function unzipSingle(zip: Uint8Array, name: string, maxBytes: number): Promise<Uint8Array> {
  const { fromBufferPromise } = await import('yauzl');
  const file = await fromBufferPromise(Buffer.from(zip), { decodeStrings: false, validateEntrySizes: true });
  for await (const entry of file.eachEntry()) {
    if (entry.fileNameRaw.toString('utf8') !== name) continue;
    // An entry that unpacks to more than it says ends with an error, so that this holds.
    if (entry.uncompressedSize > maxBytes) throw new Error(`it holds more than ${maxBytes.toLocaleString('en')} bytes`);
    const chunks: Uint8Array[] = [];
    const stream = (await file.openReadStreamPromise(entry)) as AsyncIterable<Uint8Array>;
    for await (const chunk of stream) chunks.push(chunk);
    return Buffer.concat(chunks);
  }
  throw new Error(`it holds no ${name}`);
}
