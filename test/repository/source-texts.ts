/** A text in a source: of a string or of a template, where `…` is in the place of each value. */
export interface SourceText {
  readonly line: number;
  readonly text: string;
}

/** After these a `/` begins a regular expression, not a division. */
const BEFORE_PATTERN = /(?:^|[=(,:;!&|?{}[+*~^<>%-]|\b(?:return|typeof|case|of|in|await|throw))\s*$/;

/** All texts of a TypeScript source, in order, without those in comments. A scanner, not a parser: enough for our own. */
export function textsOf(source: string): SourceText[] {
  const found: SourceText[] = [];
  let at = 0;
  const lineAt = (offset: number): number => source.slice(0, offset).split('\n').length;
  const skipTo = (end: RegExp): void => {
    end.lastIndex = at;
    at = end.exec(source) === null ? source.length : end.lastIndex;
  };

  function quoted(quote: string): void {
    const line = lineAt(at);
    const begin = (at += 1);
    while (at < source.length && source[at] !== quote) at += source[at] === '\\' ? 2 : 1;
    found.push({ line, text: source.slice(begin, at) });
    at += 1;
  }

  function template(): void {
    const line = lineAt(at);
    const place = found.push({ line, text: '' }) - 1;
    let text = '';
    at += 1;
    while (at < source.length && source[at] !== '`') {
      if (source.startsWith('${', at)) {
        at += 2;
        code(true);
        text += '…';
      } else {
        const length = source[at] === '\\' ? 2 : 1;
        text += source.slice(at, at + length);
        at += length;
      }
    }
    at += 1;
    found[place] = { line, text };
  }

  function code(inTemplate: boolean): void {
    const begin = at;
    let depth = 0;
    while (at < source.length) {
      const next = source[at]!;
      if (source.startsWith('//', at)) skipTo(/$/gm);
      else if (source.startsWith('/*', at)) skipTo(/\*\//g);
      else if (next === "'" || next === '"') quoted(next);
      else if (next === '`') template();
      else if (next === '/' && BEFORE_PATTERN.test(source.slice(Math.max(begin, at - 40), at)))
        skipTo(/\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//g);
      else {
        if (next === '{') depth += 1;
        else if (next === '}' && inTemplate && depth === 0) break;
        else if (next === '}') depth -= 1;
        at += 1;
      }
    }
    at += 1;
  }

  code(false);
  return found;
}
