import { Buffer } from 'node:buffer';

/** Bytes that one list of a checkpoint may take: three of them and everything else stay below its limit. */
export const LIST_BUDGET = 10_000;

/** Lines of a Markdown list in at most about that many UTF-8 bytes; the rest is counted in a last line. Never cuts a line. */
export function boundedList(lines: readonly string[], budget: number): string {
  let left = budget;
  const kept: string[] = [];
  for (const line of lines) {
    left -= Buffer.byteLength(line) + 1;
    if (left < 0) break;
    kept.push(line);
  }
  const rest = lines.length - kept.length;
  return rest === 0 ? kept.join('\n') : [...kept, `- … and ${rest} more`].join('\n');
}
