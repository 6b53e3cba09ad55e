import { expect, it } from 'vitest';
import { agent, logsOf, pipelineFiles, troubles, useGithub, worked } from '../stories/support.ts';

const world = useGithub();
const need = { needs: '${{ toJSON(needs) }}' };
const SECRET = 'long-secret-value';
const secret = { 'secret-values': `KEY=${SECRET}` };

/** A job whose agent is the action test/agent between `begin` and `complete`, as the README shows. */
function around(complete = true, needs: string[] = []) {
  const token = { token: '${{ steps.begin.outputs.token }}', outcome: '${{ steps.agent.outcome }}' };
  const answer = { output: '${{ steps.agent.outputs.answer }}', metrics: '{"costUsd": 0.25}' };
  return {
    needs,
    outputs: { attempt: '${{ steps.complete.outputs.attempt || steps.begin.outputs.attempt }}' },
    steps: [
      { uses: 'actions/checkout@v5' },
      { id: 'begin', uses: 'gateline/gateline/begin@v1', with: { ...need, ...secret, 'outage-minutes': '0.02' } },
      { id: 'agent', if: "steps.begin.outputs.choice == 'run'", uses: 'test/agent@v1' },
      ...(complete
        ? [
            {
              id: 'complete',
              if: "always() && steps.begin.outputs.token != ''",
              uses: 'gateline/gateline/complete@v1',
              with: { ...token, ...answer, ...secret },
            },
          ]
        : []),
    ],
  };
}

const GATES = {
  ask: {
    uses: 'test/agent@v1',
    run: undefined as unknown as string,
    secrets: ['KEY'],
    output: { score: '/score', threshold: 80 },
  },
  next: { needs: ['ask'], run: agent('{}'), inputs: [] },
};
const AGENT = `echo "| agent works"; test ! -e broken.txt
echo "answer={\\"score\\": $(cat score.txt), \\"key\\": \\"${SECRET}\\"}" >> "$GITHUB_OUTPUT"`;

it('the agent of a gate may be another action, which does not run if an earlier output holds', async () => {
  const repository = await world.create({
    files: { ...pipelineFiles(GATES, { jobs: { ask: around() } }), 'score.txt': '90' },
    actions: { 'test/agent': AGENT },
  });
  const first = await repository.push();
  expect([worked(first), troubles(first)], logsOf(first)).toEqual([['ask', 'next'], []]);
  expect(first.job('report').summary).toContain('$0.25');
  expect(first.job('ask').log).toMatch(/^ask: passed: score 90$/m);
  expect(first.job('ask').log).toContain('A gate without `inputs` reads every file');
  const stored = repository.data.artifacts.map(({ blob }) => blob.content?.toString() ?? '').join('\n');
  expect([stored.includes('"score":90'), stored.includes(SECRET)]).toEqual([true, false]);
  const again = await repository.push();
  expect([worked(again), troubles(again)], logsOf(again)).toEqual([[], []]);
  expect(again.job('ask').steps.map(({ id, outcome }) => [id, outcome])).toContainEqual(['agent', 'skipped']);
  const low = await repository.push({ files: { 'score.txt': '10' } });
  expect([worked(low), troubles(low)]).toEqual([['ask'], ['ask failure', 'next skipped', 'report failure']]);
  const broken = await repository.push({ files: { 'broken.txt': '', 'score.txt': '95' } });
  expect(troubles(broken)).toEqual(['ask failure', 'next skipped', 'report failure']);
  expect(broken.job('report').summary).toMatch(/ask.*(exit code 1|agent)/s);
});

it('`complete` that cannot upload is red, and the post step of `begin` uploads what it left', async () => {
  const repository = await world.create({
    files: { ...pipelineFiles(GATES, { jobs: { ask: around() } }), 'score.txt': '90' },
    actions: { 'test/agent': AGENT },
  });
  const outage = world.github.fail({
    route: 'CreateArtifact',
    job: 'ask',
    times: Infinity,
    fault: { kind: 'status', status: 400 },
  });
  const running = await repository.start('push');
  await (await running.job('ask')).logged(/could not be stored|::error.*upload/i);
  Object.assign(outage.rule, { times: 0 });
  const run = await running.completed;
  expect(troubles(run)).toEqual(['ask failure', 'next skipped', 'report failure']);
  expect(run.job('ask').log).toContain('was uploaded after its step had ended: a re-run uses its output');
  const again = await run.rerun('failed');
  expect([worked(again), troubles(again)], logsOf(again)).toEqual([['next'], []]);
});

it('a forgotten `complete` is named where it is missing, and where its output is', async () => {
  const repository = await world.create({
    files: { ...pipelineFiles(GATES, { jobs: { ask: around(false) } }), 'score.txt': '90' },
    actions: { 'test/agent': AGENT },
  });
  const run = await repository.push();
  expect(troubles(run)).toEqual(['next failure', 'report failure']);
  expect(
    run
      .job('ask')
      .annotations.map(({ message }) => message)
      .join(),
  ).toContain('No step `complete` has ended');
  expect(run.job('next').log).toContain('the job ask does not hand over what ask left');
  expect(
    run
      .job('report')
      .annotations.map(({ message }) => message)
      .join(),
  ).toContain('job ask hands over no output `attempt`');
});
