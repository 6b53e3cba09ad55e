/** Where a text is no longer valid JSON. */
export interface JsonError {
  /** UTF-16 units from 0. */
  readonly offset: number;
  readonly problem:
    | 'end' // the text ends too early
    | 'value' // no value begins here
    | 'key' // no key begins here
    | 'colon'
    | 'comma' // neither `,` nor the closing bracket
    | 'trailing-comma'
    | 'after' // something follows the value
    | 'escape'
    | 'control' // a control character in a text
    | 'open-text'
    | 'number'
    | 'duplicate';
  /** Keys and indices that lead to it. */
  readonly path: ReadonlyArray<string | number>;
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const NUMBER_LIKE = /[-+.0-9a-zA-Z_]*/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SPACE = /[ \t\r\n]*/y;

interface Frame {
  /** The key or the index that is being read. */
  at: string | number;
  readonly keys: Set<string> | undefined;
}

/**
 * Find the first place at which a text breaks the grammar of RFC 8259, or `undefined` if it is valid. Slower than
 * `JSON.parse`: used after that has failed, and for duplicate keys, which it accepts. Without recursion.
 */
export function findJsonError(text: string, options: { readonly duplicates?: boolean } = {}): JsonError | undefined {
  return new Scan(text, options.duplicates ?? false).run();
}

class Scan {
  private at = 0;
  private readonly frames: Frame[] = [];
  private readonly text: string;
  private readonly duplicates: boolean;

  constructor(text: string, duplicates: boolean) {
    this.text = text;
    this.duplicates = duplicates;
  }

  run(): JsonError | undefined {
    this.space();
    for (;;) {
      const opened = this.value();
      if (typeof opened === 'object') return opened;
      if (opened) continue;
      const closed = this.closeOrNext();
      if (typeof closed === 'object') return closed;
      if (closed) break;
    }
    return this.at < this.text.length ? this.error('after') : undefined;
  }

  /**
   * Read a scalar (false), or open an object or array up to its first value (true); an empty one is treated as a
   * scalar.
   */
  private value(): boolean | JsonError {
    const char = this.text[this.at];
    if (char === '{' || char === '[') return this.open(char);
    if (char === '"') return this.string() ?? false;
    if (char === '-' || (char !== undefined && char >= '0' && char <= '9')) return this.number();
    for (const word of ['true', 'false', 'null']) {
      if (this.text.startsWith(word, this.at) && !/[A-Za-z0-9_]/.test(this.text[this.at + word.length] ?? '')) {
        this.at += word.length;
        return false;
      }
    }
    return this.error(char === undefined ? 'end' : 'value');
  }

  private open(bracket: string): boolean | JsonError {
    this.at += 1;
    this.space();
    if (this.text[this.at] === (bracket === '{' ? '}' : ']')) {
      this.at += 1;
      return false;
    }
    this.frames.push(bracket === '{' ? { at: '', keys: new Set() } : { at: 0, keys: undefined });
    return bracket === '{' ? (this.key() ?? true) : true;
  }

  /** After a value: close structures that end here; true if nothing is open, false before the next value. */
  private closeOrNext(): boolean | JsonError {
    for (;;) {
      this.space();
      const frame = this.frames.at(-1);
      if (frame === undefined) return true;
      const char = this.text[this.at];
      if (char === undefined) return this.error('end');
      if (char === (frame.keys ? '}' : ']')) {
        this.at += 1;
        this.frames.pop();
        continue;
      }
      if (char !== ',') return this.error('comma');
      const comma = this.at;
      this.at += 1;
      this.space();
      if (this.text[this.at] === '}' || this.text[this.at] === ']') return this.error('trailing-comma', comma);
      if (frame.keys) return this.key() ?? false;
      frame.at = Number(frame.at) + 1;
      return false;
    }
  }

  private key(): JsonError | undefined {
    const start = this.at;
    if (this.text[start] === undefined) return this.error('end');
    if (this.text[start] !== '"') return this.error('key');
    const wrong = this.string();
    if (wrong) return wrong;
    const frame = this.frames.at(-1)!;
    const key = JSON.parse(this.text.slice(start, this.at)) as string;
    frame.at = key;
    if (this.duplicates && frame.keys!.has(key)) return this.error('duplicate', start);
    if (this.duplicates) frame.keys!.add(key);
    this.space();
    if (this.text[this.at] !== ':') return this.error(this.text[this.at] === undefined ? 'end' : 'colon');
    this.at += 1;
    this.space();
    return undefined;
  }

  private string(): JsonError | undefined {
    const start = this.at;
    this.at += 1;
    for (;;) {
      this.skip(PLAIN);
      const char = this.text[this.at];
      if (char === '"') {
        this.at += 1;
        return undefined;
      }
      if (char === undefined) return this.error('open-text', start);
      if (char !== '\\') return this.error('control');
      if (!this.skip(ESCAPE)) return this.error('escape');
    }
  }

  private number(): false | JsonError {
    const start = this.at;
    this.skip(NUMBER);
    const end = this.at;
    this.at = start;
    this.skip(NUMBER_LIKE);
    return this.at === end && end > start ? false : this.error('number', start);
  }

  private space(): void {
    this.skip(SPACE);
  }

  /** Move past what the pattern matches here; false if it matches nothing. */
  private skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const matched = pattern.test(this.text);
    if (matched) this.at = pattern.lastIndex;
    return matched;
  }

  private error(problem: JsonError['problem'], offset = this.at): JsonError {
    return { offset, problem, path: this.frames.map((frame) => frame.at) };
  }
}
