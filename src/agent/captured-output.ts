import { stripVTControlCharacters } from 'node:util';
import type { RedactedStream } from '../untrusted/redact-stream.ts';
import type { Redactor } from '../untrusted/redact.ts';

/** Characters that are kept of the beginning, and of the end, of a stream. */
const HALF = 512 * 1024;
/** A longer line is processed before its end arrives. */
const LONG_LINE = 64 * 1024;

/**
 * One output stream of an agent, from bytes to text that is safe to keep and show: decoded (what is not UTF-8 becomes
 * U+FFFD), without control sequences, redacted. Bounded memory for any output.
 */
export class CapturedOutput {
  readonly #redactor: Redactor;
  readonly #redacted: RedactedStream;
  readonly #onLine: ((line: string) => void) | undefined;
  readonly #decoder = new TextDecoder();
  /** The beginning of a line whose end has not arrived yet. */
  #pending = '';
  #head = '';
  #tail = '';
  #omitted = 0;

  constructor(redactor: Redactor, onLine?: (line: string) => void) {
    this.#redactor = redactor;
    this.#redacted = redactor.createStream();
    this.#onLine = onLine;
  }

  add(bytes: Uint8Array): void {
    const text = this.#pending + this.#decoder.decode(bytes, { stream: true });
    // A carriage return at the end may be the first half of a line end.
    const lineEnd = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r', text.length - 2)) + 1;
    const end = lineEnd === 0 && text.length > LONG_LINE ? text.length : lineEnd;
    this.#pending = text.slice(end);
    this.#addLines(this.#redacted.push(stripControls(text.slice(0, end))));
  }

  /** The whole text, once the stream has ended. A line in the middle says how much was left out. */
  end(): string {
    const rest = stripControls(this.#pending + this.#decoder.decode());
    this.#addLines(this.#redacted.push(rest) + this.#redacted.end());
    this.#pending = '';
    this.#trimTail();
    const note = this.#omitted > 0 ? `\n[gateline: ${this.#omitted} characters left out]\n` : '';
    // Redacted once more as a whole, since a secret may have several lines.
    return this.#redactor.text(this.#head + note + this.#tail, 'shown');
  }

  /** Whether a part was left out. After {@link end}. */
  get isCut(): boolean {
    return this.#omitted > 0;
  }

  #addLines(lines: string): void {
    if (lines === '') return;
    const room = this.#tail === '' ? HALF - this.#head.length : 0;
    const cut = lines.length <= room ? lines.length : lines.lastIndexOf('\n', room - 1) + 1;
    this.#head += room > 0 ? lines.slice(0, cut) : '';
    this.#tail += room > 0 ? lines.slice(cut) : lines;
    if (this.#tail.length > 2 * HALF) this.#trimTail();
    if (this.#onLine) for (const line of lines.replace(/\n$/, '').split('\n')) this.#onLine(line);
  }

  #trimTail(): void {
    if (this.#tail.length <= HALF) return;
    const lineEnd = this.#tail.indexOf('\n', this.#tail.length - HALF);
    const cut = lineEnd < 0 ? this.#tail.length - HALF : lineEnd + 1;
    this.#omitted += cut;
    this.#tail = this.#tail.slice(cut);
  }
}

/** Text without escape sequences and without control characters but tabs and line ends, which become `\n`. */
function stripControls(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n?/g, '\n')
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '');
}
