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
export function withoutEscapes(text: string): string {
  return CONTROL.test(text) ? text.replace(SEQUENCE, '').replace(CONTROLS, '') : text;
}

/** Start of an escape sequence that may continue in later text; the text's length if there is none. */
export function openEscapeAt(text: string): number {
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
