import { describe, expect, it } from 'vitest';
import { listed } from '../../src/verdict/value-texts.ts';

describe('a list in a sentence', () => {
  it('is joined by commas and one word', () => {
    expect([listed([], 'or'), listed(['a'], 'or'), listed(['a', 'b'], 'or'), listed(['a', 'b', 'c'], 'and')]).toEqual([
      '',
      'a',
      'a or b',
      'a, b and c',
    ]);
  });

  it('names as many as it may, and counts only those above that', () => {
    expect(listed(['a', 'b', 'c'], 'and', 3)).toBe('a, b and c');
    expect(listed(['a', 'b', 'c', 'd'], 'and', 3)).toBe('a, b, c and 1 more');
    expect(listed(['a', 'b', 'c', 'd', 'e'], 'or', 3)).toBe('a, b, c or 2 more');
  });
});
