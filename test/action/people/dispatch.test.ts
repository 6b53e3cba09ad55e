import { describe, expect, it } from 'vitest';
import { ACTIONS_BOT } from '../../support/github/model.ts';
import type { TestRepository } from '../../support/runner/repository.ts';
import { agent, logsOf, troubles, useGithub, worked } from '../stories/support.ts';
import { approvalIn, inputsIn, peopleFiles } from './support.ts';

const world = useGithub();

describe('on a branch, a dispatched run decides', () => {
  const GATES = {
    plan: { run: agent('{"plan": 1}'), approval: 'required', inputs: [] },
    test: {
      needs: ['plan'],
      run: agent('{"score": 60}'),
      inputs: [],
      output: { score: '/score', threshold: 80, partial: 'pause' },
    },
    last: { needs: ['test'], run: agent('{}'), inputs: [] },
  };

  it('approve, skip, force and from, with a reason, by a person', async () => {
    const repository = await world.create({ files: peopleFiles(GATES) });
    const dispatch = (inputs: Record<string, string>, actor?: string) =>
      repository.dispatch({ inputs: { reason: 'the owner said so', ...inputs }, actor });
    const first = await repository.push();
    expect(troubles(first)).toEqual(['last skipped', 'plan failure', 'report failure', 'test skipped']);
    const line = approvalIn(first.job('report').summary);
    expect(line).toMatch(
      /^gh workflow run story\.yml --ref main -f approve='plan [0-9a-f]{32}' -f resume=\d+ -f reason=/,
    );

    const bot = await dispatch({ ...inputsIn(line), reason: 'because' }, ACTIONS_BOT.login);
    expect([worked(bot), bot.job('plan').conclusion]).toEqual([[], 'failure']);
    expect(bot.job('plan').log).toContain('github-actions[bot] is no person');

    const second = await dispatch({ ...inputsIn(line), reason: 'it is a good plan' });
    expect([worked(second), troubles(second)], logsOf(second)).toEqual([
      ['test'],
      ['last skipped', 'report failure', 'test failure'],
    ]);
    expect(second.job('report').summary).toContain('it is a good plan');
    // Nothing is written down that could be forged: each run says all that it approves.
    const both = approvalIn(second.job('test').summary);
    expect([both, both]).toEqual([
      approvalIn(second.job('report').summary),
      expect.stringContaining(`approve='${inputsIn(line)['approve']}, test `),
    ]);
    const third = await dispatch({ ...inputsIn(both), reason: 'good enough' });
    expect([worked(third), troubles(third)], logsOf(third)).toEqual([['last'], []]);

    const approvals = { approve: inputsIn(both)['approve']! };
    const skipped = await dispatch({ ...approvals, skip: 'last' });
    expect([worked(skipped), troubles(skipped)], logsOf(skipped)).toEqual([[], []]);
    expect(skipped.job('report').summary).toMatch(/octocat.*the owner said so|the owner said so.*octocat/s);
    const forced = await dispatch({ ...approvals, force: 'last' });
    expect([worked(forced), troubles(forced)], logsOf(forced)).toEqual([['last'], []]);
    // What works again is another output: nobody has approved that.
    const from = await dispatch({ ...approvals, from: 'test' });
    expect([worked(from), troubles(from)]).toEqual([['test'], ['last skipped', 'report failure', 'test failure']]);
    const silent = await dispatch({ skip: 'last', reason: '' });
    expect(silent.conclusion).toBe('failure');
  });
});

describe('a review that sends work back', () => {
  const GATES = {
    design: {
      run: agent(
        '{"n": $n}',
        'n=1; if grep -q \'"rework"\' "$GATELINE_REQUEST"; then n=2; cat "$GATELINE_REQUEST"; fi',
      ),
      inputs: ['idea.txt'],
    },
    review: {
      needs: ['design'],
      run: agent(
        '{"score": $(cat score$n.txt), "why": "too vague"}',
        `n=$(node -p 'require(process.env.GATELINE_REQUEST).needs.design.output.n')`,
      ),
      inputs: ['score*.txt'],
      output: { score: '/score', threshold: 80 },
      'on-fail': { goto: 'design', 'max-iterations': 2 },
    },
  };
  const report = {
    permissions: { contents: 'read', actions: 'write', 'pull-requests': 'write' },
    steps: [
      { uses: 'actions/checkout@v5' },
      { uses: 'gateline/gateline/report@v1', with: { needs: '${{ toJSON(needs) }}', dispatch: 'true' } },
    ],
  };
  const nextRun = async (repository: TestRepository) => (await repository.runOrders())[0]!;

  it('starts the next iteration, with what it said, until it passes or its iterations are used up', async () => {
    const files = {
      ...peopleFiles(GATES, { jobs: { report } }),
      'idea.txt': '1',
      'score1.txt': '50',
      'score2.txt': '90',
    };
    const repository = await world.create({ files });
    const first = await repository.push();
    expect(troubles(first)).toEqual(['report failure', 'review failure']);
    expect(repository.data.orders, first.job('report').log).toHaveLength(1);
    const second = await nextRun(repository);
    expect([worked(second), troubles(second)], logsOf(second)).toEqual([['design', 'review'], []]);
    expect(second.job('design').log).toContain('too vague');
    expect(repository.data.runs.at(-1)).toMatchObject({ event: 'workflow_dispatch', actor: ACTIONS_BOT });
    // It answered the review: nothing is left to do.
    const again = await repository.push();
    expect([worked(again), troubles(again)], logsOf(again)).toEqual([[], []]);

    const other = await repository.push({ files: { 'idea.txt': '2', 'score2.txt': '60' } });
    expect(troubles(other)).toEqual(['report failure', 'review failure']);
    const end = await nextRun(repository);
    expect(troubles(end)).toEqual(['report failure', 'review failure']);
    expect(end.job('report').log).toContain('design has worked 2 times, as often as review allows');
    expect(repository.data.orders).toEqual([]);
  });

  it('counts what earlier iterations have cost towards max-cost', async () => {
    const costs = `${GATES.design.run}\nprintf '{"costUsd": 1}' > "$GATELINE_METRICS"`;
    const files = peopleFiles({ ...GATES, design: { ...GATES.design, run: costs } }, { jobs: { report } });
    const definition = { ...(JSON.parse(files['gateline.yml']!) as object), 'max-cost': 1.5 };
    const scores = { 'idea.txt': '1', 'score1.txt': '50', 'score2.txt': '90' };
    const repository = await world.create({
      files: { ...files, 'gateline.yml': JSON.stringify(definition), ...scores },
    });
    const first = await repository.push();
    expect(worked(first), logsOf(first)).toEqual(['design', 'review']);
    const second = await nextRun(repository);
    expect([worked(second), troubles(second)]).toEqual([['design'], ['report failure', 'review failure']]);
    expect(second.job('review').log).toContain('the run has cost $2.00, and `max-cost` is $1.5');
  });
});
