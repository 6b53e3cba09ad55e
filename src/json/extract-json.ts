/** In UTF-16 code units. No answer of a language model is longer. */
const MAX_LENGTH = 16 * 1024 * 1024;

/**
 * The one JSON object or list in a text that a language model wrote: in a Markdown fence, else between prose. Never a
 * part of a value that is broken or cut off.
 * @returns the text of the value, or why there is not exactly one
 */
export function extractJson(text: string): { readonly json: string } | { readonly problem: string } {
  if (text.length > MAX_LENGTH) return { problem: '`extract: json` reads at most 16 MiB' };
  const fenced = findFenced(text).filter(isObjectOrList);
  const values = fenced.length > 0 ? fenced : findValues(text).filter(isObjectOrList);
  if (values.length === 1) return { json: values[0]! };
  const count = values.length === 0 ? 'no whole JSON object or list' : `${values.length} JSON objects or lists`;
  return { problem: `\`extract: json\` takes exactly one JSON object or list; the text has ${count}` };
}

/** The contents of Markdown fences. By lines, in linear time: a pattern would search the end of each fence anew. */
function findFenced(text: string): string[] {
  const bodies: string[] = [];
  let fence: { readonly marker: string; readonly start: number } | undefined;
  let at = 0;
  for (const line of text.split('\n')) {
    const [, marker, rest = ''] = /^[ \t]*(`{3,}|~{3,})(.*)$/s.exec(line) ?? [];
    const end = at + line.length + 1;
    if (fence === undefined) {
      if (marker !== undefined) fence = { marker, start: end };
    } else if (marker?.startsWith(fence.marker) && /^[`~ \t\r]*$/.test(rest)) {
      bodies.push(text.slice(fence.start, at).trim());
      fence = undefined;
    }
    at = end;
  }
  return bodies;
}

/** The parts between matching brackets, outermost only; none if a bracket is never closed. */
function findValues(text: string): string[] {
  const values: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]!;
    if (char === '"' && depth > 0) {
      for (at += 1; at < text.length && text[at] !== '"'; at += 1) if (text[at] === '\\') at += 1;
    } else if (char === '[' || char === '{') {
      if (depth === 0) start = at;
      depth += 1;
    } else if ((char === ']' || char === '}') && depth > 0) {
      depth -= 1;
      if (depth === 0) values.push(text.slice(start, at + 1));
    }
  }
  return depth === 0 ? values : [];
}

function isObjectOrList(text: string): boolean {
  if (!/^[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
