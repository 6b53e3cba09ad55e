import { describe, expect, it } from 'vitest';
import {
  commentHash,
  commentMarker,
  compareRevisions,
  markerLine,
  parseCommentRevision,
} from '../../../src/report/github/comment-marker.ts';

const revision = { runNumber: 12, runAttempt: 3, records: 40 };
const line = markerLine('web', 'pr-7', revision);

describe('the mark of a comment', () => {
  it('is its first line, and is read back exactly', () => {
    expect(line.startsWith(commentMarker('web', 'pr-7'))).toBe(true);
    const mark = { ...revision, hash: commentHash('web', 'pr-7') };
    for (const rest of ['', '\n', '\nbody', '\r\nbody', `\n${markerLine('a', 'b', revision)}`])
      expect(parseCommentRevision(line + rest)).toEqual(mark);
  });

  it('tells pipelines and subjects apart', () => {
    const hashes = [
      ['web', 'pr-7'],
      ['web', 'pr-8'],
      ['api', 'pr-7'],
      ['web', 'pr-7"'],
      ['web","pr', '7'],
    ] as const;
    expect(new Set(hashes.map(([pipeline, subject]) => commentHash(pipeline, subject))).size).toBe(5);
  });

  it.each([
    '',
    `x\n${line}`,
    ` ${line}`,
    `> ${line}`,
    `\`${line}\``,
    `${line} more`,
    line.replace('-->', '--!>'),
    line.replace('12.3', '12.3.4'),
    line.replace('12.', '-12.'),
    line.replace('12.', '1e3.'),
    line.replace('12.', '12345678901.'),
    line.replace('gateline-comment/1', 'gateline-comment/2'),
    line.toUpperCase(),
  ])('is not %j', (body) => {
    expect(parseCommentRevision(body)).toBeUndefined();
  });

  it('puts pictures in the order of run, run attempt and records', () => {
    const at = (runNumber: number, runAttempt: number, records: number) => ({ runNumber, runAttempt, records });
    const sorted = [at(1, 1, 9), at(1, 2, 0), at(2, 1, 1), at(2, 1, 3), at(10, 1, 0)];
    expect(sorted.toReversed().sort(compareRevisions)).toEqual(sorted);
    expect(compareRevisions(at(1, 1, 1), at(1, 1, 1))).toBe(0);
  });
});
