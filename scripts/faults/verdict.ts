import type { Fault } from './fault.ts';

const JUDGE = ['test/verdict/judge.test.ts'];
const CHECKS = ['test/verdict/checks.test.ts'];
const SCHEMA = ['test/verdict/json-schema.test.ts'];

/** Faults in judging an output. */
export const VERDICT_FAULTS: readonly Fault[] = [
  {
    name: 'verdict: a score at the threshold does not pass',
    find: 'if (score >= threshold)',
    replace: 'if (score > threshold)',
    tests: JUDGE,
    why: 'a perfect score would not meet a threshold of 100',
  },
  {
    name: 'verdict: any result passes',
    find: "if (typeof found === 'string' && pass.includes(found)) return result;",
    replace: "if (typeof found === 'string') return result;",
    tests: JUDGE,
    why: 'a reviewer that asks for changes would let them through',
  },
  {
    name: 'verdict: a score is coerced',
    find: "if (typeof found === 'number' && found >= 0 && found <= 100) return { score: found };",
    replace: 'const score = Number(found);\n  if (score >= 0 && score <= 100) return { score };',
    tests: JUDGE,
    why: '`"95"`, null and true would be scores',
  },
  {
    name: 'verdict: what is exported need not be there',
    find: 'if (missing.length > 0) {\n    return',
    replace: 'if (missing.length === Infinity) {\n    return',
    tests: JUDGE,
    why: 'later gates would be handed less than they were promised',
  },
  {
    name: 'verdict: values of different kinds are compared as GitHub does',
    find: 'if (kinds[0] !== kinds[1]) {',
    replace: 'if (kinds.length > 2) {',
    tests: CHECKS,
    why: '`"95" >= 90` and `null <= 0` would pass',
  },
  {
    name: 'verdict: what is not there is null',
    find: 'throw new ExpressionRefusal(`there is no ${found.name}${hint}`, found);',
    replace: "return { value: hint === '' ? null : null, ...found };",
    tests: CHECKS,
    why: '`output.critical == null` would pass on `{}`',
  },
  {
    name: 'verdict: anything is true or false',
    find: "if (typeof operand.value === 'boolean') return operand.value;",
    replace: "if (operand.value !== 'nothing') return Boolean(operand.value);",
    tests: CHECKS,
    why: '`!output.blocked` would pass where `blocked` is an empty text',
  },
  {
    name: 'verdict: an unknown keyword is accepted',
    find: 'if (shapeOf(keyword, place.draft) !== undefined || isAnnotation(keyword)) return [];',
    replace: "if (shapeOf(keyword, place.draft) !== undefined || keyword !== '') return [];",
    tests: SCHEMA,
    why: 'a typo (`requird`) would open the gate',
  },
  {
    name: 'verdict: a format is a remark only',
    find: 'const formats = options.formats ?? true;',
    replace: 'const formats = options.formats ?? false;',
    tests: SCHEMA,
    why: '`format: email` would let anything through',
  },
];
