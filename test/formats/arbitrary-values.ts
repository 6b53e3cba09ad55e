import fc from 'fast-check';
import type { JsonValue } from '../../src/json/json.ts';
import { HOSTILE } from '../report/hostile.ts';
import { jsonValues } from '../verdict/json-values.ts';

/** Texts as agents write them; some are cut inside a character. */
export const texts: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...HOSTILE, 'plain words', '- a: b', '"', "'", '# x', '---', 'a\n---\nb', ' x ', 'cut \ud83d'),
  fc.string({ unit: 'binary', maxLength: 30 }),
);

/** Values of outputs, as they are read from JSON: without -0. */
export const outputs: fc.Arbitrary<JsonValue> = jsonValues.map(
  (value) => JSON.parse(JSON.stringify(value)) as JsonValue,
);
