import fc from 'fast-check';
import type { JsonValue } from '../../src/json/json.ts';

const keys = fc.oneof(
  {
    arbitrary: fc.constantFrom(
      'a',
      'b',
      'x',
      'score',
      'validationResult',
      'issues',
      'constructor',
      'toString',
      '',
      '~',
      '/',
    ),
    weight: 3,
  },
  {
    arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }).filter((key) => key !== '__proto__' && key.isWellFormed()),
    weight: 1,
  },
);

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
    fc.dictionary(keys, tie('value'), { maxKeys: 4 }).map((object) => ({ ...object })),
  ),
})).value;
