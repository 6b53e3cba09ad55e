import { describe, expect, it } from 'vitest';
import { ActionWorld, WORKFLOW, errorsOf, messagesOf, outputsOf, redJobs } from './action-world.ts';
import { agent, agentStep, CHECKOUT, gateAround, gateJob, job, workflowOf } from './workflow-text.ts';

const KIB = 1024;

/** An agent whose output is one text of that many characters. */
function wordy(length: number): string {
  return `node -e 'fs.writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify({ text: "x".repeat(${length}) }))'`;
}

describe('the output `value`', () => {
  it('holds the whole of an output below 256 KiB where it is asked for, and nothing where it is not', async () => {
    const text = 'x'.repeat(200 * KIB);
    await using world = await ActionWorld.ofJobs({
      asked: gateJob({ run: wordy(text.length), 'expose-output': true }),
      unasked: gateJob({ run: wordy(1) }),
    });
    const report = await (await world.run()).start().ended;
    expect(JSON.parse(outputsOf(report.job('asked'))['value']!)).toEqual({ text });
    expect(outputsOf(report.job('unasked'))).not.toHaveProperty('value');
    expect(outputsOf(report.job('unasked'))).toMatchObject({ status: 'passed' });
  });

  it('is left out beyond 256 KiB, with a warning, and the gate passes', async () => {
    await using world = await ActionWorld.ofJobs({ one: gateJob({ run: wordy(300 * KIB), 'expose-output': true }) });
    const report = await (await world.run()).start().ended;
    expect(redJobs(report)).toEqual([]);
    expect(outputsOf(report.job('one'))).not.toHaveProperty('value');
    expect(messagesOf(report.job('one'), 'warning')).toEqual([
      `expose-output: the output has ${300 * KIB + '{"text":""}'.length} bytes, more than the ${256 * KIB} that are exposed; read the artifact`,
    ]);
  });
});

describe('an output that is given to `complete` as an input', () => {
  const given = (length: number) => {
    const say = `echo "said={\\"text\\":\\"$(printf 'x%.0s' $(seq ${length}))\\"}" >> "$GITHUB_OUTPUT"`;
    return ActionWorld.ofJobs({
      one: job([CHECKOUT, ...gateAround({ run: say }, {}, { output: '${{ steps.agent.outputs.said }}' })]),
    });
  };

  it('is judged and kept', async () => {
    await using world = await given(90 * KIB);
    const report = await (await world.run()).start().ended;
    expect(redJobs(report)).toEqual([]);
    expect(world.endings()).toEqual(['one 1.1.1 ran passed']);
  });

  it('is refused beyond 100 KiB, which says what to do, and the attempt is on record as failed', async () => {
    await using world = await given(100 * KIB);
    const report = await (await world.run()).start().ended;
    expect(errorsOf(report.job('one'))[0]).toMatch(
      /^Invalid inputs: ACTION_INPUTS_INVALID: output: expected at most 102400 bytes: write the value to a file and pass its path as `output-file`\n/,
    );
    expect(report.conclusion).toBe('failure');
    expect(world.endings()).toEqual(['one 1.1.1 ran agent-error']);
  });
});

describe('the input `task`', () => {
  it('reaches the agent, is kept, and a changed one runs the gate again', async () => {
    const run = `printf '{"task": "%s"}' "$GATELINE_TASK" > "$GATELINE_OUTPUT"`;
    const gate = (task: string) => ({ one: gateJob({ run, task, 'expose-output': true }) });
    await using world = await ActionWorld.ofJobs(gate('add a login page'));
    const first = await (await world.run()).start().ended;
    expect(JSON.parse(outputsOf(first.job('one'))['value']!)).toEqual({ task: 'add a login page' });
    expect(first.job('one').summary).toContain('add a login page');
    await world.repository.write(WORKFLOW, workflowOf(gate('add a logout page')));
    await world.repository.commitAll('another task');
    const second = await (await world.run()).start().ended;
    expect(JSON.parse(outputsOf(second.job('one'))['value']!)).toEqual({ task: 'add a logout page' });
    expect(world.endings()).toEqual(['one 1.1.1 ran passed', 'one 2.1.1 ran passed']);
  });
});

describe('an output in a file of the workspace', () => {
  it('is taken from there, by `run` and by `complete`', async () => {
    await using world = await ActionWorld.ofJobs(
      {
        ran: gateJob({
          run: `mkdir -p out && echo '{"score":91}' > out/result.json`,
          score: '/score',
          'output-file': 'out/result.json',
        }),
        around: job([
          CHECKOUT,
          ...gateAround(
            { run: `echo '{"score":92}' > result.json` },
            { score: '/score' },
            { 'output-file': 'result.json' },
          ),
        ]),
      },
      { 'result.json': '{"score":99}\n' },
    );
    const report = await (await world.run()).start().ended;
    expect(outputsOf(report.job('ran'))).toMatchObject({ status: 'passed', score: '91' });
    expect(outputsOf(report.job('around'), 'done')).toMatchObject({ status: 'passed', score: '92' });
  });

  it('does not count when it lay there before the agent began', async () => {
    await using world = await ActionWorld.ofJobs(
      { one: gateJob({ run: 'true', 'output-file': 'result.json' }) },
      { 'result.json': '{"score":99}\n' },
    );
    const report = await (await world.run()).start().ended;
    expect(report.conclusion).toBe('failure');
    expect(world.endings()).toEqual(['one 1.1.1 ran missing']);
  });
});

describe('files that a gate hands on', () => {
  it('are in the workspace of every later gate: globs, changes and deletions, executable and large binary ones', async () => {
    const makes = [
      'mkdir -p out/deep',
      'echo text > out/deep/a.txt',
      'head -c 5242880 /dev/urandom > out/big.bin',
      `printf '#!/bin/sh\\necho ran\\n' > out/tool.sh; chmod +x out/tool.sh`,
      'echo left behind > other.txt',
      'sha256sum out/big.bin out/deep/a.txt > "$SUMS"',
    ].join('\n');
    const changes =
      'sha256sum -c --quiet "$SUMS"\necho more >> kept.txt\ngit rm -q --cached gone.txt; rm gone.txt\necho new > added.txt';
    const looks = [
      'sha256sum -c --quiet "$SUMS"',
      'test "$(out/tool.sh)" = ran',
      'test "$(cat kept.txt)" = "$(printf "first\\nmore")"',
      'test "$(cat added.txt)" = new',
      'test ! -e gone.txt',
      'test ! -e other.txt',
    ].join('\n');
    await using world = await ActionWorld.ofJobs(
      {
        makes: gateJob({ run: agent({}, makes), files: 'out/**' }),
        changes: gateJob({ run: agent({}, changes), files: 'changed' }, { needs: 'makes' }),
        looks: gateJob({ run: agent({}, looks) }, { needs: 'changes' }),
        around: job([CHECKOUT, ...gateAround(agentStep({}, looks), {}, {}, { needs: 'changes' })], {
          needs: 'changes',
        }),
      },
      { 'kept.txt': 'first\n', 'gone.txt': 'soon\n' },
    );
    const report = await (await world.run({ machine: { SUMS: world.repository.beside('sums') } })).start().ended;
    expect([...report.jobs.values()].map((one) => [one.name, ...errorsOf(one)])).toEqual([
      ['makes'],
      ['changes'],
      ['looks'],
      ['around'],
    ]);
    expect(redJobs(report)).toEqual([]);
  });
});
