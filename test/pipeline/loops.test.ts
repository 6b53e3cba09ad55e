import { describe, expect, it } from 'vitest';
import { said } from './reading.ts';

const WARNING =
  'warning GOTO_WITHOUT_FILES on-fail: goto: `write` has no `files`, so its next iteration starts without the work of ' +
  'the last one; add `files: changed` to `write`, or `files: []` if its output is all of its work';

/** Two gates, of which the second may send back the work of the first. */
function loop(write: string): string {
  return `gates:\n  write: {${write}}\n  review:\n    needs: write\n    on-fail:\n      goto: write\n`;
}

describe('a gate that work is sent back to and that hands on no files', () => {
  it('is a warning, at the place that names it', () => {
    expect(said(loop(''))).toEqual([`6:13 ${WARNING}`]);
  });

  it('is a warning in a group, too', () => {
    const group = 'groups: {checks: {gates: [review], on-fail: {goto: write}}}';
    expect(said(`${group}\ngates: {write: {}, review: {needs: write}}`)).toEqual([`1:52 ${WARNING}`]);
  });

  it.each(['files: changed', 'files: [src/**]', 'files: []', 'workspace: in-place'])('is none with %s', (keys) => {
    expect(said(loop(keys))).toEqual([]);
  });

  it('is not said about a gate that cannot do the work again', () => {
    const text = 'gates: {write: {}, other: {}, review: {needs: write, on-fail: {goto: other}}}';
    expect(said(text)).toEqual([expect.stringContaining('GOTO_NOT_UPSTREAM')]);
  });
});
