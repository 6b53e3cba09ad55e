import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agent, pipeline, placeOf, Project } from './support.ts';

/** An agent that says something else each time: the scores in turn. */
const flaky = (...scores: (number | string)[]) => `agent '{"n": 0}'; n=$(wc -l < "$RUNS"); set -- ${scores.join(' ')}
  eval "score=\\\${$((1 + (n - 1) % ${scores.length}))}"
  echo '{"costUsd": 0.5, "inputTokens": 10}' > "$GATELINE_METRICS"
  [ "$score" != none ] && echo "{\\"score\\": $score, \\"n\\": $n}" > "$GATELINE_OUTPUT"`;

const ask = (run: string, more: object = {}) =>
  pipeline({
    ask: { run, repeat: { times: 3, pass: 2 }, output: { score: '/score', threshold: 60 }, ...more },
    use: { needs: 'ask', run: `cp "$GATELINE_REQUEST" "$HOME/request"; ${agent()}` },
  });

describe('repeat', () => {
  it('judges the attempts together: the output is the median of those that passed, and is used again', async () => {
    const project = new Project({ 'gateline.yml': ask(flaky(95, 40, 70)) });
    const { exit, out, err } = await project.gateline('run');
    expect([exit, project.ran()]).toEqual([0, 'ask ask ask use']);
    expect(out).toMatch(/^0 +ask +passed +ran 3 times +70 .*2 of 3 passed, scores 40, 70, 95$/m);
    expect(out).toMatch('$1.50, 30 tokens');
    expect(err).toMatch(/^ask: attempt 3 starts: its attempts are judged together$/m);
    expect(await project.json('show', 'ask', 'output')).toEqual({ score: 70, n: 3 });
    expect(project.readJson('../request')).toMatchObject({ needs: { ask: { output: { score: 70 } } } });
    const { attempts, verdict } = await project.unit('ask');
    expect(attempts.map(({ n, how, verdict: own }) => [n, how, own?.status, own?.score])).toEqual([
      [1, 'ran', 'passed', 95],
      [2, 'ran', 'partial', 40],
      [3, 'ran', 'passed', 70],
    ]);
    expect(verdict!.issues.map(({ message }) => message)).toEqual([
      'attempt 1 passed',
      'attempt 2 partial: the score is 40, below the threshold of 60',
      'attempt 3 passed (this output)',
    ]);

    await project.expect('run', 0, 'Everything is done');
    await project.expect('run --force use', 0, /^1 of 2 gates used again: saved \$1\.50/m);
    expect(project.ran()).toBe('use');
    // Only one of the outputs is stored: another contract has to see all of them.
    project.edit('gateline.yml', '"threshold": 60', '"threshold": 65');
    expect(await project.why('ask')).toBe('run: its contract changed, which judges several attempts together');
    expect(await project.run()).toBe('0: ask ask ask use');
    project.edit('gateline.yml', '"pass": 2', '"pass": 1');
    expect(await project.why('ask')).toBe('run: its definition changed: repeat');
  });

  it('fails with the spread if too few passed; the next series follows with `retries`', async () => {
    const project = new Project({ 'gateline.yml': ask(flaky(50, 'none', 90)) });
    await project.expect('run', 1, 'ask is below its threshold: 1 of 3 passed, scores 50, 90; 2 must pass');
    expect(await project.unit('ask')).toMatchObject({ status: 'partial' });
    expect(project.ran()).toBe('ask ask ask');
    project.write('gateline.yml', ask(flaky(90, 50, 80, 50, 40, 90), { retries: 1 }));
    expect(await project.run()).toBe('0: ask ask ask ask ask ask use');
    project.write('gateline.yml', ask(flaky(50, 90, 90), { repeat: { times: 3, pass: 3 } }));
    await project.expect('run', 1, /^0 +ask +partial .*2 of 3 passed, scores 50, 90, 90; 3 must pass/m);
  });

  it('goes on with the attempts that are missing after an interruption', async () => {
    const agents = `[ "$GATELINE_ATTEMPT" != 3 ] || [ -e "$HOME/go" ] || { touch "$HOME/waits"; sleep 1000; }; ${flaky(70, 80, 90)}`;
    const project = new Project({ 'gateline.yml': ask(agents) });
    const { answer, interrupt } = project.start(['run']);
    await expect.poll(() => existsSync(join(project.outside, 'waits'))).toBe(true);
    interrupt();
    expect((await answer).exit).toBe(130);
    expect(project.ran()).toBe('ask ask');
    writeFileSync(join(project.outside, 'go'), '');
    expect(await project.run()).toBe('0: ask use');
    expect(await project.unit('ask')).toMatchObject({
      status: 'passed',
      reason: '3 of 3 passed, scores 70, 80, 90',
      verdict: { score: 80 },
    });
  });

  it('stops between attempts at max-cost, and says so until it is raised', async () => {
    const definition = ask(flaky(70, 80, 90)).replace('"pipeline": "p"', '"pipeline": "p", "max-cost": 1');
    const project = new Project({ 'gateline.yml': definition });
    await project.expect('run', 1, 'the run has cost $1.00, and `max-cost` is $1');
    expect(project.ran()).toBe('ask ask');
    const advice = 'Next: Raise `max-cost` and run again, or begin another run: `gateline run --new`';
    await project.expect('status', 0, /^Run 1 of p for main: paused/m, advice);
    await project.expect('status', 0, /^0 +ask +paused .*the run has cost \$1\.00, and `max-cost` is \$1$/m);
    project.edit('gateline.yml', '"max-cost": 1', '"max-cost": 5');
    await project.expect('plan', 0, /^ask +run +attempts that are judged together are missing$/m);
    expect(await project.run()).toBe('0: ask use');
  });

  it.each([
    [{ files: ['out/**'] }, 'a gate with `files` cannot be repeated'],
    [{ run: undefined }, 'a gate without `run` cannot be repeated'],
    [{ repeat: { times: 2, pass: 3 } }, 'expected at most 2, the number of attempts'],
  ])('%j is an error of the definition', async (more, message) => {
    await new Project({ 'gateline.yml': ask('true', more) }).expect('validate', 2, message);
  });

  it('is not begun and completed one by one', async () => {
    const place = placeOf(ask('true'), 'ask');
    const message = 'ask has `repeat`: its attempts are judged together\nhint: `gateline run --gate ask` runs them';
    const project = new Project({ 'gateline.yml': ask('true') });
    await project.expect('begin ask', 2, `error: ${place}:3: ${message}`);
  });
});

