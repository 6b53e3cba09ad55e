/**
 * Why the cache is of no use for now: the end of a sentence for people. It never leaves this folder, where it
 * becomes a notice: nothing that a cache does is an error of the gate.
 */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}

/** A number of bytes for people: `128 MiB`, `700 bytes`. */
export function inMebibytes(bytes: number): string {
  const mebibytes = bytes / 1024 ** 2;
  return mebibytes < 1 ? `${bytes.toLocaleString('en')} bytes` : `${Number(mebibytes.toFixed(1))} MiB`;
}
