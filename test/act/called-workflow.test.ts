import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACT } from '../support/act/act-tool.ts';
import { REPOSITORY } from '../support/command-line.ts';
import { ActWorld, decisions, errorsOf, LONG, resultsOf } from './act-world.ts';

/** A workflow that calls the packaged one. */
const CALLER = `
on: push
jobs:
  gates:
    uses: ./.github/workflows/pipeline.yml
    permissions: { contents: read, actions: read, checks: read, pull-requests: read }
    with: { task: Say it }
    secrets:
      env: |
        KEY=k-123456
        OTHER=o-123456
  after:
    needs: gates
    if: always()
    runs-on: ubuntu-latest
    steps:
      - run: echo "passed=\${{ needs.gates.outputs.passed }}"
`;

/** A gate that notes its start, fails where the file of its name says so, and shows what it has of the secrets. */
function gate(id: string): object {
  const run = `echo "${id} 1 $$" >> "$START_LOG"
grep -q fine ${id}.txt
printf '{"told": "KEY has %s letters, OTHER %s"}' "\${#KEY}" "\${#OTHER}" > "$GATELINE_OUTPUT"`;
  return { run, inputs: [`${id}.txt`], output: { message: '/told' } };
}

const GATES = {
  plan: gate('plan'),
  write: { ...gate('write'), needs: 'plan', secrets: ['KEY'] },
  check: { ...gate('check'), needs: 'write' },
};

describe.runIf(ACT !== undefined)('pipeline.yml, called by a workflow under act', { timeout: LONG }, () => {
  let world: ActWorld;

  beforeAll(async () => {
    const packaged = await readFile(join(REPOSITORY, '.github/workflows/pipeline.yml'), 'utf8');
    world = await ActWorld.create(CALLER, {
      '.github/workflows/pipeline.yml': packaged.replaceAll(/uses: \$\/$/gm, 'uses: gateline/gateline@v1'),
      'gateline.yml': JSON.stringify({ gates: GATES }),
      'plan.txt': 'fine',
      'write.txt': 'not yet',
      'check.txt': 'fine',
    });
  }, LONG);
  afterAll(() => world[Symbol.asyncDispose]());

  it('stops at a gate that fails', async () => {
    const report = await world.run(1);
    expect(resultsOf(report)).toEqual([
      'pipeline/check failure',
      'pipeline/plan success',
      'pipeline/report failure',
      'pipeline/waves success',
      'pipeline/write failure',
    ]);
    expect(errorsOf(report.job('pipeline/report')).at(-1)).toBe('Gates failed: not done: write, check');
    expect(await world.started()).toEqual(['plan', 'write']);
  });

  it('goes on after a commit that mends it, and says so to the jobs after it', async () => {
    await world.repository.write('write.txt', 'fine');
    await world.repository.commitAll('mended');
    const report = await world.run(2);
    expect(report.ok).toBe(true);
    expect(await world.started()).toEqual(['check', 'write']);
    expect(decisions(report, ['pipeline/plan', 'pipeline/write', 'pipeline/check'])).toEqual(['reuse', 'run', 'run']);
    expect(report.job('after').lines).toContain('passed=true');
    // Of the secrets of the caller, a gate has those that it names.
    const told = ['write', 'check'].map((name) => report.job(`pipeline/${name}`).summary);
    expect(told[0]).toContain('KEY has 8 letters, OTHER 0');
    expect(told[1]).toContain('KEY has 0 letters, OTHER 0');
    expect(told.join('')).not.toContain('k-123456');
  });
});
