import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/untrusted/redact.ts';
import { apart } from './tokens.ts';

const dashes = '-'.repeat(5);
const SECRET = 'kx8Qm-2Lp9Rw';
const redactor = createRedactor({ secrets: { S: SECRET, LOW: 'aaaaaaaa' } });

/** Beginnings of secrets without end, prefixes of patterns one after the other, and secrets only. */
const HOSTILE = [
  'a',
  'eyJ',
  'eyJa.',
  'gh',
  'ghp_',
  'ghs_a.',
  'sk-',
  'sk-proj-',
  '://',
  '://a:',
  '://a:b',
  ':',
  '/',
  '@',
  `${dashes}BEGIN ${apart('PRIVATE', ' KEY')}${dashes}\n`,
  `${dashes}BEGIN `,
  dashes,
  'bearer ',
  'authorization: ',
  'secret_access_key="',
  `secret_access_key ${'A'.repeat(39)} `,
  'AKIA',
  'AIza',
  'SG.',
  'xoxb-',
  '\\',
  '"',
  SECRET.slice(0, -1),
  SECRET,
];

function millisecondsFor(text: string): number {
  const begin = performance.now();
  redactor.redactText(text);
  return performance.now() - begin;
}

describe('redaction takes linear time', () => {
  it.each(HOSTILE)('on 4 MB of %j', (unit) => {
    const text = (megabytes: number): string => unit.repeat(Math.ceil((megabytes * 1e6) / unit.length));
    redactor.redactText(text(0.1));
    const small = Math.max(5, Math.min(millisecondsFor(text(0.2)), millisecondsFor(text(0.2))));
    // Twenty times the text takes some twenty times as long, where a quadratic cost would be four hundred times.
    expect(millisecondsFor(text(4))).toBeLessThan(small * 150);
  });
});
