// What every agent here does: read the request, write the output.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export const request = JSON.parse(readFileSync(process.env.GATELINE_REQUEST, 'utf8'));
/** The exports of a gate before this one. */
export const exportsOf = (gate) => request.needs[gate].output;

export function writeFile(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Writes the output; the score is the share of `total` without an issue. */
export function finish(output, total, issues) {
  const score = Math.round((100 * Math.max(0, total - issues.length)) / total);
  const validationResult = { score, issues, passed: score >= 80 };
  writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify({ ...output, validationResult }, null, 2));
}
