import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_SLUG_LENGTH, subjectSlug } from '../../../src/run/records/subject.ts';
import { drawn } from '../../support/samples.ts';

const subjects = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 100 }),
  fc.string({ unit: fc.constantFrom('a', 'A', 'é', '.', '-', '_', '/', ' ', '1', '分'), maxLength: 8 }),
  fc.constantFrom('con', 'con.txt', 'COM1', 'nul', '..', '.', '', 'lpt9.a.b', '\ud800', '\udc00'),
);

describe('the slug of a subject', () => {
  it.each(['pr-42', 'demoqa_com-student_registration', 'main', 'v1.2.3', 'a', 'a'.repeat(80)])(
    'is the subject itself where that is a good name: %s',
    (subject) => {
      expect(subjectSlug(subject)).toBe(subject);
    },
  );

  it.each([
    ['Feature/Login', /^feature-login-[0-9a-f]{6}$/],
    ['Ünï çödé', /^uni-code-[0-9a-f]{6}$/],
    ['分支', /^subject-[0-9a-f]{6}$/],
    ['', /^subject-[0-9a-f]{6}$/],
    ['../../etc/passwd', /^etc-passwd-[0-9a-f]{6}$/],
    ['con', /^_con-[0-9a-f]{6}$/],
    ['aux.md', /^_aux.md-[0-9a-f]{6}$/],
    ['a'.repeat(81), /^a{73}-[0-9a-f]{6}$/],
  ])('reads like the subject and ends in six digits of its digest where it was changed: %s', (subject, slug) => {
    expect(subjectSlug(subject)).toMatch(slug);
  });

  it('is a safe name for files on every system, whatever the subject', () => {
    fc.assert(
      fc.property(subjects, fc.constantFrom(6, 16), (subject, digits) => {
        const slug = subjectSlug(subject, digits);
        expect(slug).toMatch(/^[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?$/);
        expect(slug.length).toBeLessThanOrEqual(MAX_SLUG_LENGTH);
        expect(slug).not.toMatch(/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/);
      }),
      drawn(2_000),
    );
  });

  it('is never shared by two subjects with 16 digits', () => {
    fc.assert(
      fc.property(subjects, subjects, (a, b) => (subjectSlug(a, 16) === subjectSlug(b, 16)) === (a === b)),
      drawn(5_000),
    );
  });

  it('is not shared by a subject that looks like the slug of another one', () => {
    fc.assert(
      fc.property(subjects, fc.constantFrom(6, 16), (subject, digits) => {
        const slug = subjectSlug(subject, digits);
        fc.pre(slug !== subject);
        expect(subjectSlug(slug, 6)).not.toBe(slug);
        expect(subjectSlug(slug, 16)).not.toBe(slug);
      }),
    );
  });

  it('with fewer digits is the beginning of the one with more, so that people can match them', () => {
    expect(subjectSlug('Feature/Login', 16).startsWith(subjectSlug('Feature/Login'))).toBe(true);
  });
});
