import { describe, expect, it } from 'vitest';
import { parseScalar } from '../../src/cli/options.ts';

describe('a value on the command line', () => {
  it.each([
    ['true', true],
    ['false', false],
    ['null', null],
    ['0', 0],
    ['-1.5', -1.5],
    ['1e+21', 1e21],
  ])('%j is %j', (text, value) => {
    expect(parseScalar(text)).toBe(value);
  });

  it('stays text where a number would lose characters', () => {
    const texts = ['', ' 1', '1.10', '1234e05', '007', '+1', '-0', '1e3', 'NaN', 'Infinity', 'True', 'yes', '0x10'];
    for (const text of [...texts, '12345678901234567890', '[1]']) expect(parseScalar(text)).toBe(text);
  });
});
