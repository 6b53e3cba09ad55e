import { describe, expect, it } from 'vitest';
import { leftEnvelope } from '../../../src/formats/state-guide/left-envelope.ts';
import type { JsonValue } from '../../../src/json/json.ts';

const METADATA = { domain: 'demoqa_com', feature: 'form', url: 'https://demoqa.com/' };
const SOUND = {
  gate: 1,
  agent: 'Agent',
  status: 'PARTIAL',
  metadata: METADATA,
  output: { a: [1] },
  validation: { score: 40, issues: ['too few'], passed: false },
};
const read = (value: unknown, metadata = METADATA) => leftEnvelope(value as JsonValue, { number: 1, metadata });

describe('leftEnvelope', () => {
  it('gives the output, and what the agent says of itself as remarks', () => {
    expect(read(SOUND)).toEqual({
      output: { a: [1] },
      hasFailed: false,
      issues: [
        { severity: 'notice', message: 'too few' },
        { severity: 'notice', message: expect.stringContaining('PARTIAL with a score of 40') as string },
      ],
    });
    expect(read({ ...SOUND, status: 'FAILED' })).toMatchObject({
      hasFailed: true,
      issues: [{ severity: 'error' }, { message: "the agent's own state file says FAILED with a score of 40" }],
    });
  });

  it('does not compare what the pipeline does not say', () => {
    expect(leftEnvelope(SOUND, { number: 1, metadata: { domain: '' } })).toMatchObject({ output: { a: [1] } });
  });

  it('names each place that is wrong, and no value of the output', () => {
    const wrong = { ...SOUND, gate: 2, metadata: { ...METADATA, domain: 'x', url: 'y' } };
    const { refused = [] } = read(wrong);
    expect(refused.map(({ pointer }) => pointer)).toEqual(['/gate', '/metadata/domain', '/metadata/url']);
    expect(JSON.stringify(read({ ...SOUND, output: undefined, gate: 'secret' }))).toMatch(/\/output.*|\/gate/);
  });

  it('never throws, whatever it is given, and its texts are bounded', () => {
    const odd: unknown[] = [
      null,
      true,
      -1,
      1e300,
      '',
      'x'.repeat(1e6),
      [],
      {},
      [[]],
      { __proto__: null },
      '\u0000\u001b[31m',
    ];
    const keys = ['gate', 'agent', 'status', 'metadata', 'output', 'validation'];
    let count = 0;
    for (const value of odd) {
      for (const key of [...keys, 'score', 'issues', 'passed', 'domain', 'feature', 'url', 'gateline']) {
        const envelope: Record<string, unknown> = { ...SOUND, [key]: value };
        if (['score', 'issues', 'passed'].includes(key)) envelope['validation'] = { ...SOUND.validation, [key]: value };
        if (['domain', 'feature', 'url'].includes(key)) envelope['metadata'] = { ...METADATA, [key]: value };
        for (const one of [envelope, { [key]: value }, Object.fromEntries(keys.map((name) => [name, value]))]) {
          const told = read(one);
          const refused = told.refused ?? [];
          const issues = 'issues' in told ? told.issues : [];
          for (const { message } of [...refused, ...issues]) expect(message.length).toBeLessThanOrEqual(4_096);
          expect(refused.length + issues.length).toBeLessThanOrEqual(100);
          count += 1;
        }
      }
    }
    expect(count).toBeGreaterThan(300);
    const many = {
      ...SOUND,
      validation: { ...SOUND.validation, issues: Array.from({ length: 500 }, () => 'x'.repeat(9_000)) },
    };
    expect(read(many)).toMatchObject({ output: { a: [1] } });
  });
});
