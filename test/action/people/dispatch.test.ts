import { describe, expect, it } from 'vitest';
import { DISPATCH_INPUTS } from '../../../src/pipeline/pipeline.ts';
import { ACTIONS_BOT } from '../../support/github/model.ts';
import type { TestRepository } from '../../support/runner/repository.ts';
import { agent, logsOf, troubles, useGithub, worked } from '../stories/support.ts';
import { approvalIn, inputsIn, peopleFiles, STORY } from './support.ts';

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

const gateJob = (inputs: object, needs: readonly string[] = []) => ({
  needs,
  'runs-on': 'ubuntu-latest',
  permissions: { contents: 'read', actions: 'read', 'pull-requests': 'read' },
  outputs: { attempt: '${{ steps.gate.outputs.attempt }}' },
  steps: [
    { uses: 'actions/checkout@v5' },
    { id: 'gate', uses: 'gateline/gateline@v1', with: { needs: '${{ toJSON(needs) }}', ...inputs } },
  ],
});
const reportJob = (needs: readonly string[], inputs: object) => ({
  needs,
  if: 'always()',
  'runs-on': 'ubuntu-latest',
  permissions: { contents: 'read', actions: 'read' },
  steps: [
    { uses: 'actions/checkout@v5' },
    { uses: 'gateline/gateline/report@v1', with: { needs: '${{ toJSON(needs) }}', ...inputs } },
  ],
});
const workflowOf = (jobs: object) => {
  const inputs = Object.fromEntries(Object.keys(DISPATCH_INPUTS).map((name) => [name, { type: 'string' }]));
  return { '.github/workflows/own.yml': JSON.stringify({ on: { push: null, workflow_dispatch: { inputs } }, jobs }) };
};

