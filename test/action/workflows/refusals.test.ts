import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ActionWorld, errorsOf, outputsOf, redJobs } from './action-world.ts';
import {
  ACTION,
  agent,
  agentStep,
  CHECKOUT,
  gateAround,
  gateJob,
  gateStep,
  job,
  reportJob,
  type Keys,
} from './workflow-text.ts';

describe('`complete`', () => {
  it('refuses what is no token, and a token that was altered, and the attempt is on record', async () => {
    const without = gateAround(agentStep({})).slice(0, 2);
    const done = (token: string): Keys => ({ uses: ACTION, with: { command: 'complete', token } });
    await using world = await ActionWorld.ofJobs({
      none: job([CHECKOUT, ...without, done('abc')]),
      altered: job([
        CHECKOUT,
        ...without,
        // The gate's id is all that is different.
        {
          id: 'forge',
          run: `echo "token=$(node -p 'const t = JSON.parse(Buffer.from(process.env.TOKEN, "base64url")); t.fingerprint = t.fingerprint.replace(/.$/, (c) => c === "0" ? "1" : "0"); Buffer.from(JSON.stringify(t)).toString("base64url")')" >> "$GITHUB_OUTPUT"`,
          env: { TOKEN: '${{ steps.gate.outputs.token }}' },
        },
        done('${{ steps.forge.outputs.token }}'),
      ]),
    });
    const report = await (await world.run()).start().ended;
    expect(errorsOf(report.job('none'))).toEqual([expect.stringMatching(/TOKEN_INVALID: /)]);
    expect(errorsOf(report.job('altered'))).toEqual([expect.stringMatching(/TOKEN_UNKNOWN: /)]);
    expect(world.endings()).toEqual(['altered 1.1.1 ran agent-error', 'none 1.1.1 ran agent-error']);
  });

  it('does not end the attempt of another job, which goes on', async () => {
    const waits = (file: string): string => `until test -e "$SHARED/${file}"; do sleep 0.05; done`;
    await using world = await ActionWorld.ofJobs({
      owner: job([
        CHECKOUT,
        ...gateAround({
          run: `echo '\${{ steps.gate.outputs.token }}' > "$SHARED/token.new"; mv "$SHARED/token.new" "$SHARED/token"; ${waits('tried')}
echo '{}' > "\${{ steps.gate.outputs.output-file }}"`,
        }),
      ]),
      thief: job([
        CHECKOUT,
        { id: 'read', run: `${waits('token')}; echo "token=$(cat "$SHARED/token")" >> "$GITHUB_OUTPUT"` },
        {
          uses: ACTION,
          with: { command: 'complete', token: '${{ steps.read.outputs.token }}', output: '{"by":"thief"}' },
        },
      ]),
    });
    const shared = world.repository.beside('.');
    const attempt = (await world.run({ machine: { SHARED: shared } })).start();
    const thief = await (await attempt.job('thief')).ended;
    await writeFile(world.repository.beside('tried'), '');
    expect(errorsOf(thief)).toEqual([
      expect.stringMatching(
        /TOKEN_UNKNOWN: gate owner was begun by job owner, and this is job thief\nComplete a gate in the job that began it\.$/,
      ),
    ]);
    expect((await attempt.ended).job('owner').conclusion).toBe('success');
    expect(world.endings()).toEqual(['owner 1.1.1 ran passed']);
  });

  it('refuses the token of a gate that is completed already', async () => {
    const again = { uses: ACTION, with: { command: 'complete', token: '${{ steps.gate.outputs.token }}' } };
    await using world = await ActionWorld.ofJobs({ one: job([CHECKOUT, ...gateAround(agentStep({})), again]) });
    const report = await (await world.run()).start().ended;
    expect(errorsOf(report.job('one'))).toEqual([expect.stringMatching(/ALREADY_COMPLETED: /)]);
    expect(world.endings()).toEqual(['one 1.1.1 ran passed']);
  });
});

it('tells everything that is wrong with the inputs of a step at once, and runs nothing', async () => {
  const wrong = { run: agent({}), treshold: 90, score: 'score', retries: 11, token: 'abc' };
  await using world = await ActionWorld.ofJobs({ one: gateJob(wrong) });
  const report = await (await world.run()).start().ended;
  const [error, ...more] = errorsOf(report.job('one'));
  expect(more).toEqual([]);
  for (const input of ['treshold', 'score', 'retries', 'token'])
    expect(error).toMatch(new RegExp(`(?:^|\\n|: )${input}: `));
  expect(error).toContain('`threshold`');
  expect(await world.startedGates()).toEqual([]);
  expect(world.service.calls).toEqual([]);
});

