import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  answersOf,
  evaluateCondition,
  evaluateText,
  evaluateValue,
  type Status,
} from '../../support/runner/expressions.ts';

const contexts = { github: { job: 'a', event: { number: 7 } }, env: { A: "it's", EMPTY: '' }, needs: {} };

describe('an expression', () => {
  it.each([
    ['plain', 'plain'],
    ['${{ github.job }}', 'a'],
    ['x ${{ github.job }}-${{ env.A }} y', "x a-it's y"],
    ["${{ 'it''s ''}} fine''' }}", "it's '}} fine'"],
    ['${{ github.nothing.deep }}|', '|'],
    ['${{ toJSON(github.event) }}', '{\n  "number": 7\n}'],
    ["${{ format('{0}{{1}}', 1) }}", '1{1}'],
    ["${{ fromJSON('[1]')[0] == 1 }}", 'true'],
    ['${{ github }}', 'Object'],
    ['$ { { ${{github.job}}', '$ { { a'],
  ])('%s in a text', (text, value) => {
    expect(evaluateText(text, contexts)).toBe(value);
  });

  it('keeps its type where it stands alone', () => {
    expect(evaluateValue({ a: ['${{ github.event }}', '${{ 1 }}', ' ${{ true }} ', 'n${{ 1 }}'] }, contexts)).toEqual({
      a: [{ number: 7 }, 1, true, 'n1'],
    });
  });

  it.each(['${{ secrets.A }}', '${{ nope() }}', '${{ success() }}', '${{ github. }}', "${{ 'open }}"])(
    '%s is an error where GitHub has it as one',
    (text) => {
      expect(() => evaluateText(text, contexts)).toThrow(/^\$\{\{ .*: /);
    },
  );

  it('has any text in quotes as it is', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(evaluateText(`\${{ '${text.replaceAll("'", "''")}' }}`, contexts)).toBe(text);
      }),
    );
  });
});

describe('an `if`', () => {
  it.each<[string | undefined, Status, boolean]>([
    [undefined, 'success', true],
    [undefined, 'failure', false],
    ['', 'cancelled', false],
    ["github.job == 'a'", 'success', true],
    ["${{ github.job == 'a' }}", 'failure', false],
    ["github.job == 'always()'", 'failure', false],
    ["always() && github.job == 'a'", 'cancelled', true],
    ['failure()', 'failure', true],
    ['failure()', 'cancelled', false],
    ['!cancelled()', 'failure', true],
    ['CANCELLED ()', 'cancelled', true],
    ['env.EMPTY', 'success', false],
    ["'false'", 'success', true],
  ])('%s after %s is %s', (condition, status, holds) => {
    expect(evaluateCondition(condition, answersOf(status), contexts)).toBe(holds);
  });

  it('of two expressions is an error: it would always hold', () => {
    expect(() => evaluateCondition('${{ false }} && ${{ false }}', answersOf('success'), contexts)).toThrow('one expr');
  });
});
