import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { explainRisk } from '../../src/action/apply/apply.ts';
import { collectRun, pipelineOf, type CollectInput } from '../../src/action/report/collect-run.ts';
import { formatToken, parseToken, type GateJob } from '../../src/action/gate/gate-job.ts';
import { completeGate } from '../../src/action/complete/complete.ts';
import { approvalLine, attemptOutputs } from '../../src/action/gate/gate-report.ts';
import type { NeededJob } from '../../src/action/gate/needs.ts';
import { planNextIteration } from '../../src/action/report/next-iteration.ts';
import { handOn } from '../../src/action/gate/publish-end.ts';
import { findFailedSteps } from '../../src/action/report/report.ts';
import type { Services } from '../../src/action/services.ts';
import { createRunView } from '../../src/report/run-view.ts';
import { failedVerdict } from '../../src/verdict/verdict.ts';
import { createFile, createNeed, inputsOf, MISSING, PARTIAL, parse } from './support.ts';

const PIPELINE = parse(`
pipeline: chain
gates:
  design: {run: a}
  build: {needs: design, run: a, strategy: {matrix: {os: [linux, mac]}}}
  review: {needs: build, run: a, on-fail: {goto: design, max-iterations: 3}}
`);
const legs = ['linux', 'mac'];
const build = legs.map((leg) => createNeed({ unit: `build/${leg}`, legs }));
const ALL = [createNeed(), ...build, createNeed({ unit: 'review' })];
const FAILED = failedVerdict('score', 'it is below 80');

/** A report on a run: its status, what makes it red, and its view. */
function collect(needs = ALL, jobs: readonly Partial<NeededJob>[] = [], input: Partial<CollectInput> = {}) {
  const byId = new Map<string, NeededJob>(needs.map(({ job }) => [job.id, job]));
  for (const job of jobs)
    byId.set(job.id!, { references: [], result: 'success', ...byId.get(job.id!), ...job } as NeededJob);
  const defaults = {
    run: 5,
    pipeline: PIPELINE,
    artifactGates: [],
    allowSkipped: [],
    subject: 'main',
    now: '2026-01-01T01:00:00.000Z',
  };
  const list = [...byId.values()];
  const run = collectRun({ ...defaults, jobs: list, documents: needs, ...input });
  const { pipeline, subject, entries } = run;
  const view = createRunView({ pipeline, subject, metadata: {}, entries, isAlive: () => true, history: [] });
  return { run, view, problems: [...run.problems, ...findFailedSteps(list, run, view)] };
}

