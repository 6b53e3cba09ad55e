import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WORKFLOW } from '../action/workflows/action-world.ts';
import { guideFiles } from '../action/workflows/guide-world.ts';
import { ACT } from '../support/act/act-tool.ts';
import { REPOSITORY } from '../support/command-line.ts';
import { ActWorld, LONG, outputsOf, resultsOf } from './act-world.ts';

/** A workflow that calls the packaged one. */
const CALLER = `
on: push
jobs:
  gates:
    uses: ./.github/workflows/pipeline.yml
    permissions: { contents: read, actions: read, checks: read, pull-requests: read }
`;

const AGENTS = [{ output: { totalCases: 5 } }, { output: { done: true } }];

describe.runIf(ACT !== undefined)('agents under act that know only the state guide', { timeout: LONG }, () => {
  it('work with one input, and the report has their files', async () => {
    const { [WORKFLOW]: workflow, ...files } = guideFiles(AGENTS);
    await using world = await ActWorld.create(workflow!, files);
    const report = await world.run(1);
    expect(resultsOf(report)).toEqual(['gate0 success', 'gate1 success', 'report success']);
    expect(await world.started()).toEqual(['gate0', 'gate1']);
    expect(outputsOf(report.job('gate1'))).toMatchObject({ status: 'passed', passed: 'true' });
    const names = world.service.world.artifacts.map(({ name }) => name);
    expect(names).toContain('gateline-guide-1.state');
  });

  it('work in the packaged workflow with one key', async () => {
    const { [WORKFLOW]: _, ...files } = guideFiles(AGENTS, { pipeline: { mirror: ['state-guide'] } });
    const packaged = await readFile(join(REPOSITORY, '.github/workflows/pipeline.yml'), 'utf8');
    await using world = await ActWorld.create(CALLER, {
      ...files,
      '.github/workflows/pipeline.yml': packaged.replaceAll(/uses: \$\/$/gm, 'uses: gateline/gateline@v1'),
    });
    const report = await world.run(1);
    expect(report.ok, JSON.stringify(resultsOf(report))).toBe(true);
    expect(await world.started()).toEqual(['gate0', 'gate1']);
    const log = report.job('pipeline/gate1').lines.join('\n');
    expect(log).toContain('loaded Agent0 SUCCESS 100 {"totalCases":5}');
    expect(log).toMatch(/State file created: .*gate1-output\.json: Status: SUCCESS, Score: 100%/);
    expect(world.service.world.artifacts.map(({ name }) => name)).toContain('gateline-guide-1.state');
  });
});
