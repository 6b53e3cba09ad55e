/**
 * Stores the beginning and the end of a text of any length in at most `limit` bytes of UTF-8: its first and its last
 * half.
 */
export class CapturedText {
  private readonly head: Uint8Array[] = [];
  private readonly half: number;
  private headBytes = 0;
  /** The last `half` bytes as a ring; `tailBytes` counts all bytes ever added. */
  private ring: Uint8Array | undefined;
  private tailBytes = 0;

  /** @param limit bytes kept, at least 2 */
  constructor(limit: number) {
    this.half = Math.max(1, Math.floor(limit / 2));
  }

  add(text: string): void {
    const bytes = Buffer.from(text);
    const room = Math.min(this.half - this.headBytes, bytes.length);
    if (room > 0) {
      this.head.push(Uint8Array.prototype.slice.call(bytes, 0, room));
      this.headBytes += room;
      if (this.head.length > 256) this.head.splice(0, this.head.length, Buffer.concat(this.head));
    }
    if (room < bytes.length) this.addToTail(bytes.subarray(room));
  }

  /** The text, with a line in the middle that says how many bytes were omitted. */
  toString(): string {
    const head = Buffer.concat(this.head);
    const tail = this.tail();
    if (this.tailBytes === tail.length) return Buffer.concat([head, tail]).toString();
    const headEnd = head.length - unfinished(head);
    const tailStart = tail.findIndex((byte) => (byte & 0xc0) !== 0x80);
    const from = tailStart < 0 ? tail.length : tailStart;
    const leftOut = this.headBytes - headEnd + this.tailBytes - (tail.length - from);
    const note = `\n[gateline: ${leftOut} bytes left out]\n`;
    return head.toString('utf8', 0, headEnd) + note + tail.toString('utf8', from);
  }

  private addToTail(bytes: Uint8Array): void {
    this.ring ??= new Uint8Array(this.half);
    const last = bytes.subarray(Math.max(0, bytes.length - this.half));
    const at = (this.tailBytes + bytes.length - last.length) % this.half;
    const first = last.subarray(0, this.half - at);
    this.ring.set(first, at);
    this.ring.set(last.subarray(first.length), 0);
    this.tailBytes += bytes.length;
  }

  private tail(): Buffer {
    if (this.ring === undefined) return Buffer.alloc(0);
    if (this.tailBytes <= this.half) return Buffer.from(this.ring.subarray(0, this.tailBytes));
    const at = this.tailBytes % this.half;
    return Buffer.concat([this.ring.subarray(at), this.ring.subarray(0, at)]);
  }
}

/** Number of bytes at the end that begin a character without completing it. */
function unfinished(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}
