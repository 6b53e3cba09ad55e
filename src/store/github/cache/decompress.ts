import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import type { Compression } from './entry-name.ts';
import type { CacheLimits } from '../../../github/limits.ts';
import { inMebibytes, Unusable } from './unusable.ts';

const gunzip = promisify(zlib.gunzip);

/**
 * Largest window that a zstd frame may ask for, as a power of two: 16 MiB. The toolkit compresses at level 3, whose
 * window is 2 MiB; a malicious frame may ask for more memory than is available.
 */
const ZSTD_WINDOW = 24;

/** Compressions that this Node can decompress: zstd from 22.15 on. */
export function canRead(compression: Compression): boolean {
  return compression === 'gzip' || typeof zlib.zstdDecompress === 'function';
}

/** Decompresses an archive; one that grows beyond the limit is abandoned. @throws Unusable */
export async function unpack(packed: Buffer, compression: Compression, { maxBytes }: CacheLimits): Promise<Buffer> {
  const maxOutputLength = maxBytes;
  try {
    if (compression === 'gzip') return await gunzip(packed, { maxOutputLength });
    const params = { [zlib.constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW };
    return await promisify(zlib.zstdDecompress)(packed, { maxOutputLength, params });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code';
    const reason =
      code === 'ERR_BUFFER_TOO_LARGE'
        ? `unpacked, the entry has more than ${inMebibytes(maxBytes)}`
        : `the entry cannot be decompressed (${code})`;
    throw new Unusable(reason, { cause: error });
  }
}