describe('the report of a run', () => {
  it('is green if each gate has ended well', () => {
    const { view, problems } = collect(ALL, [{ id: 'set-up' }]);
    expect([view.status, problems, view.units.map(({ key, status }) => [key, status])]).toEqual([
      'completed',
      [],
      ['design', 'build/linux', 'build/mac', 'review'].map((key) => [key, 'passed']),
    ]);
  });

  const others = ALL.filter(({ document }) => !document.entry.unit.startsWith('build'));
  it.each<[string, Parameters<typeof collect>, string]>([
    ['needs nothing', [[], []], 'the report needs no job'],
    [
      'knows no gate',
      [[], [{ id: 'lint' }], { pipeline: pipelineOf([], 'chain') }],
      'no job that the report needs has the result of a gate',
    ],
    ['lacks the job of a gate', [others], 'the report does not need the job of gate build'],
    ['lacks a leg', [ALL.filter((need) => need !== build[1])], 'no result of build/mac (job build)'],
    ['lacks an output of a job', [others, [{ id: 'build' }]], 'job build hands over no output `attempt`'],
    [
      'misses what a gate left, whose job hands nothing over',
      [ALL, [], { artifactGates: ['design', 'plan'] }],
      'the result of gate plan did not reach the report',
    ],
    ['needs a job that was skipped', [ALL, [{ id: 'lint', result: 'skipped' }]], 'job lint was skipped'],
    ['needs a job that failed', [ALL, [{ id: 'lint', result: 'failure' }]], 'no result (job lint: failure)'],
    ['needs a cancelled gate', [others, [{ id: 'build', result: 'cancelled' }]], 'no result (job build: cancelled)'],
    [
      'needs two jobs of one gate',
      [[...ALL, createNeed({ output: { other: 1 } }, { id: 'lint' })]],
      'the jobs design and lint both ran design: a gate has one job',
    ],
    [
      'needs a job whose step failed after its gate had passed',
      [ALL, [{ id: 'design', result: 'failure' }]],
      'job design: failure, although design passed',
    ],
  ])('is red if it %s', (_, args, problem) => {
    const { problems, view } = collect(...args);
    expect(problems).toEqual([expect.stringContaining(problem)]);
    expect(view.status).not.toBe('completed');
  });

  const skip = (...ids: string[]) => ids.map((id) => ({ id, result: 'skipped' }) as const);
  it('is completed without jobs that were skipped and may be: their gates do not apply', () => {
    const allowSkipped = ['lint', 'build', 'review'];
    const { view, problems } = collect([createNeed()], skip(...allowSkipped), { allowSkipped });
    expect([view.status, problems]).toEqual(['completed', []]);
    expect(view.units.map(({ key, status }) => `${key} ${status}`)).toEqual([
      'design passed',
      ...['build/linux', 'build/mac', 'review'].map((key) => `${key} not-applicable`),
    ]);
  });

  it('needs to be told of each job that was skipped, unless one failed', () => {
    const jobs = skip('build', 'review');
    expect(collect([createNeed()], jobs, { allowSkipped: ['build'] }).problems).toEqual([
      'job review was skipped: if it may be, list it in `allow-skipped` of the report',
    ]);
    const design = createNeed({ verdict: FAILED }, { result: 'failure' });
    const { view, problems } = collect([design], jobs);
    expect([view.status, problems]).toEqual(['error', []]);
    expect(view.units.map(({ status }) => status)).toEqual(['failed', 'blocked', 'blocked', 'blocked']);
  });

  it('shows for a failed gate what its job cannot show', () => {
    const review = createNeed({ unit: 'review', verdict: FAILED }, { result: 'failure' });
    const { view, problems } = collect([...ALL.slice(0, 3), review]);
    expect([view.status, problems, view.units.at(-1)!.status]).toEqual(['error', [], 'failed']);
  });

  it('shows gates that steps describe, in the order of their needs', () => {
    const costSoFar = { design: { ms: 1 }, 'build/linux': { ms: 1 }, review: { ms: 1 } };
    const needs = [createNeed({ unit: 'review', costSoFar }), ...build, createNeed()];
    const { run, view, problems } = collect(needs, [], { pipeline: pipelineOf(needs, 'chain') });
    expect([problems, view.status]).toEqual([[], 'completed']);
    expect(run.pipeline.gates.find(({ id }) => id === 'review')!.needs.toSorted()).toEqual(['build', 'design']);
    expect(view.units.map(({ key }) => key).toSorted()).toEqual(['build/linux', 'build/mac', 'design', 'review']);
    expect(pipelineOf([], 'chain')).toMatchObject({ id: 'chain', gates: [] });
  });

  it('shows scores of gates that steps describe, lets the partial one pass that may, and waits for a person', () => {
    const low = createNeed({ verdict: PARTIAL, contract: { score: '/score', threshold: 75, partial: 'continue' } });
    const plan = createNeed({ unit: 'plan' }, { result: 'failure' });
    const needs = [low, { ...plan, document: { ...plan.document, waits: true } }];
    const { view } = collect(needs, [], { pipeline: pipelineOf(needs, 'chain') });
    expect(view.units).toMatchObject([
      { key: 'design', status: 'partial', done: true, threshold: 75 },
      { key: 'plan', status: 'paused', done: false },
    ]);
  });
});

describe('the next iteration of a loop', () => {
  const plan = (fields: Parameters<typeof createNeed>[0], iteration?: number) => {
    const needs = [...ALL.slice(0, 3), createNeed({ unit: 'review', ...fields }, { result: 'failure' })];
    const earlier =
      iteration === undefined ? undefined : { gate: 'design', iteration, runId: 1, causes: [], spentUsd: 0 };
    return planNextIteration(collect(needs).run, 500, earlier);
  };

  it.each([
    ['failed', { verdict: FAILED }, undefined, 2],
    ['is partial', { verdict: PARTIAL }, 2, 3],
    ['failed although it was forced', { verdict: FAILED, decision: 'force' }, undefined, 2],
    ['failed too often', { verdict: FAILED }, 3, undefined],
    ['was approved', { verdict: PARTIAL, decision: 'approve' }, undefined, undefined],
    ['left no output', { verdict: MISSING, output: undefined }, undefined, undefined],
    ['does not meet its schema', { verdict: failedVerdict('schema', 'wrong') }, undefined, undefined],
    ['passed', {}, undefined, undefined],
  ] as const)('of a review that %s', (_, fields, earlier, iteration) => {
    const next = plan(fields, earlier);
    expect(next.choice === 'dispatch' ? next.rework.iteration : undefined).toBe(iteration);
    if (next.choice === 'dispatch')
      expect(next.rework).toMatchObject({ gate: 'design', runId: 500, causes: [{ unit: 'review' }] });
  });
});

