import { expect, it } from 'vitest';
import { badgeOf } from '../../../src/report/json/badge.ts';

it.each([
  ['completed', true, 'passed', 'brightgreen'],
  ['paused', false, 'waiting for approval', 'yellow'],
  ['error', false, 'failed', 'red'],
  // A needed job failed after its gate.
  ['completed', false, 'failed', 'red'],
] as const)('a badge of a run that is %s (%s) says %s', (status, isOk, message, color) => {
  expect(badgeOf({ pipeline: 'article', status }, isOk)).toEqual({
    schemaVersion: 1,
    label: 'article',
    message,
    color,
  });
});
