import { expect, it } from 'vitest';
import type { JsonValue } from '../../src/json/json.ts';
import { countOf, cutText, groupDigits, listNames, valueText } from '../../src/verdict/texts.ts';
import { failedVerdict, verdictText } from '../../src/verdict/verdict.ts';

it('a value in a message is short', () => {
  const values: JsonValue[] = [null, true, 1.5, 'a"b', 'abcdef', [], [1, 2], {}, { a: 1 }];
  expect(values.map((value) => valueText(value, 5)).join(', ')).toBe(
    'null, true, 1.5, "a\\"b", "abcd…", an empty list, a list of 2, an empty object, an object',
  );
});

it('names are joined as people do it, and counted beyond some', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const lists = [0, 1, 2, 3, 5].map((count) => listNames(names.slice(0, count)));
  expect(lists).toEqual(['', 'a', 'a and b', 'a, b and c', 'a, b, c and 2 more']);
  expect(listNames(names, 5, 'or')).toBe('a, b, c, d or e');
});

it('text is cut between characters', () => {
  const cut = ['abcd', 'abcde', 'ab👍c', 'a👍bc', '\ud800'].map((text) => cutText(text, 4));
  expect(cut).toEqual(['abcd', 'abc…', 'ab…', 'a👍…', '\ufffd']);
});

it('numbers have groups of three digits', () => {
  const counts = [0, 1, 999, 1_000, 1_234_567].map((count) => countOf(count, 'gate'));
  expect(counts).toEqual(['0 gates', '1 gate', '999 gates', '1,000 gates', '1,234,567 gates']);
  expect(groupDigits(1234.567, 2)).toBe('1,234.57');
});

it('a verdict in one line says its kind, unless it is partial and says why', () => {
  const issue = { severity: 'warning', message: 'too low' } as const;
  const failed = failedVerdict('check', 'Do it.');
  const partial = { ...failed, status: 'partial', kind: 'partial' } as const;
  const texts = [failed, { ...failed, issues: [issue] }, { ...partial, issues: [issue] }, { ...partial, advice: '' }];
  expect(texts.map(verdictText)).toEqual(['check: Do it.', 'check: too low', 'too low', 'partial: ']);
  expect(
    failedVerdict(
      'schema',
      '',
      Array.from({ length: 101 }, () => issue),
    ).issues,
  ).toHaveLength(100);
});