describe('a job leaves decisions about gates that it does not know to others', () => {
  it('in a chain that steps describe', async () => {
    const describe = (output: string, definition = '') =>
      definition === ''
        ? { run: agent(output), inputs: 'a.txt' }
        : { run: agent(output), definition: `{inputs: [a.txt], ${definition}}` };
    const jobs = {
      design: gateJob(describe('{"n": 1}')),
      code: gateJob(describe('{"n": 2}', 'approval: required'), ['design']),
      test: gateJob(describe('{"n": 3}'), ['code']),
      report: reportJob(['design', 'code', 'test'], { file: 'none' }),
    };
    const repository = await world.create({ files: { ...workflowOf(jobs), 'a.txt': '' } });
    const first = await repository.push();
    expect(troubles(first), logsOf(first)).toEqual(['code failure', 'report failure', 'test skipped']);
    const approval = { ...inputsIn(approvalIn(first.job('report').summary)), reason: 'why' };
    const dispatch = async (inputs: Record<string, string>) => {
      const run = await repository.dispatch({ inputs: { ...approval, ...inputs } });
      return [worked(run), troubles(run), logsOf(run)];
    };
    expect(await dispatch({})).toEqual([['test'], [], '']);
    expect(await dispatch({ force: 'test' })).toEqual([['test'], [], '']);
    expect(await dispatch({ skip: 'test' })).toEqual([[], [], '']);
    expect((await dispatch({ from: 'design' })).slice(0, 2)).toEqual([
      ['code', 'design'],
      ['code failure', 'report failure', 'test skipped'],
    ]);
    expect(await dispatch({ from: 'test' })).toEqual([['test'], [], '']);
    const [did, red, log] = await dispatch({ from: 'tset' });
    expect([did, red]).toEqual([[], ['report failure']]);
    expect(log).toContain('the dispatch names tset, which is no gate of the workflow: it has design, code, test');
  });

  it('and all gates after a gate of such a chain work again', async () => {
    const step = (n: number) => ({ run: agent(`{"n": ${n}}`), inputs: 'a.txt' });
    const jobs = {
      design: gateJob(step(1)),
      code: gateJob(step(2), ['design']),
      test: gateJob(step(3), ['code']),
      report: reportJob(['design', 'code', 'test'], { file: 'none' }),
    };
    const repository = await world.create({ files: { ...workflowOf(jobs), 'a.txt': '' } });
    expect(worked(await repository.push())).toEqual(['code', 'design', 'test']);
    const all = await repository.dispatch({ inputs: { from: 'design', reason: 'why' } });
    expect([worked(all), troubles(all)], logsOf(all)).toEqual([['code', 'design', 'test'], []]);
    const rest = await repository.dispatch({ inputs: { from: 'code', reason: 'why' } });
    expect([worked(rest), troubles(rest)], logsOf(rest)).toEqual([['code', 'test'], []]);
  });

  it('beside another pipeline', async () => {
    const one = { pipeline: 'a', gates: { one: { run: agent('{}'), inputs: [] } } };
    const two = { pipeline: 'b', gates: { two: { run: agent('{}'), inputs: [], approval: 'required' } } };
    const jobs = {
      one: gateJob({ file: 'a/gateline.yml' }),
      second: gateJob({ file: 'b/gateline.yml', gate: 'two' }, ['ra']),
      ra: reportJob(['one'], { file: 'a/gateline.yml' }),
      rb: reportJob(['second'], { file: 'b/gateline.yml' }),
    };
    const definitions = { 'a/gateline.yml': JSON.stringify(one), 'b/gateline.yml': JSON.stringify(two) };
    const repository = await world.create({ files: { ...workflowOf(jobs), ...definitions } });
    const first = await repository.push();
    expect(troubles(first)).toEqual(['rb failure', 'second failure']);
    const approval = { ...inputsIn(approvalIn(first.job('rb').summary)), reason: 'why' };
    const approved = await repository.dispatch({ inputs: approval });
    expect([worked(approved), troubles(approved)], logsOf(approved)).toEqual([[], []]);
    const forced = await repository.dispatch({ inputs: { ...approval, force: 'one' } });
    expect([worked(forced), troubles(forced)], logsOf(forced)).toEqual([['one'], []]);
    const wrong = await repository.dispatch({ inputs: { ...approval, force: 'ra' } });
    expect([worked(wrong), troubles(wrong)]).toEqual([[], ['ra failure', 'rb failure', 'second skipped']]);
    expect(wrong.job('ra').log).toContain('the dispatch names ra, which is no gate of the workflow: it has one, two');
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

  it('gets the inputs of the workflow itself, and an approval after it too', async () => {
    const task = "it's new";
    const files = peopleFiles(
      { ...GATES, review: { ...GATES.review, approval: 'required' } },
      { jobs: { report }, with: { task: '${{ inputs.task }}' } },
    );
    const workflow = JSON.parse(files[STORY]!) as { on: { workflow_dispatch: { inputs: object } } };
    workflow.on.workflow_dispatch.inputs = { ...workflow.on.workflow_dispatch.inputs, task: { type: 'string' } };
    const scores = { 'idea.txt': '1', 'score1.txt': '50', 'score2.txt': '90' };
    const repository = await world.create({ files: { ...files, [STORY]: JSON.stringify(workflow), ...scores } });
    await repository.push();
    repository.data.orders.splice(0);
    const first = await repository.dispatch({ inputs: { task } });
    expect([worked(first), troubles(first)], logsOf(first)).toEqual([
      ['design', 'review'],
      ['report failure', 'review failure'],
    ]);
    const second = await nextRun(repository);
    expect(worked(second), logsOf(second)).toEqual(['design', 'review']);
    expect(second.job('design').log).toContain(`"task": "${task}"`);
    const line = approvalIn(second.job('report').summary);
    expect(line).toMatch(/ -f task='it'\\''s new'$/);
    const approved = await repository.dispatch({
      inputs: { ...inputsIn(line.replace(/ -f task=.*/, '')), reason: 'why', task },
    });
    expect([worked(approved), troubles(approved)], logsOf(approved)).toEqual([[], []]);
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
