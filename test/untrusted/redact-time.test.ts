import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/untrusted/redact.ts';
import { apart } from './tokens.ts';
import { someOf } from '../support/test-size.ts';

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

/** Of this process alone: what else goes on on the machine does not matter. */
function millisecondsFor(text: string): number {
  const begin = process.cpuUsage();
  redactor.redactText(text);
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1_000;
}

describe('redaction takes linear time', () => {
  it.each(someOf(HOSTILE, 8))('on 4 MB of %j', (unit) => {
    const text = (megabytes: number): string => unit.repeat(Math.ceil((megabytes * 1e6) / unit.length));
    redactor.redactText(text(0.1));
    const small = Math.max(5, Math.min(millisecondsFor(text(0.2)), millisecondsFor(text(0.2))));
    // Twenty times the text takes some twenty times as long, where a quadratic cost would be four hundred times.
    expect(millisecondsFor(text(4))).toBeLessThan(small * 150);
  });
});
