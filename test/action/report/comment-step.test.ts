import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseStep } from '../../../src/action/report/comment-step.ts';
import { compareRevisions, type CommentRevision } from '../../../src/report/github/comment-marker.ts';
import { parseRevision, pictureOf } from '../comment/pictures.ts';

const HIGHEST: CommentRevision = { runNumber: 9, runAttempt: 9, records: 9 };
const MARKED = pictureOf(HIGHEST, 'c').body;
const counter = fc.nat({ max: 3 });
const revisions: fc.Arbitrary<CommentRevision> = fc.record({
  runNumber: counter,
  runAttempt: counter,
  records: counter,
});
const comments = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: 1, max: 99 }),
    body: fc.oneof(
      fc.tuple(revisions, fc.constantFrom('a', 'b')).map(([revision, text]) => pictureOf(revision, text).body),
      fc.constantFrom(
        '',
        'hello',
        ` ${MARKED}`,
        `\n${MARKED}`,
        pictureOf(HIGHEST, 'a', 'other').body,
        MARKED.replace('-->', '--> x'),
      ),
    ),
  }),
  { selector: ({ id }) => id, maxLength: 6 },
);
const pictures = fc.tuple(revisions, fc.constantFrom('a', 'b')).map(([revision, text]) => pictureOf(revision, text));

describe('a look at what stands', () => {
  it('touches marked comments only, and lets the lowest id count, in whatever order they come', () => {
    fc.assert(
      fc.property(comments, pictures, (own, picture) => {
        const { step, duplicates } = chooseStep(own, picture, parseRevision);
        const marked = own
          .filter(({ body }) => body.startsWith(MARKED.slice(0, 40)) && / -->\n[ab]$/.test(body))
          .map(({ id }) => id);
        const [lowest, ...others] = marked.toSorted((a, b) => a - b);
        expect('id' in step ? step.id : undefined).toBe(lowest);
        expect(duplicates).toEqual(others);
        expect(chooseStep(own.toReversed(), picture, parseRevision)).toEqual({ step, duplicates });
      }),
    );
  });

  it('writes only what is newer, or differs', () => {
    fc.assert(
      fc.property(revisions, pictures, (stands, picture) => {
        const own = [{ id: 1, body: pictureOf(stands, 'a').body }];
        const { step } = chooseStep(own, picture, parseRevision);
        const order = compareRevisions(stands, picture.revision);
        if (order > 0) expect(step).toEqual({ do: 'keep', id: 1, because: 'newer' });
        else if (order === 0 && own[0]!.body === picture.body) expect(step).toMatchObject({ because: 'same' });
        else expect(step).toMatchObject({ do: 'update', id: 1, over: stands });
      }),
    );
  });

  it('takes a body that came back with other line ends for the same', () => {
    const picture = pictureOf({ runNumber: 1, runAttempt: 1, records: 1 }, 'a\nb\n');
    const body = picture.body.replaceAll('\n', '\r\n').trimEnd();
    expect(chooseStep([{ id: 1, body }], picture, parseRevision).step).toMatchObject({ do: 'keep', because: 'same' });
  });

  it('leaves a picture of the same records alone once it has written', () => {
    const revision = { runNumber: 1, runAttempt: 1, records: 1 };
    const own = [{ id: 1, body: pictureOf(revision, 'at noon').body }];
    const picture = pictureOf(revision, 'a second later');
    expect(chooseStep(own, picture, parseRevision).step.do).toBe('update');
    expect(chooseStep(own, picture, parseRevision, own[0]).step).toMatchObject({ do: 'keep', because: 'same' });
  });
});
