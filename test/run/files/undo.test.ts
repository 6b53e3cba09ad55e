import { describe, expect, it } from 'vitest';
import { originsOf, type Made } from '../../../src/run/files/undo.ts';
import type { TreeFile } from '../../../src/run/files/tree.ts';

/** A version by a letter; `-`: no file. */
const version = (letter: string): TreeFile | null => (letter === '-' ? null : { mode: '100644', blob: letter });

/** `a>b`: gates changed a to b. `b<a`: a rollback from b to a, `b<a…`: one that was interrupted. */
function history(...steps: string[]): Made[] {
  return steps.map((step, index) => {
    const [before, after] = [step[0]!, step[2]!];
    const what = step[1] === '>' ? 'gates' : step.endsWith('…') ? 'begun rollback' : 'rollback';
    const change = { path: 'p', before: version(before), after: version(after), copyFrom: `copies of ${index}` };
    return { what, at: `2030-01-01T00:00:0${index}.000Z`, changes: [change] };
  });
}

/** The version to go back to, its copy, and what gates left. `undefined`: the path is the user's own. */
function origin(...steps: string[]): string | undefined {
  const [found] = originsOf(history(...steps).toReversed());
  if (found === undefined || found.isUndone) return undefined;
  const left = found.left.map((file) => file?.blob ?? '-').join('');
  return `${found.before?.blob ?? '-'} (${found.copyFrom}; left ${left})`;
}

describe('how a path was before gates changed it', () => {
  it.each([
    ['one change', ['a>b'], 'a (copies of 0; left b)'],
    ['a new file', ['->b'], '- (copies of 0; left b)'],
    ['a removed file', ['a>-'], 'a (copies of 0; left -)'],
    ['several changes, whatever the order of the lists', ['a>b', 'b>c', 'c>d'], 'a (copies of 0; left bcd)'],
    ['the user changed it in between', ['a>b', 'u>c'], 'u (copies of 1; left bc)'],
    ['the user went back to the origin in between', ['a>b', 'a>c'], 'a (copies of 1; left bc)'],
    ['an interrupted call, and another', ['a>b', 'a>b'], 'a (copies of 1; left b)'],
    ['it was rolled back: it is the user’s again', ['a>b', 'b<a'], undefined],
    ['a rollback of it was interrupted', ['a>b', 'b<a…'], 'a (copies of 0; left ba)'],
    ['it was rolled back in part', ['a>c', 'c<b'], 'a (copies of 0; left cb)'],
    ['it was rolled back in part, and changed again', ['a>c', 'c<b', 'b>d'], 'a (copies of 0; left cbd)'],
    ['it was rolled back, and changed again', ['a>b', 'b<a', 'a>c'], 'a (copies of 0; left bac)'],
    [
      'it was rolled back over the user’s change, and changed again',
      ['a>b', 'u<a', 'a>c'],
      'a (copies of 0; left bac)',
    ],
    [
      'it was rolled back, and the user wrote it before it changed again',
      ['a>b', 'b<a', 'u>c'],
      'u (copies of 2; left bac)',
    ],
    [
      'it was rolled back, and the user wrote what gates had left before it changed again',
      ['->b', 'b<-', 'b>c'],
      'b (copies of 2; left b-c)',
    ],
    ['gates left it as it was', ['a>a'], 'a (copies of 0; left a)'],
    ['the same files were applied twice', ['->b', 'b>b'], '- (copies of 0; left b)'],
    ['an interrupted rollback was completed', ['a>b', 'b<a…', 'a<a'], undefined],
  ])('%s', (_, steps, expected) => {
    expect(origin(...steps)).toBe(expected);
  });

  it('takes the first copy of the version before, of a later call if gates left the path as it was', () => {
    const [first, second] = history('a>a', 'a<b');
    const { copyFrom: _, ...unchanged } = first!.changes[0]!;
    const [found] = originsOf([{ ...first!, changes: [unchanged] }, second!]);
    expect(found).toMatchObject({ before: version('a'), copyFrom: 'copies of 1', isUndone: false });
  });

  it('has nothing to say about rollbacks of paths that no gate changed', () => {
    expect(originsOf(history('b<a'))).toEqual([]);
  });
});
