import { CapturedText } from './captured-text.ts';

/** A line longer than this is shown in pieces. */
const MAX_LINE = 16_384;

/** Shows a line, or a piece of one. @param goesOn whether the next piece is of the same line */
type ShowLine = (line: string, goesOn: boolean) => void;

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
  private readonly onLine: ShowLine | undefined;
  private escape = '';
  private line = '';
  private endedWithReturn = false;

  constructor(limit: number, redaction: TextFilter, onLine: ShowLine | undefined) {
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
    if (this.line !== '') this.onLine?.(this.line, false);
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
    for (const line of lines) this.onLine(this.showPieces(line), false);
    this.line = this.showPieces(this.line);
  }

  /** Shows what is too long for one piece. @returns the last piece */
  private showPieces(line: string): string {
    let at = 0;
    while (line.length - at > MAX_LINE) {
      const end = at + MAX_LINE;
      // Two halves of a character would be two unknown ones.
      const next = line.codePointAt(end - 1)! > 0xffff ? end - 1 : end;
      this.onLine?.(line.slice(at, next), true);
      at = next;
    }
    return line.slice(at);
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

/** A sequence longer than this is partly shown; waiting for its end would hide output and use memory. */
const MAX_TEXT = 4_096;

const CSI = String.raw`(?:\x1b\[|\x9b)[0-?]{0,256}[ -/]{0,16}`;
/** OSC, DCS, SOS, PM and APC: text up to BEL or ST. */
const TEXT = String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]{0,${MAX_TEXT}}`;
const OTHER = String.raw`\x1b[ -/]{0,8}`;

/** Escape sequences of ECMA-48, with 7-bit and 8-bit introducers. */
const SEQUENCE = new RegExp(`${CSI}[@-~]|${TEXT}(?:\\x07|\\x1b\\\\|\\x9c)|${OTHER}[0-OQ-WYZ\\\\\`-~]`, 'g');
/** A sequence that has begun and may continue. */
const BEGUN = new RegExp(`^(?:${CSI}|${TEXT}\\x1b?|${OTHER})$`);

const INTRODUCER = new RegExp(String.raw`[\x1b\x90\x98\x9b\x9d-\x9f]`);

/** Control characters except tab, line feed and carriage return. */
const CONTROL = new RegExp(String.raw`[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]`);
const CONTROLS = new RegExp(CONTROL, 'g');

/** Text without escape sequences and without control characters except tab, line feed and carriage return. */
function withoutEscapes(text: string): string {
  return CONTROL.test(text) ? text.replace(SEQUENCE, '').replace(CONTROLS, '') : text;
}

/** Start of an escape sequence that may continue in later text; the text's length if there is none. */
function openEscapeAt(text: string): number {
  let open = text.length;
  let seen = 0;
  // The last introducer may be the ESC of an ESC \ that ends the previous sequence.
  for (let at = text.length - 1; at >= Math.max(0, text.length - MAX_TEXT) && seen < 2; at -= 1) {
    if (!INTRODUCER.test(text.charAt(at))) continue;
    seen += 1;
    if (BEGUN.test(text.slice(at))) open = at;
  }
  return open;
}
