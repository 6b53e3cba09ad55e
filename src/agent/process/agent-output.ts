import { CapturedText } from './captured-text.ts';
import { openEscapeAt, withoutEscapes } from './escape-sequences.ts';

/** A line longer than this is shown in pieces. */
const MAX_LINE = 16_384;

/** Makes text in pieces safe; for example the `RedactedStream` of `createRedactor`. */
export interface TextFilter {
  readonly push: (piece: string) => string;
  readonly flush: () => string;
}

/**
 * One output stream of an agent, from bytes to kept and shown text. In this order, so that nothing is joined after
 * redaction: decode UTF-8 (invalid bytes become U+FFFD), remove escape sequences and control characters, redact, then
 * store the text and emit lines. Uses bounded memory for any output.
 */
export class AgentOutput {
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  private readonly kept: CapturedText;
  private readonly redaction: TextFilter;
  private readonly onLine: ((line: string) => void) | undefined;
  private escape = '';
  private line = '';
  private endedWithReturn = false;

  constructor(limit: number, redaction: TextFilter, onLine: ((line: string) => void) | undefined) {
    this.kept = new CapturedText(limit);
    this.redaction = redaction;
    this.onLine = onLine;
  }

  add(bytes: Uint8Array): void {
    this.keep(this.redaction.push(this.plain(this.decoder.decode(bytes, { stream: true }))));
  }

  /** No more input: processes the text that was held back. */
  end(): void {
    const rest = `${this.escape}${this.decoder.decode()}`;
    this.escape = '';
    this.keep(this.redaction.push(withoutEscapes(rest)));
    this.keep(this.redaction.flush());
    if (this.line !== '') this.onLine?.(this.line);
    this.line = '';
  }

  /** The kept text; see {@link CapturedText}. */
  text(): string {
    return this.kept.toString();
  }

  private plain(text: string): string {
    const all = this.escape + text;
    const open = openEscapeAt(all);
    this.escape = all.slice(open);
    return withoutEscapes(all.slice(0, open));
  }

  private keep(text: string): void {
    if (text === '') return;
    this.kept.add(text);
    if (this.onLine === undefined) return;
    const joined = this.endedWithReturn && text.startsWith('\n') ? text.slice(1) : text;
    this.endedWithReturn = text.endsWith('\r');
    const lines = joined.split(/\r\n|\r|\n/);
    lines[0] = this.line + lines[0]!;
    this.line = lines.pop()!;
    for (const line of lines) this.show(line);
    while (this.line.length > MAX_LINE) {
      this.onLine(this.line.slice(0, MAX_LINE));
      this.line = this.line.slice(MAX_LINE);
    }
  }

  private show(line: string): void {
    for (let at = 0; at === 0 || at < line.length; at += MAX_LINE) this.onLine?.(line.slice(at, at + MAX_LINE));
  }
}

/**
 * A {@link TextFilter} from a function that redacts whole texts: it receives whole lines. A line of more than 64 KiB is
 * cut where redacting the parts gives the same result as redacting the whole.
 */
export function redactLines(redact: (text: string) => string): TextFilter {
  const longest = 65_536;
  let pending = '';
  const push = (piece: string): string => {
    pending += piece;
    let cut = piece.includes('\n') ? pending.lastIndexOf('\n') + 1 : 0;
    if (cut === 0 && pending.length > 2 * longest) cut = sameWhenCut(pending, pending.length - longest, redact);
    const ready = pending.slice(0, cut);
    pending = pending.slice(cut);
    return redact(ready);
  };
  const flush = (): string => {
    const rest = redact(pending);
    pending = '';
    return rest;
  };
  return { push, flush };
}

function sameWhenCut(text: string, wish: number, redact: (text: string) => string): number {
  const whole = redact(text);
  for (let cut = wish; cut > 0; cut -= 1_021) {
    if (redact(text.slice(0, cut)) + redact(text.slice(cut)) === whole) return cut;
  }
  return text.length;
}
