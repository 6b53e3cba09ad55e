import { describe, expect, it } from 'vitest';
import { WORKFLOW } from '../action/workflows/action-world.ts';
import { guideFiles } from '../action/workflows/guide-world.ts';
import { ACT } from '../support/act/act-tool.ts';
import { ActWorld, LONG, outputsOf, resultsOf } from './act-world.ts';

describe.runIf(ACT !== undefined)('agents under act that know only the state guide', { timeout: LONG }, () => {
  it('work with one input, and the report has their files', async () => {
    const { [WORKFLOW]: workflow, ...files } = guideFiles([{ output: { totalCases: 5 } }, { output: { done: true } }]);
    await using world = await ActWorld.create(workflow!, files);
    const report = await world.run(1);
    expect(resultsOf(report)).toEqual(['gate0 success', 'gate1 success', 'report success']);
    expect(await world.started()).toEqual(['gate0', 'gate1']);
    expect(outputsOf(report.job('gate1'))).toMatchObject({ status: 'passed', passed: 'true' });
    const names = world.service.world.artifacts.map(({ name }) => name);
    expect(names).toContain('gateline-guide-1.state');
  });
});
