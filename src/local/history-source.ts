import { stat } from 'node:fs/promises';
import { GatelineError, isSystemError } from '../errors/gateline-error.ts';
import { linesOfDocument } from '../history/document.ts';
import { isAboutGates } from '../history/read.ts';
import type { HistorySource } from '../history/query.ts';
import { linesFromEnd } from '../store/filesystem/history/line-file.ts';

/**
 * A file with entries: a copy of `history.jsonl`, with one entry per line about runs, about their gates, or both; or
 * the document of a report.
 * @param path absolute
 * @throws GatelineError `INPUT_INVALID` if there is no such file
 */
export async function readHistoryFile(path: string): Promise<HistorySource> {
  try {
    await stat(path);
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
    throw new GatelineError('INPUT_INVALID', `${path} does not exist`, {
      hint: '`local` is the history of this workspace; anything else is the name of a file.',
    });
  }
  return { entries: () => lines(path, false), gates: () => lines(path, true) };
}

function* lines(path: string, aboutGates: boolean): Generator<readonly string[]> {
  for (const some of linesFromEnd(path)) {
    const all = some.toReversed().flatMap((line) => linesOfDocument(line) ?? [line]);
    yield all.filter((line) => isAboutGates(line) === aboutGates);
  }
}
