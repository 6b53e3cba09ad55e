import { describe, expect, it } from 'vitest';
import { sumOf } from '../../src/history/amounts.ts';
import { costText, tokensText } from '../../src/report/amounts.ts';
import { bytesText } from '../../src/report/text.ts';

describe('figures', () => {
  it.each([
    [undefined, ''],
    [0, 'USD 0.00'],
    [0.00001, 'under USD 0.0001'],
    [0.01234, 'USD 0.012'],
    [0.1 + 0.2, 'USD 0.30'],
    [1, 'USD 1.00'],
    [1234.567, 'USD 1,234.57'],
    [1e300, 'over USD 1,000,000,000'],
  ])('of cost %j are %j: never with $, two of which GitHub shows as mathematics', (cost, text) => {
    expect(costText(cost)).toBe(text);
  });

  it.each([
    [undefined, ''],
    [0, '0'],
    [1540, '1,540'],
    [12.6, '13'],
    [2_345_678, '2.3 million'],
    [1e300, 'over 1,000 million'],
  ])('of tokens %j are %j', (tokens, text) => {
    expect(tokensText(tokens)).toBe(text);
  });

  it('of bytes have the unit that people read', () => {
    expect([340, 12_288, 3_565_158].map(bytesText)).toEqual(['340 bytes', '12 KiB', '3.4 MiB']);
  });

  it('stay unknown where nothing is known, and are summed where something is', () => {
    const nothing = { ms: undefined, costUsd: undefined, tokens: undefined };
    expect(sumOf([nothing, nothing])).toEqual(nothing);
    expect(sumOf([nothing, { ...nothing, ms: 3 }, { ms: 4, costUsd: 0, tokens: 1 }])).toEqual({
      ms: 7,
      costUsd: 0,
      tokens: 1,
    });
  });
});
