import { describe, expect, it } from 'vitest';
import type { Gate } from '../../../src/pipeline/pipeline.ts';
import { buildRequest, fingerprintOf, recordedNeeds } from '../../../src/run/plan/request.ts';
import { type CurrentInputs } from '../../../src/run/plan/request.ts';
import { type RequestContext } from '../../../src/run/plan/request.ts';
import { differences } from '../../../src/run/plan/difference.ts';
import type { Unit } from '../../../src/run/records/unit.ts';
import { contentOf } from '../../support/records.ts';
import { gateOf } from '../../support/pipelines.ts';

const FILE = { blob: 'blob of page', mode: '100644' };
const AROUND: RequestContext = {
  pipeline: 'test',
  subject: 'pr-1',
  metadata: { url: 'x' },
  input: null,
  platform: { os: 'linux', arch: 'x64' },
};
const FOUND: CurrentInputs = {
  tree: new Map([['page.html', FILE]]),
  env: { A: '1' },
  tools: { node: 'v24' },
  needs: { a: contentOf('a') },
};

interface Change {
  readonly gate?: Partial<Gate>;
  readonly unit?: Partial<Unit>;
  readonly around?: Partial<RequestContext>;
  readonly found?: Partial<CurrentInputs>;
}

function request({ gate = {}, unit = {}, around = {}, found = {} }: Change = {}) {
  const made = gateOf('b', { needs: ['a'], run: 'make', with: { model: 'm' }, ...gate });
  return buildRequest(
    { key: 'b', gate: made, leg: { id: '', matrix: {} }, needs: ['a'], ...unit },
    { ...AROUND, ...around },
    { ...FOUND, ...found },
  );
}

const WHAT_COUNTS: Record<string, Change> = {
  pipeline: { around: { pipeline: 'other' } },
  gate: { unit: { gate: gateOf('c', { needs: ['a'], run: 'make', with: { model: 'm' } }) } },
  leg: { unit: { leg: { id: 'x', matrix: {} } } },
  matrix: { unit: { leg: { id: '', matrix: { os: 'linux' } } } },
  subject: { around: { subject: 'pr-2' } },
  'no given subject': { around: { subject: undefined } },
  metadata: { around: { metadata: { url: 'y' } } },
  'the caller’s input': { around: { input: '' } },
  os: { around: { platform: { os: 'darwin', arch: 'x64' } } },
  architecture: { around: { platform: { os: 'linux', arch: 'arm64' } } },
  run: { gate: { run: 'make all' } },
  'an agent that runs by itself': { gate: { run: undefined } },
  shell: { gate: { shell: 'sh' } },
  'working-directory': { gate: { workingDirectory: 'site' } },
  with: { gate: { with: { model: 'n' } } },
  files: { gate: { files: ['out/**'] } },
  'whether inputs are declared': { gate: { inputs: undefined } },
  'the name of a secret': { gate: { secrets: ['TOKEN'] } },
  'the content of a file': { found: { tree: new Map([['page.html', { ...FILE, blob: 'other' }]]) } },
  'the mode of a file': { found: { tree: new Map([['page.html', { ...FILE, mode: '100755' }]]) } },
  'the path of a file': { found: { tree: new Map([['other.html', FILE]]) } },
  'a further file': {
    found: {
      tree: new Map([
        ['page.html', FILE],
        ['b', FILE],
      ]),
    },
  },
  'no file': { found: { tree: new Map() } },
  'a variable': { found: { env: { A: '2' } } },
  'a variable that is not set': { found: { env: { A: null } } },
  'the version of a tool': { found: { tools: { node: 'v26' } } },
  'exports of a need': { found: { needs: { a: contentOf('A') } } },
  'a need without an output': { found: { needs: { a: null } } },
  'a need that the caller stands in for': { found: { needs: {} } },
};

const WHAT_DOES_NOT: Record<string, Change> = {
  'its number': { gate: { number: 7 } },
  'the agent’s name': { gate: { agent: 'somebody' } },
  retries: { gate: { retries: 3 } },
  timeout: { gate: { timeoutMinutes: 1 } },
  contract: {
    gate: { contract: { schema: { inline: false }, score: '/s', threshold: 90, partial: 'pause', checks: ['false'] } },
  },
  exports: { gate: { exports: ['/part'] } },
  reuse: { gate: { reuse: 'never', maxAge: 1 } },
  'how many legs run side by side': { gate: { legsMaxParallel: 1, failFast: false } },
  'the order in which things were found': {
    found: { env: { ...FOUND.env }, tree: new Map([...FOUND.tree].reverse()) },
  },
};

describe('the fingerprint of a request', () => {
  it.each(Object.keys(WHAT_COUNTS))('is another one for another %s', (what) => {
    expect(fingerprintOf(request(WHAT_COUNTS[what]))).not.toBe(fingerprintOf(request()));
  });

  it('tells all of these apart from each other', () => {
    const all = Object.values(WHAT_COUNTS).map((change) => fingerprintOf(request(change)));
    expect(new Set(all).size).toBe(all.length);
  });

  it.each(Object.keys(WHAT_DOES_NOT))('is the same whatever is said of %s', (what) => {
    expect(fingerprintOf(request(WHAT_DOES_NOT[what]))).toBe(fingerprintOf(request()));
  });

  it('does not depend on the order of secrets, keys or files', () => {
    const one = request({
      gate: { secrets: ['B', 'A'] },
      around: { metadata: { a: 1, b: 2 } },
      found: {
        tree: new Map([
          ['x', FILE],
          ['y', FILE],
        ]),
      },
    });
    const two = request({
      gate: { secrets: ['A', 'B'] },
      around: { metadata: { b: 2, a: 1 } },
      found: {
        tree: new Map([
          ['y', FILE],
          ['x', FILE],
        ]),
      },
    });
    expect(fingerprintOf(one)).toBe(fingerprintOf(two));
  });

  it('has no subject where nobody gave one', () => {
    expect(Object.keys(request({ around: { subject: undefined } }))).not.toContain('subject');
    expect(request()).toMatchObject({ format: 'gateline-request/2', subject: 'pr-1' });
  });

  it('is this one, in every version: another one would let nothing be reused', () => {
    expect(fingerprintOf(request())).toMatchInlineSnapshot(
      `"sha256:05672ea991b17191fbd4c267e0d3ca00952e2ed1e062dd7a9acc6e54e3ce2c11"`,
    );
  });
});

describe('a request', () => {
  it('differs by name in all that makes its fingerprint differ, but for whose it is', () => {
    for (const [what, change] of Object.entries(WHAT_COUNTS)) {
      const found = differences(request(), request(change));
      if (['pipeline', 'gate', 'leg'].includes(what)) expect(found, what).toEqual([]);
      else expect(found.length, what).toBeGreaterThan(0);
    }
    for (const change of Object.values(WHAT_DOES_NOT)) expect(differences(request(), request(change))).toEqual([]);
  });

  it('holds secrets by name only', () => {
    expect(request({ gate: { secrets: ['B', 'A'] } }).secrets).toEqual(['A', 'B']);
  });

  it('gives records the digests of its needs', () => {
    const standIn = { ...contentOf('c'), standIn: 'file', status: 'PARTIAL', score: 70, agent: 'A' } as const;
    const needs = { a: contentOf('a'), 'b/x': null, c: standIn };
    expect(recordedNeeds(request({ found: { needs } }))).toEqual({
      needs: { a: contentOf('a').digest, 'b/x': null },
      standIns: { c: 'file' },
    });
    expect(recordedNeeds(request({ found: { needs: {} } }))).toEqual({ needs: {} });
  });
});
