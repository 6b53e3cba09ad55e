import { jsonText } from '../../report/json/json-text.ts';
import type { CliWorld } from '../world.ts';

/** Characters that are written at a time. */
const PIECE = 64 * 1_024;

/** Writes a long text piece by piece, so that it is never completely in memory. */
export function printPieces({ out }: Pick<CliWorld, 'out'>, pieces: Iterable<string>): void {
  let waiting = '';
  for (const piece of pieces) {
    waiting += piece;
    if (waiting.length < PIECE) continue;
    out.write(waiting);
    waiting = '';
  }
  if (waiting !== '') out.write(waiting);
}

/**
 * One JSON document with a long list, `entries`, as `printJson` would write it.
 * @param after what follows the list, known when the list has ended
 */
export function* jsonPieces(format: string, entries: Iterable<unknown>, after: () => object): Generator<string> {
  yield `{\n  "format": ${JSON.stringify(format)},\n  "entries": [`;
  let number = 0;
  for (const entry of entries) {
    yield `${number === 0 ? '' : ','}\n    ${jsonText(entry).trimEnd().replaceAll('\n', '\n    ')}`;
    number += 1;
  }
  const rest = jsonText(after()).replace(/^\{\n/, '');
  yield `${number === 0 ? '' : '\n  '}],\n${rest}`;
}
