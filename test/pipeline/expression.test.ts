import { describe, expect, it } from 'vitest';
import { bareExpression, CHECK_RULES, IF_RULES, parseExpression } from '../../src/pipeline/expression.ts';
import { referencesIn } from '../../src/pipeline/checks/expression-references.ts';

describe('parseExpression', () => {
  it("gives the tree of GitHub's own parser", () => {
    const parsed = parseExpression("has(output, '/x') && score >= 80", CHECK_RULES);
    expect(parsed.ok).toBe(true);
  });

  it.each(["has(output, '')", 'has(output, output.x)', "has(output['a,b'], '/it''s') && has(output, format('x'))"])(
    'takes %s: it is not known to be no pointer',
    (text) => expect(parseExpression(text, CHECK_RULES)).toMatchObject({ ok: true }),
  );

  it.each([
    ['output.x == ', CHECK_RULES, 'syntax', 9],
    ['subject ==\n  && x', IF_RULES, 'syntax', 13],
    ['a', IF_RULES, 'unknown-name', 0],
    ['subject\n== github.sha', IF_RULES, 'unknown-name', 11],
    ['subject == always()', IF_RULES, 'unknown-function', 11],
    ['!__proto__()', IF_RULES, 'unknown-function', 1],
    ["subject == 'x", IF_RULES, 'syntax', 11],
    ['subject = 1', IF_RULES, 'syntax', 8],
    ["score > 1 && has(output, 'x')", CHECK_RULES, 'syntax', 25],
    ["HAS(fromJSON(format('[1,{0}]', output.x)), '/it''s/~2')", CHECK_RULES, 'syntax', 43],
    ['', IF_RULES, 'syntax', 0],
    ['('.repeat(60), IF_RULES, 'syntax', 50],
    ['!'.repeat(21_001), IF_RULES, 'syntax', 0],
  ])('says where and what kind of mistake %j has', (text, rules, kind, offset) => {
    const parsed = parseExpression(text, rules);
    expect(parsed.ok ? undefined : parsed.problem).toMatchObject({ kind, offset });
  });
});

describe('bareExpression', () => {
  it.each([
    ['a == b', 'a == b', 0],
    ['  a ', 'a', 2],
    ['${{ a }}', 'a', 4],
    [" ${{'}}' == a}} ", "'}}' == a", 4],
    ["'${{' == a", "'${{' == a", 0],
  ])('of %j', (condition, text, offset) => {
    expect(bareExpression(condition)).toEqual({ text, offset });
  });

  it.each(['${{ a }} && b', 'x ${{ a }}', '${{ a }}${{ b }}', '${{ a', 'not ${{ a }}'])(
    'there is none in %j',
    (condition) => {
      expect(bareExpression(condition)).toBeUndefined();
    },
  );
});

describe('referencesIn', () => {
  it('finds every context with its written path, also inside indices and calls', () => {
    const text = "!(needs.a).status && contains(metadata['k'][0].*, needs['b'].output[subject].x) || 'x' == subject";
    const parsed = parseExpression(text, IF_RULES);
    const found = parsed.ok ? referencesIn(parsed.expression) : [];
    expect(found.map(({ context, path, isOpen, comparedWith }) => ({ context, path, isOpen, comparedWith }))).toEqual([
      { context: 'needs', path: ['a', 'status'], isOpen: false, comparedWith: undefined },
      { context: 'metadata', path: ['k', '0'], isOpen: true, comparedWith: undefined },
      { context: 'needs', path: ['b', 'output'], isOpen: true, comparedWith: undefined },
      { context: 'subject', path: [], isOpen: false, comparedWith: undefined },
      { context: 'subject', path: [], isOpen: false, comparedWith: 'x' },
    ]);
  });
});
