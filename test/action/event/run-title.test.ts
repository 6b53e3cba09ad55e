import { expect, it } from 'vitest';
import { titleHolds } from '../../../src/action/event/run-title.ts';

it.each([
  ['Rework 12#3', '12#3', true],
  ['Rework of 12#3 (maria)', '12#3', true],
  ['(12#3)', '12#3', true],
  ['Rework 12#34', '12#3', false],
  ['Rework 112#3', '12#3', false],
  ['Rework x12#3', '12#3', false],
  ['Rework 12 3', '12#3', false],
  ['gateline from a.b of run 12: ', 'gateline from a.b of run 12:', true],
  ['gateline from a.b of run 12:', 'gateline from a.b of run 12:', true],
  ['gateline from axb of run 12:', 'gateline from a.b of run 12:', false],
  ['gateline from a of run 123:', 'gateline from a of run 12', false],
  ['Disgateline approve a of run 12: sha256:ab', 'gateline approve a of run 12: sha256:ab', false],
  ['gateline approve a of run 12: sha256:abc', 'gateline approve a of run 12: sha256:ab', false],
  ['', '12#3', false],
])('of %j: whether %j is in it is %j', (title, marker, holds) => {
  expect(titleHolds(title, marker)).toBe(holds);
});
