import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { REPOSITORY } from '../../support/command-line.ts';
import { filesBelow } from '../../support/scratch-workspace.ts';
import type { RunReport } from '../../support/runner/workflow-run.ts';
import { ActionWorld, outputsOf, redJobs, WORKFLOW } from './action-world.ts';
import { IS_FULL } from '../../support/test-size.ts';

const EXAMPLE = 'examples/agent-flow';

/** The example and its workflow in a repository, as its comment says that people copy it. */
async function agentFlow(): Promise<ActionWorld> {
  const folder = join(REPOSITORY, EXAMPLE);
  const names = await filesBelow(folder, ['.state']);
  const entries = names.map(
    async (name) => [`${EXAMPLE}/${name}`, await readFile(join(folder, name), 'utf8')] as const,
  );
  const { [`${EXAMPLE}/workflow.yml`]: workflow, ...files } = Object.fromEntries(await Promise.all(entries));
  const definition = files[`${EXAMPLE}/gateline.yml`]!;
  const logged = definition.replaceAll('run: node', 'run: echo "$GATELINE_GATE 1 $$" >> "$START_LOG"; node');
  return ActionWorld.create({ ...files, [`${EXAMPLE}/gateline.yml`]: logged, [WORKFLOW]: workflow! });
}

const redNames = ({ jobs }: RunReport): string[] =>
  [...jobs.values()].flatMap(({ name, conclusion }) => (conclusion === 'success' ? [] : `${name} ${conclusion}`));

it.runIf(IS_FULL)(
  'examples/agent-flow goes back to implementation in the next run, twice, and explores once',
  async () => {
    await using world = await agentFlow();
    const first = await (await world.run()).start().ended;
    expect(await world.startedGates()).toEqual(['exploration', 'implementation', 'planning', 'review', 'verification']);
    const red = ['review failure', 'verification failure', 'complete skipped', 'report failure'];
    expect(redNames(first)).toEqual(red);
    const [second, ...others] = await Promise.all((await world.dispatched()).map((run) => run.start().ended));
    expect(others).toEqual([]);
    expect(redNames(second!)).toEqual(red);
    expect(outputsOf(second!.job('planning'))).toMatchObject({ decision: 'reuse' });
    expect(outputsOf(second!.job('implementation'))).toMatchObject({ decision: 'run', iteration: '2' });
    expect(second!.job('report').summary).toContain(', iteration 2 of 3 of `implementation`');
    const [third] = await Promise.all((await world.dispatched()).map((run) => run.start().ended));
    expect(redJobs(third!)).toEqual([]);
    expect(await world.dispatched()).toEqual([]);
    const round = ['implementation', 'review', 'verification'];
    expect(await world.startedGates()).toEqual([...round, ...round, 'complete'].toSorted());

    // A run that changes no input starts no agent.
    const later = await (await world.run()).start().ended;
    expect(redJobs(later)).toEqual([]);
    expect(await world.startedGates()).toEqual([]);
  },
);
