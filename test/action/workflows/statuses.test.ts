import { describe, expect, it } from 'vitest';
import type { StoredStatus } from '../../support/github/model.ts';
import { headOf } from '../../support/runner/repository.ts';
import { compiled } from '../../compile/compiled.ts';
import { ActionWorld, messagesOf, outputsOf, WORKFLOW } from './action-world.ts';
import { pullRequest } from './pull-request.ts';
import { reworkWorld } from './rework-world.ts';
import { IS_FULL } from '../../support/test-size.ts';

const PIPELINE = `pipeline: article
on: pull_request
workflow: { statuses: gates }
gates:
  plan:
    run: |
      echo "plan 1 $$" >> "$START_LOG"
      echo '{"score": 92}' > "$GATELINE_OUTPUT"
    inputs: []
    output: { score: /score, threshold: 80 }
  review:
    needs: plan
    run: |
      echo "{\\"score\\": $(cat score-$(node -p "require(process.env.GATELINE_REQUEST).matrix.lang").txt)}" > "$GATELINE_OUTPUT"
    strategy: { matrix: { lang: [go, ts] }, fail-fast: false }
    inputs: [score-*.txt]
    output: { score: /score, threshold: 80 }
  publish:
    needs: review
    run: echo '{}' > "$GATELINE_OUTPUT"
    inputs: []
`;

/** A plan, a review of two languages, of which ts is not good enough, and what follows it. */
function articleWorld(definition = PIPELINE, change = (workflow: string): string => workflow): Promise<ActionWorld> {
  const workflow = change(compiled(definition).text);
  return ActionWorld.create({
    'gateline.yml': definition,
    'score-go.txt': '90',
    'score-ts.txt': '40',
    [WORKFLOW]: workflow,
  });
}

/** Statuses since the last time it was asked, by context. */
function statusesOf({ service }: ActionWorld): Record<string, readonly [StoredStatus['state'], string]> {
  const { statuses } = service.world;
  return Object.fromEntries(
    statuses.splice(0).map(({ context, state, description }) => [context, [state, description]]),
  );
}

describe('a commit with a status for each gate', () => {
  it('has one for all legs of a gate, which links to its job, and is brought up to date by the next run', async () => {
    await using world = await articleWorld();
    const first = await (await world.run(await pullRequest(world))).start().ended;
    const { statuses, runs } = world.service.world;
    const head = await headOf(world.repository.root);
    expect(statuses.map(({ sha }) => sha)).toEqual([head, head, head]);
    const jobs = new Map([...runs.values()].at(-1)!.jobs.map(({ name, id }) => [name, id]));
    const page = `https://github.com/octo/gates/actions/runs/502`;
    const red = [...first.jobs.values()].find(
      ({ name, conclusion }) => name.startsWith('review') && conclusion !== 'success',
    );
    expect(statuses.map(({ url }) => url)).toEqual([
      `${page}/job/${jobs.get('plan')}`,
      `${page}/job/${jobs.get(red!.name)}`,
      `${page}/job/${jobs.get('publish')}`.replace('/job/undefined', ''),
    ]);
    expect(statusesOf(world)).toEqual({
      'gateline/article/plan': ['success', 'passed, score 92'],
      'gateline/article/review': ['failure', 'partial, lowest score 40, 1 of 2 legs done'],
      'gateline/article/publish': ['pending', 'blocked'],
    });

    await world.repository.write('score-ts.txt', '85.5');
    await world.repository.commitAll('Improve');
    await (await world.run(await pullRequest(world))).start().ended;
    expect(await world.startedGates()).toEqual(['plan']);
    expect(new Set(statuses.map(({ sha }) => sha))).toEqual(new Set([await headOf(world.repository.root)]));
    expect(statusesOf(world)).toEqual({
      'gateline/article/plan': ['success', 'passed, reused, score 92'],
      'gateline/article/review': ['success', 'passed, lowest score 85.5, 2 of 2 legs done'],
      'gateline/article/publish': ['success', 'passed, score 100'],
    });
  });

  it('needs no write permission for a job of a gate', () => {
    expect(compiled(PIPELINE).text.match(/statuses: write/g)).toHaveLength(1);
    expect(compiled(PIPELINE.replace('statuses: gates', 'statuses: auto')).text).not.toContain('statuses');
  });

  it.runIf(IS_FULL)('has none without the permission, and a notice says what to add', async () => {
    await using world = await articleWorld(PIPELINE, (text) => text.replace(/ +statuses: write.*\n/, ''));
    await world.repository.write('score-ts.txt', '85');
    await world.repository.commitAll('Improve');
    const report = await (await world.run(await pullRequest(world))).start().ended;
    expect(report.conclusion).toBe('success');
    expect(world.service.world.statuses).toEqual([]);
    expect(messagesOf(report.job('report'), 'notice')).toContainEqual(
      expect.stringMatching(
        /^The commit status gateline\/article\/plan and 2 others were not written: .*Give the job of the report `statuses: write`\.$/,
      ),
    );
  });

  it.runIf(IS_FULL)('has none for a fork, and a notice says so', async () => {
    await using world = await articleWorld();
    const report = await (await world.run(await pullRequest(world, 'mallory/gates'))).start().ended;
    expect(world.service.world.statuses).toEqual([]);
    expect(messagesOf(report.job('report'), 'notice')).toContainEqual(
      'No commit status was written: the token of a run for a fork can only read.',
    );
  });

  it.runIf(IS_FULL)('has none for a run that is not of a pull request', async () => {
    await using world = await articleWorld();
    await (await world.run()).start().ended;
    expect(world.service.world.statuses).toEqual([]);
  });

  it('has no success for a gate whose job failed after it', async () => {
    const failing = (text: string): string =>
      text.replace('          needs: ${{ toJSON(needs) }}\n\n  publish:', (end) =>
        end.replace('\n\n', '\n      - run: exit 1\n\n'),
      );
    await using world = await articleWorld(PIPELINE, failing);
    await world.repository.write('score-ts.txt', '85');
    await world.repository.commitAll('Improve');
    await (await world.run(await pullRequest(world))).start().ended;
    expect(statusesOf(world)).toMatchObject({
      'gateline/article/plan': ['success', 'passed, score 92'],
      'gateline/article/review': ['failure', 'its job did not succeed'],
    });
  });
});

describe('work that is sent back', () => {
  it('leaves every gate pending until the run that continues it has ended', async () => {
    await using world = await reworkWorld({ statuses: 'gates' });
    await (await world.run(await pullRequest(world))).start().ended;
    const sentBack = ['pending', 'Sent back: continued in another run'];
    expect(statusesOf(world)).toEqual({
      'gateline/article': sentBack,
      'gateline/article/write': sentBack,
      'gateline/article/review': sentBack,
    });
    const [next] = await world.dispatched();
    const report = await next!.start().ended;
    expect(outputsOf(report.job('report'), 'report')).toMatchObject({ passed: 'true' });
    expect(statusesOf(world)).toEqual({
      'gateline/article': ['success', '2 of 2 gates done'],
      'gateline/article/write': ['success', 'passed, score 100'],
      'gateline/article/review': ['success', 'passed, score 90'],
    });
  });

  it('has no status with `never`', async () => {
    await using world = await reworkWorld({ statuses: 'never' });
    await (await world.run(await pullRequest(world))).start().ended;
    expect(world.service.world.dispatches).toHaveLength(1);
    expect(world.service.world.statuses).toEqual([]);
  });
});
