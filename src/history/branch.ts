import { entryLine, gatesLine } from './entry-line.ts';
import type { RunHistory } from './entry.ts';
import { isAboutGates } from './read.ts';

/** The branch that `gateline history --from branch` reads. */
export const HISTORY_BRANCH = 'gateline-history';

const DAY_FILE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}\.jsonl$/;
const LINE_BREAK = 0x0a;

/** Whether a file of a history branch has entries: those of the runs that began on one day, in UTC. */
export function isDayFile(name: string): boolean {
  return DAY_FILE.test(name);
}

/** The lines of such a file that are about gates, or those about runs; the newest first. */
export function newestLines(file: Buffer, aboutGates: boolean): string[] {
  const lines = file.toString('utf8').split('\n');
  return lines.filter((line) => isAboutGates(line) === aboutGates).toReversed();
}

/**
 * The lines of some runs, by file: `2026-11-24.jsonl`, the same for all attempts of a run. The line of a run comes
 * after that of its gates, as in a workspace.
 */
export function linesByDay(runs: readonly RunHistory[]): Map<string, string[]> {
  const byDay = Map.groupBy(runs, ({ entry: { started } }) => `${started.slice(0, 10)}.jsonl`);
  return new Map(
    [...byDay].map(([file, own]) => [file, own.flatMap((run) => [gatesLine(run.gates), entryLine(run.entry)])]),
  );
}

/**
 * A file with the lines that it lacks at its end. What is there stays, byte for byte, whether it can be read or not.
 * `undefined`: it has them all.
 */
export function withLines(file: Buffer, lines: readonly string[]): Buffer | undefined {
  const known = new Set(file.toString('utf8').split('\n'));
  const lacking = [...new Set(lines)].filter((line) => !known.has(line));
  if (lacking.length === 0) return undefined;
  const isWhole = file.length === 0 || file.at(-1) === LINE_BREAK;
  return Buffer.concat([file, Buffer.from(`${isWhole ? '' : '\n'}${lacking.join('\n')}\n`)]);
}
