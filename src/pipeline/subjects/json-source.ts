import { jsonPlaces } from '../../json/json-places.ts';
import { findJsonError } from '../../json/json-scan.ts';
import { parseJson, type JsonIssue, type JsonLimits } from '../../json/parse-json.ts';
import { parentPointers } from '../../json/pointer.ts';
import { inWords, type ProblemPlace } from '../problem.ts';
import type { DefinitionSource } from '../source.ts';

/**
 * Reads untrusted JSON as a definition whose parts know their lines. A document that is not exactly one JSON value has
 * one problem. Never throws.
 * @param hint what such a file looks like
 */
export function readJsonSource(bytes: Uint8Array, file: string, limits: JsonLimits, hint: string): DefinitionSource {
  const parsed = parseJson(bytes, limits);
  const text = new TextDecoder().decode(bytes.subarray(0, limits.maxBytes));
  const lines = lineStarts(text);
  const placeAt = (offset: number, pointer: string): ProblemPlace => {
    const line = lines.findLastIndex((start) => start <= offset);
    return { file, line: line + 1, column: offset - lines[line]! + 1, pointer };
  };
  if (!parsed.ok) {
    const { message, pointer = '' } = parsed.issue;
    const place = placeAt(offsetOf(text, parsed.issue), pointer);
    const problem = { severity: 'error', code: 'JSON_SYNTAX', message, hint, place } as const;
    return sourceOf(undefined, [problem], () => place);
  }
  const spots = jsonPlaces(text);
  return sourceOf(parsed.value, [], (pointer, of) => {
    // A part that is missing is placed at what should contain it.
    const known = [pointer, ...parentPointers(pointer)].map((one) => spots.get(one)).find((spot) => spot !== undefined);
    return placeAt(known?.[of] ?? 0, pointer);
  });
}

function sourceOf(
  value: DefinitionSource['value'],
  problems: DefinitionSource['problems'],
  place: (pointer: string, of: 'key' | 'value') => ProblemPlace,
): DefinitionSource {
  return {
    value,
    problems,
    at: (pointer, details) => {
      const { code, hint, severity = 'error', of = 'value' } = details;
      const message = inWords(details);
      return { severity, code, message, ...(hint !== undefined && { hint }), place: place(pointer, of) };
    },
    placeOf: (pointer) => place(pointer, 'key'),
    numberAsWritten: () => undefined,
    isLiteral: () => true,
  };
}

/** Where the document is refused; 0 if only its bytes say so. */
function offsetOf(text: string, { pointer }: JsonIssue): number {
  const error = findJsonError(text, { duplicates: true });
  if (error !== undefined) return error.offset;
  return pointer === undefined ? 0 : (jsonPlaces(text).get(pointer)?.key ?? 0);
}

function lineStarts(text: string): number[] {
  return [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
}
