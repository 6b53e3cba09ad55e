import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Job } from '../../src/action/job.ts';
import type { NeedDocument } from '../../src/action/gate/needs.ts';
import { mergeFiles, prepareGate } from '../../src/action/gate/prepare-gate.ts';
import { withSecretValues } from '../../src/action/inputs.ts';
import { digestOfJson } from '../../src/json/digest.ts';
import { createGit } from '../../src/workspace/git.ts';
import {
  createFile,
  createJob,
  createNeed,
  inputsOf,
  MISSING,
  PARTIAL,
  parse,
  type DocumentFields,
} from './support.ts';

const DEFINITION = `
pipeline: chain
subject: shop
gates:
  design: {run: a, output: {score: /score, threshold: 80, exports: [/plan]}}
  waits: {run: a, approval: required}
  tolerant: {run: a, output: {score: /score, threshold: 80, partial: continue}}
  review: {needs: [design], run: a}
  accepted: {needs: [waits], run: a}
  after: {needs: [tolerant], run: a}
  build: {run: a, strategy: {matrix: {os: [linux, mac], include: [{os: mac, fast: true}]}}}
  test: {needs: [build], run: a}
  list: {run: a}
  each: {needs: [list], run: a, strategy: {matrix: {item: '\${{ needs.list.output.items }}'}}}
`;
const folder = mkdtempSync(join(tmpdir(), 'gateline-prepare-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: folder, encoding: 'utf8' });
let commit = '';
beforeAll(() => {
  writeFileSync(join(folder, 'gateline.yml'), DEFINITION);
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'a');
  commit = git('rev-parse', 'HEAD').trim();
});

function prepare(gate: string, needs: readonly NeedDocument[] = [], inputs = {}, fields: Partial<Job> = {}) {
  const results = needs.map(({ job: { id, result } }) => [id, { result, outputs: {} }]);
  const trust = { definitionFrom: commit, usesFrom: [], savesPointers: true, isOutside: false };
  const job = createJob({ job: gate, workspace: folder, trust, ...fields });
  const place = { checkout: folder, git: createGit(process.env), readRemote: () => Promise.resolve(undefined) };
  const values = { needs: JSON.stringify(Object.fromEntries(results)), ...inputs };
  const ports = { read: () => Promise.resolve(needs), verifyDecision: () => Promise.resolve(undefined) };
  return prepareGate(job, inputsOf('gate', values), place, ports);
}

describe('the leg of a job', () => {
  const legs = (matrix: unknown) => prepare('build', [], { matrix: JSON.stringify(matrix) });

  it('is the one with the values of its matrix', async () => {
    const { gateJob } = await legs({ fast: true, os: 'mac' });
    expect([gateJob.unit, gateJob.legs]).toEqual(['build/mac', ['linux', 'mac']]);
    expect((await legs({ os: 'linux' })).gateJob.unit).toBe('build/linux');
    expect((await prepare('design', [], { matrix: 'null' })).gateJob).toMatchObject({ unit: 'design', legs: [] });
  });

  it.each([
    [{ os: 'mac' }, 'the job has {"os":"mac"}'],
    [{}, 'no matrix'],
    [null, 'no matrix'],
  ])('is missed with advice for %j', async (matrix, hint) => {
    await expect(legs(matrix)).rejects.toMatchObject({
      message: 'the job is no leg of gate build',
      hint: expect.stringContaining(hint) as string,
    });
  });

  const list = (ids: readonly string[]) => {
    const each = ids.map((id) => ({ id, matrix: { item: id } }));
    return createNeed({ unit: 'list', output: { items: [...ids] }, entry: { legs: { each } } });
  };
  it('comes from the output of a gate before it', async () => {
    const { gateJob } = await prepare('each', [list(['x', 'y'])], { matrix: '{"leg": "y"}' });
    expect([gateJob.unit, gateJob.legs]).toEqual(['each/y', ['x', 'y']]);
    const byValue = await prepare('each', [list(['x', 'y'])], { matrix: '{"item": "x"}' });
    expect(byValue.gateJob.unit).toBe('each/x');
    await expect(prepare('each', [createNeed({ unit: 'list' })])).rejects.toThrow('which gave none');
  });

  it('is not there if the list is empty: its one job is green', async () => {
    const { gateJob } = await prepare('each', [list([])], { matrix: '{"leg": ""}' });
    expect([gateJob.unit, gateJob.legs]).toEqual(['each', []]);
    expect(gateJob.pipeline.gates.find(({ id }) => id === 'each')).toMatchObject({ if: 'false', matrix: undefined });
  });

  it('is refused before its agent works if the workflow does not hand over each leg', async () => {
    const workflow = '.github/workflows/legs.yml';
    const ids = Array.from({ length: 21 }, (_, index) => `l${index}`);
    const open = async (text: string, names = ids) => {
      mkdirSync(join(folder, '.github/workflows'), { recursive: true });
      writeFileSync(join(folder, workflow), text);
      git('add', '-A');
      git('commit', '-qm', 'a', '--allow-empty');
      const fields = { workflow, sha: git('rev-parse', 'HEAD').trim() };
      return (await prepare('each', [list(names)], { matrix: '{"leg": "l0"}' }, fields)).gateJob.legs.length;
    };
    const places = (count: number) =>
      ids
        .slice(0, count)
        .map((_, index) => `attempt-${index}: x`)
        .join('\n');
    expect(await open(places(21))).toBe(21);
    expect(await open(places(20), ids.slice(0, 20))).toBe(20);
    await expect(open(places(20))).rejects.toMatchObject({
      fault: 'usage',
      message: 'the job each does not hand over the legs l20 of each',
      hint: expect.stringMatching(/pipeline\.yml\):\noutputs:\n[^]* {2}attempt-20: \$\{\{ .* \}\}$/) as string,
    });
    const ours = 'uses: gateline/gateline/.github/workflows/gate.yml@v1';
    await expect(open(ours)).rejects.toThrow('does not hand over the legs l20 of each');
    expect(await open(ours, ids.slice(0, 20))).toBe(20);
    // The outputs stand in a file of somebody else.
    expect(await open('uses: octo/gates/.github/workflows/gate.yml@v1')).toBe(21);
  });

  it('must be described, and all legs of a need are there', async () => {
    await expect(prepare('design', [], { matrix: '{"os": "mac"}' })).rejects.toThrow('the job has a matrix');
    await expect(prepare('x', [], { run: 'make', matrix: '{"os": "mac"}' })).rejects.toThrow('the job has a matrix');
    const needs = ['linux', 'mac'].map((leg) => createNeed({ unit: `build/${leg}`, legs: ['linux', 'mac'] }));
    const { gateJob } = await prepare('test', needs);
    expect(gateJob.outputs.map(([unit]) => unit)).toEqual(['build/linux', 'build/mac']);
    await expect(prepare('test', needs.slice(1))).rejects.toThrow('the legs linux of build');
  });
});

