import { describe, expect, it } from 'vitest';
import { ActionWorld, errorsOf, redJobs } from './action-world.ts';
import { stateFilesOf } from './guide-world.ts';
import { pullRequest } from './pull-request.ts';
import { CALLED, called, gate, run, setOf } from './set-world.ts';
import { ACTION, CHECKOUT, gateAround, job, reportJob, type Keys } from './workflow-text.ts';

const FLOW = '.claude/orchestration.local.md';
const NEXUS = '.claude/skills/nexus/history';

const output = { message: '/message' };
const gates = {
  plan: {
    output,
    run: `printf '{"message": "planned", "key": "%s"}' "$API_KEY" > "$GATELINE_OUTPUT"`,
    secrets: ['API_KEY'],
  },
  build: { output, needs: ['plan'] },
};

interface Options {
  readonly mirror: string;
  readonly definition?: Keys;
  readonly files?: Readonly<Record<string, string>>;
  /** The agent of `build`. */
  readonly run?: string;
}

/** `plan` is a command, and `build` an agent between `begin` and `complete`. */
function worldOf({ mirror, definition = {}, files, run = `cat ${FLOW}` }: Options): Promise<ActionWorld> {
  const inputs = mirror === '' ? {} : { mirror };
  const needed = { needs: ['plan'], if: 'always()' };
  const agent = `${run}\necho '{"message": "built"}' > "\${{ steps.gate.outputs.output-file }}"`;
  const around = gateAround({ run: agent }, { ...inputs, inputs: '' }, inputs);
  const jobs = {
    plan: job([CHECKOUT, { id: 'gate', uses: ACTION, env: { API_KEY: 'very-secret-value' }, with: inputs }]),
    build: job([CHECKOUT, ...around, { if: 'always()', run: `cat ${FLOW} || true; git status --porcelain` }], needed),
    report: reportJob(['plan', 'build'], inputs),
  };
  return ActionWorld.ofJobs(jobs, {
    'gateline.yml': JSON.stringify({ pipeline: 'flow', task: 'Add a form', ...definition, gates }),
    ...files,
  });
}

describe('the files of other systems in jobs', () => {
  it.each([
    ['an input', { mirror: 'agent-flow, nexus' }],
    ['gateline.yml', { mirror: '', definition: { mirror: ['agent-flow', 'nexus'] } }],
  ])('lie there before the agent, are current after it, and the report has all of them: by %s', async (_, options) => {
    await using world = await worldOf({ ...options, run: `cat ${FLOW}; cat ${NEXUS}/.current-workflow.json` });
    const ended = await (await world.run()).start().ended;
    expect(redJobs(ended)).toEqual([]);
    const log = ended.job('build').log.join('\n');
    const [before = '', after = ''] = log.split('iteration: 1').slice(1);
    expect(before).toMatch(/plan:\n {4}status: "passed"[^]*message: "planned"[^]*build:\n {4}status: "in_progress"/);
    expect(before).toContain('"key": "***"');
    expect(after).toMatch(/build:\n {4}status: "passed"[^]*message: "built"/);
    expect(after).not.toContain('??');
    expect(log).not.toContain('very-secret-value');
    expect(log).not.toContain('Checkpoint of gate');
    const names = [FLOW, `${NEXUS}/.current-workflow.json`, `${NEXUS}/executions.jsonl`];
    const files = await stateFilesOf(world, names, 'gateline-flow-1.state');
    expect(files[FLOW]).toContain('current_phase: "complete"');
    expect(JSON.parse(files[names[1]!]!)).toMatchObject({
      status: 'COMPLETED',
      workflowFile: 'gateline.yml',
      results: { plan: { message: 'planned', key: '***' }, build: { message: 'built' } },
    });
    expect(files[names[2]!]).toContain('"status":"COMPLETED"');
  });

  it('are there in reusable workflows, and about each subject of a set', async () => {
    const one = { make: gate('make', 'cat .devloop/workflow-state.json'), check: { ...gate('check'), needs: 'make' } };
    const definition = { pipeline: 'p', mirror: ['dev-loop'], defaults: { run: { shell: 'sh' } }, gates: one };
    await using world = await ActionWorld.create({
      'gateline.yml': JSON.stringify(definition),
      'subjects.json': setOf({ id: 'base' }, { id: 'top', needs: ['base'] }),
      [CALLED]: await called(),
    });
    const { jobs } = await (await world.run(run)).start().ended;
    const log = [...jobs.values()].flatMap((ended) => ended.log).join('\n');
    for (const id of ['base', 'top']) {
      expect(log).toContain(`"threadId": "${id}"`);
      const files = await stateFilesOf(world, ['.devloop/workflow-state.json'], `gateline-p-1.${id}.state`);
      expect(JSON.parse(Object.values(files)[0]!)).toMatchObject({ threadId: id, status: 'done' });
    }
  });

  it('are not there with the input none, whatever gateline.yml says', async () => {
    await using world = await worldOf({ mirror: 'none', definition: { mirror: ['agent-flow'] }, run: 'ls -A' });
    const ended = await (await world.run()).start().ended;
    expect(ended.job('build').log.join('\n')).not.toContain('current_phase');
    expect(await stateFilesOf(world, [FLOW], 'gateline-flow-1.state')).toEqual({});
  });

  it('do not let an agent start where the commit under test has one of them', async () => {
    await using world = await worldOf({ mirror: 'agent-flow', files: { [FLOW]: 'forged' } });
    const ended = await (await world.run(await pullRequest(world, 'fork/gates'))).start().ended;
    expect(errorsOf(ended.job('plan')).join('\n')).toMatch(/EXPORT_REFUSED.*git tracks it/);
    expect(world.endings()).toEqual(['plan 1.1.1 ran not-started']);
  });

  it('are refused by name if there is no such system', async () => {
    await using world = await worldOf({ mirror: 'agentflow' });
    const ended = await (await world.run()).start().ended;
    expect(errorsOf(ended.job('plan')).join('\n')).toContain(
      'mirror: expected some of `state-guide`, `agent-flow`, `dev-loop`, `nexus`, or `none`',
    );
  });
});
