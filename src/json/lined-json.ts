import type { JsonObject, JsonValue } from './json.ts';

/**
 * JSON for readers that count lines: indented by two spaces as `JSON.stringify(value, null, 2)` does, but an array of
 * scalars is on one line, and so is each item of a list below the key `compact` of the value. No line break at the end.
 */
export function linedJson(value: JsonObject, compact: string): string {
  return lined(value, '', (key) => key === compact);
}

type IsCompact = (key: string) => boolean;

function lined(value: JsonValue, indent: string, isCompact: IsCompact, isInside = false): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.every((item) => item === null || typeof item !== 'object'))
      return `[${value.map((item) => JSON.stringify(item)).join(', ')}]`;
    const items = value.map((item) => (isInside ? JSON.stringify(item) : lined(item, inner, NEVER)));
    return `[\n${items.map((item) => `${inner}${item}`).join(',\n')}\n${indent}]`;
  }
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  if (entries.length === 0) return '{}';
  const lines = entries.map(
    ([key, item]) => `${inner}${JSON.stringify(key)}: ${lined(item, inner, NEVER, isInside || isCompact(key))}`,
  );
  return `{\n${lines.join(',\n')}\n${indent}}`;
}

const NEVER: IsCompact = () => false;
