import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outputDigests } from '../../../src/action/inputs/job-results.ts';
import { parseNeeds } from '../../../src/action/inputs/needs.ts';

const needsOf = (text: string) => {
  const parsed = parseNeeds(text);
  if (!('needs' in parsed)) throw new Error(parsed.expected);
  return parsed.needs;
};

describe('the input needs', () => {
  it.each(['a,b', 'a b', 'a\nb', ' [a, b] ', '["a", "b"]', '- a\n- b'.replaceAll('- ', '')])(
    '%j is a list of gates',
    (text) => {
      expect(needsOf(text)).toEqual({ gates: ['a', 'b'], results: undefined });
    },
  );

  it.each([
    ['success, failure', ['success', 'failure']],
    ['["success", "design"]', ['success', 'design']],
    ['[design]', ['design']],
  ])('%j is a list of gates, whatever they are called', (text, gates) => {
    expect(needsOf(text).gates).toEqual(gates);
  });

  it('is what GitHub says of the needed jobs', () => {
    const text = JSON.stringify(
      {
        Build: { result: 'success', outputs: { digest: 'sha256:1', none: null } },
        x: { result: 'skipped', outputs: {} },
      },
      null,
      2,
    );
    const needs = needsOf(text);
    expect(needs.gates).toEqual(['Build', 'x']);
    expect(needs.results?.get('Build')).toEqual({ result: 'success', outputs: { digest: 'sha256:1' } });
    expect(needs.results?.get('x')).toEqual({ result: 'skipped', outputs: {} });
  });

  it('calls a gate by the output of its job that names it, where that may be a gate', () => {
    const job = (gate: string) => ({ result: 'success', outputs: { gate } });
    expect(needsOf(JSON.stringify({ A: job('design'), b: job('No gate!'), c: job('design') })).gates).toEqual([
      'design',
      'b',
    ]);
  });

  it('is empty for an empty list and an empty context', () => {
    expect(needsOf('[]')).toEqual({ gates: [], results: undefined });
    expect(needsOf('{}')).toEqual({ gates: [], results: new Map() });
  });

  it.each([
    ['Design', /^expected comma-separated gate ids/],
    ['a, a', /`a` is listed twice/],
    ['["success", "failure"]', /results of jobs: write `\$\{\{ toJSON\(needs\) \}\}`/],
    ['["success"]', /results of jobs/],
    ['[skipped, cancelled]', /results of jobs/],
    ['{"a": {"result": "great"}}', /^expected `\$\{\{ toJSON/],
    ['{"a": {"result": "success", "outputs": {"x": 1}}}', /^expected `\$\{\{ toJSON/],
    ['{"a": ', /^expected `\$\{\{ toJSON/],
    ['{"__proto__": {"result": "success"}}', /^expected `\$\{\{ toJSON/],
    [`{"a": {"result": "success", "outputs": {"x": "${'x'.repeat(1_048_576)}"}}}`, /at most 1048576 bytes/],
  ])('%.60s is none', (text, expected) => {
    expect(parseNeeds(text)).toEqual({ expected: expect.stringMatching(expected) });
  });

  it('takes a whole megabyte', () => {
    const text = JSON.stringify({ a: { result: 'success', outputs: { x: 'x'.repeat(1_048_000) } } });
    expect(needsOf(text).results?.get('a')?.outputs['x']).toHaveLength(1_048_000);
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void parseNeeds(text)));
  });
});

describe('the jobs of waves', () => {
  const digest = (digit: string): string => `sha256:${digit.repeat(64)}`;
  const waves = JSON.stringify([
    [
      { gate: 'a', slot: 0 },
      { gate: 'b', slot: 1 },
    ],
    [{ gate: 'c', slot: 0 }],
  ]);
  const text = JSON.stringify({
    waves: { result: 'success', outputs: { waves } },
    'wave-0': {
      result: 'failure',
      outputs: { 'digest-0': digest('1'), 'digest-1': digest('2'), 'digest-2': digest('9') },
    },
    'wave-1': { result: 'success', outputs: { 'digest-0': digest('3'), digest: digest('8'), gate: 'a' } },
    'wave-2': { result: 'skipped', outputs: {} },
  });

  it('stand for the gates at their positions, and those without gates for none', () => {
    const needs = needsOf(text);
    expect(needs.gates).toEqual(['a', 'b', 'c']);
    expect([...needs.results!.keys()]).toEqual(['wave-0', 'wave-1']);
    expect(Object.fromEntries(outputDigests(needs))).toEqual({ a: digest('1'), b: digest('2'), c: digest('3') });
  });

  it.each(['[', '{}', '[[{"gate": "no gate"}]]', JSON.stringify(Array.from({ length: 13 }, () => []))])(
    'are jobs like others where no list of waves is readable: %s',
    (unread) => {
      const needs = needsOf(text.replace(JSON.stringify(waves), JSON.stringify(unread)));
      expect([...needs.results!.keys()]).toEqual(['waves', 'wave-0', 'wave-1', 'wave-2']);
      expect(Object.fromEntries(outputDigests(needs))).toEqual({ a: digest('8') });
    },
  );
});
