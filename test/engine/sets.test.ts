import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createMemoryStore, definePipeline, loadSet, localPorts, runSet } from '../../src/index.ts';
import { plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';

it('a set runs to its end, however long its observer takes', async () => {
  const subjects = [{ id: 'b', needs: 'a' }, { id: 'a' }];
  await using workspace = await ScratchWorkspace.create({
    'README.md': 'x',
    'set.json': JSON.stringify({ format: 'gateline-set/1', subjects }),
  });
  const pipeline = definePipeline({
    gates: { make: { run: 'echo 1 > "$GATELINE_OUTPUT"', shell: 'sh', inputs: [] } },
  });
  const ports = await localPorts({
    place: { root: workspace.root, isDefault: true, pipeline },
    environment: plainEnvironment(workspace.variables()),
    store: createMemoryStore(),
  });
  const ended: string[] = [];
  const result = await runSet(
    ports,
    { pipeline, subjects: await loadSet(workspace.root, 'set.json') },
    {
      signal: new AbortController().signal,
      maxParallel: 1,
      observe: async (event) => {
        if (event.type === 'engine' && event.event.type === 'ended') ended.push(event.subject!);
        // The first subject ends while this observer is at work, and then the second one is ready.
        if (event.type !== 'subjects' || event.subjects.get('a')?.status !== 'running') return;
        await expect.poll(() => ended, { timeout: 60_000 }).toContain('a');
        await sleep(1_000);
      },
    },
  );
  expect(ended).toEqual(['a', 'b']);
  expect([...result.subjects.values()].map(({ status }) => status)).toEqual(['completed', 'completed']);
});
