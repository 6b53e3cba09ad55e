/**
 * Why the cache cannot be used now: the end of a sentence for people. It never leaves this folder, where it becomes a
 * notice: no cache problem is an error of the gate.
 */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}

/** A number of bytes for people: `128 MiB`, `700 bytes`. */
export function inMebibytes(bytes: number): string {
  const mebibytes = bytes / 1024 ** 2;
  return mebibytes < 1 ? `${bytes.toLocaleString('en')} bytes` : `${Number(mebibytes.toFixed(1))} MiB`;
}
