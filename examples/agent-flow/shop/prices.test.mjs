import assert from 'node:assert/strict';
import test from 'node:test';
import { format, sum, withTax } from './prices.mjs';

test('sum', () =>
  assert.equal(
    sum([
      { cents: 250, count: 2 },
      { cents: 99, count: 1 },
    ]),
    599,
  ));
test('withTax', () => assert.equal(withTax(1_000, 0.19), 1_190));
test('format', () => assert.equal(format(1_190), '11.90 EUR'));
