import { crc32, deflateRawSync } from 'node:zlib';

/** An entry as a zip says it is; what it says need not be true. */
export interface HostileEntry {
  readonly name: string;
  readonly content?: Uint8Array | string;
  /** Deflated; default: as it is. */
  readonly deflate?: boolean;
  /** Says another size than it has. */
  readonly size?: number;
  /** Unix mode, for links. */
  readonly mode?: number;
  /** General purpose flags: 1 is encrypted. */
  readonly flags?: number;
  readonly method?: number;
}

/** A zip by hand: no library writes the ones that are worth testing. `count`: entries that it says it has. */
export function hostileZip(entries: readonly HostileEntry[], count = entries.length): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const content = Buffer.from(entry.content ?? '');
    const stored = entry.deflate ? deflateRawSync(content) : content;
    const name = Buffer.from(entry.name);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(entry.flags ?? 0, 2);
    shared.writeUInt16LE(entry.method ?? (entry.deflate ? 8 : 0), 4);
    shared.writeUInt32LE(crc32(content), 10);
    shared.writeUInt32LE(stored.length, 14);
    shared.writeUInt32LE(entry.size ?? content.length, 18);
    shared.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), shared, name, stored]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x03', 'latin1'), shared, rest, name]));
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(Math.min(count, 0xffff), 4);
  end.writeUInt16LE(Math.min(count, 0xffff), 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, central, Buffer.from('PK\x05\x06', 'latin1'), end]);
}