describe('a file for delivery', () => {
  const risky = [
    '.github/workflows/a.yml',
    '.GitHub/x',
    'a/.git/config',
    '.gitmodules',
    'sub/.gitattributes',
    '.husky/x',
    '.hu\u017fky/x',
    '.devcontainer.json',
    '.gemini/settings.json',
  ];
  const misleading = ['a\u202etxt.exe', 'a\u200bb', 'a\nb', 'a\u{e0041}', '.git\u200chub/x'];
  it('is refused if it runs by itself, or its name misleads', () => {
    const nested = ['a/.vscode/tasks.json', 'a/.claude/settings.json', 'a/.npmrc'];
    for (const path of [...risky, ...nested, ...misleading]) {
      expect(explainRisk(path, ['**', '.github', 'a'])).toBeDefined();
      expect([path, explainRisk(path, [])]).not.toEqual([path, undefined]);
      expect(explainRisk(path, [path])).toBeUndefined();
    }
    for (const path of ['src/a.ts', 'docs/größe.md', 'github/x', 'a.git.ts', 'husky/x'])
      expect([path, explainRisk(path, [])]).toEqual([path, undefined]);
  });
});

describe('what a gate hands on', () => {
  it('is its own files over those of its needs, written over the versions of a checkout', () => {
    const need = createFile('design', 'v0', [], 'v1');
    const other = { ...need, path: 'other.txt' };
    const own = { 'made.txt': { base: 'v1', found: ['v1'], after: 'v2' } };
    const file = { path: 'made.txt', unit: 'build', base: 'v0', found: ['v1', 'v0'], after: 'v2' };
    expect(handOn('build', own, [need, other])).toEqual([file, other]);
    const same = { 'made.txt': { base: 'v0', found: [], after: 'v1' } };
    expect(handOn('build', same, [need])).toEqual([need]);
    const deleted = { 'made.txt': { base: null, found: ['v1'], after: null } };
    expect(handOn('build', deleted, [])).toEqual([{ ...file, base: null, found: ['v1'], after: null }]);
  });

  it('is named by an output of its own for each leg, and approved by a line to copy', () => {
    expect(attemptOutputs({ legs: [], unit: 'design' } as unknown as GateJob)).toEqual(['attempt', 'attempt-0']);
    expect(attemptOutputs({ legs, unit: 'build/mac' } as unknown as GateJob)).toEqual(['attempt-1']);
    const { document, reference } = createNeed();
    const line = (pullRequest: number | undefined, ref: string) =>
      approvalLine('design', document, reference, { pullRequest, ref });
    expect(line(42, '')).toMatch(/^\/gateline approve design [0-9a-f]{32}$/);
    expect(line(undefined, "refs/heads/it's")).toMatch(
      /^gh workflow run gates\.yml --ref 'it'\\''s' -f approve='design [0-9a-f]{32}' -f resume=500 -f reason='…'$/,
    );
    const ownInputs = { task: "it's\nnew", dry: 'true', note: '' };
    const place = { pullRequest: undefined, ref: 'refs/heads/main', ownInputs };
    expect(approvalLine('design', document, reference, place)).toMatch(
      / -f reason='…' -f task='it'\\''s\nnew' -f dry=true -f note=''$/,
    );
    // No run of a branch uses outputs of a tag.
    expect(line(undefined, 'refs/tags/v1')).toBe('');
  });

  it('is refused by `complete` if it cannot be redacted, or if an agent changed what `begin` left', async () => {
    const state = await mkdtemp(join(tmpdir(), 'gateline-complete-'));
    onTestFinished(() => rm(state, { recursive: true }));
    const gateJob = { state, unit: 'design', secrets: ['API_KEY'], outageMs: 1 } as unknown as GateJob;
    const complete = () =>
      completeGate(inputsOf('complete', { token: formatToken(gateJob, 't') }), { environment: {} } as Services);
    await expect(complete()).rejects.toThrow('left nothing in this job');
    await writeFile(join(state, 'job.json'), JSON.stringify(gateJob));
    await expect(complete()).rejects.toThrow('cannot redact API_KEY');
    await writeFile(join(state, 'job.json'), JSON.stringify({ ...gateJob, secrets: [] }));
    await expect(complete()).rejects.toThrow('was changed before `complete`');
  });

  it('is bound to what `begin` began by its token', () => {
    const token = formatToken({ state: '/tmp/x', unit: 'design', outageMs: 1 } as unknown as GateJob, 'attempt');
    expect(parseToken(` ${token}\n`)).toEqual({
      state: '/tmp/x',
      token: 'attempt',
      outageMs: 1,
      digest: expect.stringMatching(/^sha256:/) as string,
    });
    expect(formatToken({ state: '/tmp/x', unit: 'review' } as unknown as GateJob, 'attempt')).not.toBe(token);
    for (const text of ['', 'e30', token.slice(5)]) expect(() => parseToken(text)).toThrow('is not the output `token`');
  });
});
