import { describe, expect, it } from 'vitest';
import { findDefinition } from '../../../src/action/job/definition.ts';
import { startResultsService } from '../../support/github/results-service.ts';
import { headOf } from '../../support/runner/repository.ts';
import { ScratchWorkspace } from '../../support/scratch-workspace.ts';
import { stepInProcess } from '../step-in-process.ts';

describe('where no definition is', () => {
  it('it is told whether that is for want of a repository', async () => {
    await using service = await startResultsService();
    await using job = await service.environmentFor({ run: 1, job: 'one' });
    await using repository = await ScratchWorkspace.create({ 'a.txt': 'a' });
    const { event, inputs, world } = (await stepInProcess(job)).invocation;
    const none = await findDefinition(event, inputs, world.environment);
    expect(none.pipeline).toBeUndefined();
    expect(none.missing?.code).toBe('REPOSITORY_MISSING');
    const contractFrom = { commit: await headOf(repository.root), why: 'the commit under test' };
    const there = { ...event, workspace: repository.root, trust: { ...event.trust, contractFrom } };
    const found = await findDefinition(there, inputs, world.environment);
    expect(found.pipeline).toBeUndefined();
    expect(found.missing).toBeUndefined();
  });
});