describe('what a need left', () => {
  it('is exported by the contract of today', async () => {
    const need = createNeed({
      output: { score: 90, plan: 'p', secret: 's' },
      costSoFar: { design: { ms: 5, costUsd: 1 } },
    });
    const { gateJob, contents } = await prepare('review', [need]);
    const [[unit, output]] = gateJob.outputs as [(typeof gateJob.outputs)[0]];
    expect([unit, output.verdict.score, contents[1]]).toEqual(['design', 90, '{"plan":"p"}']);
    expect(output.exports!.digest).toBe(digestOfJson({ plan: 'p' }));
    expect([gateJob.costSoFar, gateJob.entries]).toEqual([{ design: { ms: 5, costUsd: 1 } }, [need.document.entry]]);
  });

  const skipped = { ...MISSING, status: 'not-applicable', kind: 'not-applicable' } as const;
  it.each<[string, string, DocumentFields]>([
    ['a score above the threshold', 'review', { output: { score: 80, plan: 'p' } }],
    ['a partial output that a person approved', 'review', { output: { score: 70, plan: 'p' }, decision: 'approve' }],
    ['a partial output of a gate that continues', 'after', { unit: 'tolerant', output: { score: 70 } }],
    ['an approved output', 'accepted', { unit: 'waits', decision: 'approve' }],
    ['a skipped gate', 'review', { output: undefined, verdict: skipped, decision: 'skip' }],
  ])('is taken: %s', async (_, gate, fields) => {
    expect((await prepare(gate, [createNeed(fields)])).gateJob.outputs).toHaveLength(1);
  });

  it.each<[string, string, DocumentFields, string]>([
    // What the document says of itself does not count.
    ['a score below it', 'review', { output: { score: 79, plan: 'p' } }, "does not meet today's contract"],
    ['no score', 'review', { output: { ok: true }, decision: 'approve' }, "does not meet today's contract"],
    [
      'a partial output that was forced',
      'review',
      { output: { score: 70, plan: 'p' }, decision: 'force' },
      'does not meet',
    ],
    ['nothing, in a step with continue-on-error', 'review', { output: undefined, verdict: MISSING }, 'has no output'],
    ['nothing, which nobody decided', 'review', { output: undefined, verdict: skipped }, 'nothing says why'],
    ['an output that nobody approved', 'accepted', { unit: 'waits' }, 'nobody has approved'],
  ])('is refused: %s', async (_, gate, fields, message) => {
    const error = await prepare(gate, [createNeed(fields)]).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ fault: 'failed', message: expect.stringContaining(message) as string });
  });

  it('is judged by the contract of its document, if the steps describe their gates', async () => {
    const contract = { score: '/score', threshold: 60 };
    const need = (score: number) => createNeed({ output: { score }, verdict: PARTIAL, contract }, { id: 'job-1' });
    const { gateJob } = await prepare('x', [need(65)], { run: 'make' });
    expect([gateJob.unit, gateJob.pipeline.gates[0]!.id]).toEqual(['x', 'design']);
    await expect(prepare('x', [need(55)], { run: 'make' })).rejects.toThrow("does not meet today's contract");
  });
});

