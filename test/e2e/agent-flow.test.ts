import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REPOSITORY, statusOf } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';

const example = () => ScratchWorkspace.ofExample([], join(REPOSITORY, 'examples/agent-flow'));

/** Gates whose agents were started, once for each start. */
async function started(workspace: ScratchWorkspace): Promise<string[]> {
  const records = await workspace.records();
  return records.filter(({ kind }) => kind === 'started').map(({ gate }) => gate);
}

const ROUND = ['implementation', 'review', 'verification'];
const WHOLE = ['exploration', 'planning', ...ROUND, ...ROUND, ...ROUND, 'complete'];

describe('examples/agent-flow', () => {
  it('iterates until reviewer and verifier are content, and never starts over', async () => {
    await using workspace = await example();
    const result = await workspace.gateline(['run', '-q', '--json']);
    expect(result, result.stderr).toMatchObject({ code: 0 });
    expect((await started(workspace)).toSorted()).toEqual(WHOLE.toSorted());
    const { gates } = statusOf(result);
    expect(gates.find(({ gate }) => gate === 'implementation')).toMatchObject({ iteration: 3 });
    expect(gates.find(({ gate }) => gate === 'verification')).toMatchObject({
      verdict: { result: 'VERIFIED', message: '3 of 3 tests pass' },
    });
    const patch = (await workspace.gateline(['diff'])).stdout;
    for (const line of ['items.reduce(', 'Math.round(', 'toFixed(2)']) expect(patch).toContain(line);
    expect(await workspace.git('status', '--porcelain')).toBe('');

    const again = await workspace.gateline(['run', '-q', '--json', '--apply']);
    expect(again, again.stderr).toMatchObject({ code: 0 });
    expect(await started(workspace)).toHaveLength(WHOLE.length);
    expect(await workspace.git('status', '--porcelain')).toBe(' M shop/prices.mjs\n');
  });

  it('ends in error when two iterations are not enough', async () => {
    await using workspace = await example();
    const result = await workspace.gateline(['run', '-q', '--json', '--max-iterations', '2']);
    expect(result, result.stderr).toMatchObject({ code: 1 });
    expect(statusOf(result).status).toBe('error');
    expect((await started(workspace)).filter((gate) => gate === 'implementation')).toHaveLength(2);
    expect(result.stderr).toContain('not sent back: implementation has run 2 of 2 times');
  });
});
