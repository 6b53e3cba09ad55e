import fc from 'fast-check';
import type { JsonValue } from '../../src/json/json.ts';

const traps = [
  'a',
  'b',
  'x',
  'score',
  'validationResult',
  'issues',
  'constructor',
  'toString',
  '__proto__',
  '',
  '~',
  '/',
];

/** Any JSON value, with keys that the tests ask for and keys that are traps. */
export const jsonValues: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.oneof(fc.constantFrom(...traps), fc.string({ maxLength: 6 })), tie('value')), { maxLength: 4 })
      .map((entries) => Object.fromEntries(entries)),
  ),
})).value;