describe('the run of a job', () => {
  it('is named after the definition, the pull request or the branch', async () => {
    expect((await prepare('design')).gateJob.assignment).toMatchObject({ subject: 'shop', isSubjectGiven: true });
    const of = async (fields: Partial<Job>) =>
      (await prepare('x', [], { run: 'a', input: '{"a": 1}' }, fields)).gateJob.assignment;
    const pull = { number: 42, headRepository: '', headSha: '', headBranch: '', baseSha: '', baseBranch: '' };
    expect(await of({ pullRequest: pull })).toMatchObject({ subject: 'pr-42', isSubjectGiven: false, input: { a: 1 } });
    expect(await of({ ref: 'refs/heads/feature/a' })).toMatchObject({ subject: 'feature/a' });
    expect((await prepare('x', [], { run: 'a', input: 'a text', subject: 's' })).gateJob.assignment).toMatchObject({
      subject: 's',
      isSubjectGiven: true,
      input: 'a text',
    });
  });

  it('names the gates there are', async () => {
    await expect(prepare('desing')).rejects.toMatchObject({ hint: expect.stringContaining('design, waits') as string });
  });

  it('has secrets that lines carry', () => {
    expect(withSecretValues({ A: '1' }, 'B=x=y\n\n  C=\nD=z', ['B', 'C'])).toEqual({ A: '1', B: 'x=y', C: '' });
    expect(withSecretValues({ A: '1' }, undefined, ['A'])).toEqual({ A: '1' });
    expect(() => withSecretValues({}, 'top secret', [])).toThrow(
      /^a line of the input `secret-values` is not NAME=VALUE$/,
    );
  });
});

describe('files that needs hand on', () => {
  // The file names gates before those that they need.
  const pipeline = parse('pipeline: c\ngates: {d: {run: a, needs: [b, x]}, b: {run: a, needs: x}, x: {run: a}}');
  const x = createNeed({ unit: 'x', files: [createFile('x', null, [], 'v1')] });
  const b = createNeed({ unit: 'b', files: [createFile('b', null, ['v1'], 'v2')] });

  it('are those of the later gate, if it was made of the other one', () => {
    for (const needs of [
      [x, b],
      [b, x],
    ])
      expect(mergeFiles(pipeline, needs).map(({ unit, after }) => [unit, after])).toEqual([['b', 'v2']]);
    expect(mergeFiles(pipeline, [x, x])).toHaveLength(1);
  });

  it('are an error that names both gates, if neither knew the other version', () => {
    const other = createNeed({ unit: 'b', files: [createFile('b', null, ['v0'], 'v2')] });
    expect(() => mergeFiles(pipeline, [x, other])).toThrow('x and b hand on different versions of made.txt');
  });
});