it('a plan says how long it will take, if every gate that will run has a time; max-cost is why a run waits', async () => {
  const slow = `sleep 0.2; echo '{"costUsd": 2}' > "$GATELINE_METRICS"; ${agent()}`;
  const gates = { one: { run: slow, inputs: ['a'] }, two: { needs: 'one', run: slow } };
  const project = new Project({ a: '1', 'gateline.yml': pipeline(gates) });
  await project.expect('plan', 0, /^2 gates: 1 to run, 1 not known yet$/m);
  expect(await project.run()).toBe('0: one two');
  project.write('a', '2');
  await project.expect('plan', 0, /^2 gates: 1 to run, 1 not known yet; about \d+\.\d s$/m);
  const { estimatedMs } = await project.json<{ estimatedMs: number }>('run', '--dry-run');
  expect(estimatedMs).toBeGreaterThan(400);
  project.write('gateline.yml', pipeline({ ...gates, one: { ...gates.one, env: { X: '1' } } }, { 'max-cost': 1 }));
  await project.expect('run', 0);
  project.write(
    'gateline.yml',
    pipeline(
      { ...gates, one: { run: `: new; ${slow}` }, two: { needs: 'one', run: `: new; ${slow}` } },
      { 'max-cost': 1 },
    ),
  );
  await project.expect('run', 1, 'note: two does not start: the run has cost $2.00, and `max-cost` is $1');
  await project.expect(
    'status',
    0,
    /^Run \d+ of p for main: paused/m,
    'two waits for a person: the run has cost $2.00, and `max-cost` is $1',
    'Next: Raise `max-cost` and run again, or begin another run: `gateline run --new`',
  );
  await project.expect('history --stats', 0, /^spent: \$\d+\.00, /m, /^p +one .*\$\d+\.00$/m);
});