describe('inputs that are wrong in several ways are told at once', () => {
  const inputsOf = (error: string | undefined): string[] =>
    [...(error ?? '').matchAll(/(?:^|\n|: )([a-z-]+): /g)].map(([, input]) => input!);
  const wrong = { threshold: 200, score: '/score', schema: 'nope.json', 'input-file': 'nope.json' };

  it.each<[string, Keys, string[]]>([
    [
      'values, the gate, its contract and files',
      { ...wrong, cache: 'on' },
      ['cache', 'run', 'threshold', 'input-file', 'schema'],
    ],
    ['the gate, its contract and files', wrong, ['run', 'threshold', 'input-file', 'schema']],
    [
      'the gate and its contract',
      { run: 'true', score: '/s', threshold: 200, checks: 'output.a >' },
      ['checks', 'threshold'],
    ],
  ])('%s', async (_, inputs, expected) => {
    await using world = await ActionWorld.ofJobs({ one: gateJob(inputs) });
    const report = await (await world.run()).start().ended;
    const [error, ...more] = errorsOf(report.job('one'));
    expect(more).toEqual([]);
    expect(error).toMatch(/^Invalid inputs: ACTION_INPUTS_INVALID: /);
    expect(inputsOf(error?.replace(/^.*INVALID: /, '')).toSorted()).toEqual(expected.toSorted());
    expect(await world.startedGates()).toEqual([]);
  });

  it('beside a gateline.yml, which is told with its contracts', async () => {
    const gate = { run: 'true', inputs: [], output: { schema: 'nope.json' } };
    const files = (more: object) => ({ 'gateline.yml': JSON.stringify({ gates: { one: { ...gate, ...more } } }) });
    const inputs = { cache: 'on', run: 'true', schema: 's.json' };
    await using twice = await ActionWorld.ofJobs({ one: gateJob({ ...inputs, file: 'gateline.yml' }) }, files({}));
    const [error] = errorsOf((await (await twice.run()).start().ended).job('one'));
    expect(inputsOf(error?.replace(/^.*INVALID: /, ''))).toEqual(['cache', 'run', 'schema']);
    await using unsound = await ActionWorld.ofJobs(
      { one: gateJob({ file: 'gateline.yml' }) },
      files({ rnu: 'x', needs: 'nope' }),
    );
    const told = errorsOf((await (await unsound.run()).start().ended).job('one')).join('\n');
    for (const code of ['KEY_UNKNOWN', 'NEED_UNKNOWN', 'CONTRACT_SCHEMA_MISSING']) expect(told).toContain(code);
  });
});

describe('the report', () => {
  it('is red where no gate left a record, and where a needed job left none', async () => {
    const plain = { 'runs-on': 'ubuntu-latest', steps: [{ run: 'true' }] };
    await using world = await ActionWorld.ofJobs({
      plain,
      nothing: reportJob('plain'),
      gate: job([CHECKOUT, gateStep({ run: agent({}) })], { if: 'always()', needs: 'nothing' }),
      something: reportJob(['plain', 'gate']),
    });
    const report = await (await world.run()).start().ended;
    expect(errorsOf(report.job('nothing'))).toEqual([
      'No gates: no gate left a record in this run, so nothing was checked',
    ]);
    expect(report.job('gate').conclusion).toBe('success');
    expect(errorsOf(report.job('something'))).toEqual([
      'Gates failed: needed jobs without a satisfied gate: plain (success)',
    ]);
    const outputs = { passed: 'false', 'run-status': 'error', 'failed-gates': 'plain' };
    expect(outputsOf(report.job('something'), 'report')).toMatchObject(outputs);
  });

  it('is red for a job that was skipped or failed although its gates are done, and its outputs say so', async () => {
    const dies = { run: 'exit 1' };
    await using world = await ActionWorld.ofJobs({
      gate: gateJob({ run: agent({}) }),
      passed_over: gateJob({ run: agent({}) }, { if: 'false' }),
      dies_later: job([CHECKOUT, gateStep({ run: agent({}) }), dies]),
      report: reportJob(['gate', 'passed_over', 'dies_later']),
    });
    const report = await (await world.run()).start().ended;
    expect(errorsOf(report.job('report'))).toEqual([
      'Gates failed: needed jobs without a satisfied gate: passed_over (skipped), dies_later (failure)',
    ]);
    const outputs = { passed: 'false', 'run-status': 'error', 'failed-gates': 'passed_over,dies_later' };
    expect(outputsOf(report.job('report'), 'report')).toMatchObject(outputs);
    const { summary } = report.job('report');
    expect(summary).toContain('## ❌ not checked');
    expect(summary).toContain('`passed_over` (skipped) left no record: not checked');
    expect(summary).toContain('`dies_later` (failure) did not succeed, but its gates are done');
  });

  it('judges every output again: a record that was made to say passed convinces nobody', async () => {
    const schema = '{"type":"object","required":["plan"]}';
    await using world = await ActionWorld.ofJobs({
      first: gateJob({ run: agent({ plan: 1 }), schema }),
      last: job([CHECKOUT, { ...gateStep({ run: agent({ score: 99 }), schema }), 'continue-on-error': true }]),
      report: reportJob(['first', 'last']),
    });
    const inspect = (_: unknown, { id }: { readonly id: string }): void => {
      if (id === 'last') world.forge('last', { status: 'passed', kind: 'passed', score: 100, issues: [], advice: '' });
    };
    const report = await (await world.run({ inspect })).start().ended;
    expect(world.endings()).toEqual(['first 1.1.1 ran passed', 'last 1.1.1 ran passed']);
    expect(redJobs(report)).toEqual([expect.stringMatching(/^report: failure\n/)]);
    expect(errorsOf(report.job('report'))).toEqual([
      expect.stringMatching(
        /UPSTREAM_REFUSED: the output of gate last does not meet its contract: schema: .*lacks `plan`$/,
      ),
      'Gates failed: not done: last',
    ]);
  });
});
