import { describe, expect, it } from 'vitest';
import { agent, pipeline, Project, type RunView } from './support.ts';

const score = (value: number, more: object = {}) => ({
  run: agent({ score: value }),
  inputs: ['spec.md'],
  output: { score: '/score', threshold: 80, ...more },
});
const after = (needs: string) => ({ needs, run: agent(), inputs: [] });
const create = (gates: Record<string, object>, more: object = {}) =>
  new Project({ 'spec.md': 'A', 'value.json': '{"score": 99}', 'gateline.yml': pipeline(gates, more) });

describe('approve and reject', () => {
  it('decide about an output that waits, until its gate makes another one', async () => {
    const project = create({ one: score(70, { partial: 'pause' }), two: after('one') });
    const { exit, out } = await project.gateline('run');
    expect({ exit, ran: project.ran() }).toEqual({ exit: 1, ran: 'one' });
    expect(out).toContain(
      'Next: Look at the output (`gateline show one output`), then approve or reject it: `gateline approve one`',
    );
    expect(await project.json('status')).toMatchObject({ status: 'paused' });
    expect(await project.plan()).toMatchObject({ one: { choice: 'wait' }, two: { choice: 'blocked' } });
    expect(await project.gateline('approve', 'one', '-r', 'good enough')).toMatchObject({ exit: 0 });
    expect(await project.run()).toBe('0: two');
    expect(await project.unit('one')).toMatchObject({
      status: 'partial',
      done: true,
      reason: 'dev@example.com approved it: good enough',
    });

    await project.gateline('reject', 'one', '-r', 'not any more', '--actor', 'Ada');
    expect(await project.plan()).toMatchObject({
      one: { choice: 'run', reason: 'Ada rejected the output: not any more' },
    });
    expect(await project.run()).toBe('1: one');
  });

  it('is needed for a gate with `approval: required`, and not for one that failed', async () => {
    const project = create({
      one: { ...score(90), approval: 'required' },
      two: { needs: 'one', run: 'exit 3', inputs: [] },
    });
    expect(await project.run()).toBe('1: one');
    expect(await project.unit('one')).toMatchObject({ status: 'paused', reason: 'a person must approve the output' });
    await project.gateline('approve', 'one', '-r', 'ok');
    expect(await project.run()).toBe('1: ');
    expect(await project.unit('one')).toMatchObject({ status: 'passed', done: true });
    const { exit, err } = await project.gateline('approve', 'two', '-r', 'ok');
    expect({ exit, err }).toEqual({
      exit: 2,
      err: 'error two has no output to approve\nhint  `gateline skip` goes on without an output; `gateline adopt` supplies one\n',
    });
  });
});

describe('skip, adopt, keep and force', () => {
  it('skip goes on without an output, for these inputs', async () => {
    const project = create({ one: score(10), two: after('one') });
    expect(await project.run()).toBe('1: one');
    await project.gateline('skip', 'one', '-r', 'flaky');
    expect(await project.plan()).toMatchObject({ one: { choice: 'skip', reason: 'dev@example.com: flaky' } });
    expect(await project.run()).toBe('0: two');
    expect(await project.run()).toBe('0: ');
    expect(await project.unit('one')).toMatchObject({ status: 'skipped', reason: 'dev@example.com skipped it: flaky' });
    project.write('spec.md', 'B');
    expect(await project.run()).toBe('1: one');
  });

  it('adopt supplies an output, judged by the contract', async () => {
    const project = create({ one: score(10), two: after('one') });
    await project.run();
    project.write('bad.json', '{"score": "high"}');
    const bad = await project.gateline('adopt', 'one', '-o', 'bad.json', '-r', 'x');
    expect(bad).toMatchObject({
      exit: 1,
      err: expect.stringContaining('the output does not meet the contract of one: ') as string,
    });
    expect(await project.gateline('adopt', 'one', '-o', 'value.json', '-r', 'by hand')).toMatchObject({ exit: 0 });
    expect(await project.run()).toBe('0: two');
    expect(await project.json('show', 'one', 'output')).toEqual({ score: 99 });
    expect(await project.unit('one')).toMatchObject({
      how: 'adopted',
      reason: 'dev@example.com supplied the output: by hand',
    });
    expect(await project.run()).toBe('0: ');
  });

  it('keep lets outputs hold for the folder as it is now; force runs a gate again', async () => {
    const project = create({ one: score(90), two: { needs: 'one', run: agent(), inputs: ['spec.md'] } });
    await project.run();
    project.write('spec.md', 'polished');
    const refused = await project.gateline('keep', 'two');
    expect(refused).toMatchObject({
      exit: 2,
      err: 'error two cannot be kept: one must hold first\nhint  name them too: `gateline keep one two`\n',
    });
    expect(await project.gateline('keep', '-r', 'words')).toMatchObject({ out: 'Kept: one, two\n' });
    project.ran();
    expect(await project.run()).toBe('0: ');
    await project.gateline('force', 'two');
    expect(await project.plan()).toMatchObject({ one: { choice: 'use' }, two: { choice: 'run' } });
    expect(await project.run()).toBe('0: two');
    expect(await project.run('--force', 'one,two')).toBe('0: one two');
    expect(await project.run()).toBe('0: ');
  });

  it('need a person with a name', async () => {
    const project = create({ one: score(90) });
    await project.run();
    project.write('../gitconfig', '');
    const { exit, err } = await project.gateline('reject', 'one', '-r', 'x');
    expect({ exit, err }).toEqual({
      exit: 2,
      err: 'error nobody is named as the one who decides\nhint  `--actor NAME` names one, or `git config user.email`\n',
    });
    expect(await project.gateline('reject', 'one', '-r', 'x', '--actor', 'Ada')).toMatchObject({ exit: 0 });
  });
});

describe('from another terminal, while a run works', () => {
  /** `one` is done, `two` works, `three` has not begun. */
  const start = async (more: object = {}) => {
    const project = create({
      one: score(90),
      two: { ...score(85), run: agent({ score: 85 }, '$HOME/go'), needs: 'one' },
      three: { ...score(80), needs: 'two', ...more },
    });
    const run = project.start(['run']);
    await expect.poll(() => project.read('../runs')).toBe('one\ntwo\n');
    const end = async () => {
      project.write('../go', '');
      const { exit } = await run.answer;
      return `${exit}: ${project.ran()}`;
    };
    return { project, end };
  };
  const decide = async (project: Project, ...words: string[]) =>
    expect(await project.gateline(...words, '-r', 'now')).toMatchObject({ exit: 0 });

  it.each([
    ['force', 'one', [], '0: one two three', { one: 'run', two: 'depends', three: 'depends' }],
    ['force', 'two', [], '0: one two three', { one: 'use', two: 'use', three: 'use' }],
    ['adopt', 'two', ['-o', 'value.json'], '0: one two three', { one: 'use', two: 'use', three: 'use' }],
    ['adopt', 'three', ['-o', 'value.json'], '0: one two', { one: 'use', two: 'use', three: 'use' }],
    ['skip', 'two', [], '0: one two three', { one: 'use', two: 'use', three: 'use' }],
    ['skip', 'three', [], '0: one two', { one: 'use', two: 'use', three: 'use' }],
    ['reject', 'one', [], '0: one two three', { one: 'run', two: 'depends', three: 'depends' }],
  ])('%s %s is carried out, and status agrees with what the run said', async (decision, gate, options, ran, plan) => {
    const { project, end } = await start();
    await decide(project, decision, gate, ...options);
    expect(await end()).toBe(ran);
    expect(await project.json('status')).toMatchObject({ status: 'completed' });
    const plans = await project.plan();
    expect(Object.fromEntries(Object.values(plans).map(({ unit, choice }) => [unit, choice]))).toEqual(plan);
    const { how, status } = await project.unit(gate);
    if (decision === 'adopt') expect(how).toBe('adopted');
    if (decision === 'skip') expect(status).toBe('skipped');
    expect(await project.run()).toBe(plan.one === 'run' ? '0: one' : '0: ');
  });

  it('pause stops it after the gate that works, and resume goes on', async () => {
    const { project, end } = await start();
    await decide(project, 'pause');
    expect(await end()).toBe('1: one two');
    expect(await project.json('status')).toMatchObject({
      status: 'paused',
      paused: { actor: 'dev@example.com', reason: 'now' },
    });
    expect(await project.run()).toBe('1: ');
    const { exit, out } = await project.gateline('resume');
    expect({ exit, ran: project.ran() }).toEqual({ exit: 0, ran: 'three' });
    expect(out).toContain('completed, 3 of 3 gates done');
  });

  it('close ends the run, and the next one begins anew', async () => {
    const { project, end } = await start();
    await decide(project, 'close');
    expect(await end()).toBe('1: one two');
    expect(await project.json<RunView>('status')).toMatchObject({ run: 1, status: 'closed' });
    expect(await project.run()).toBe('0: three');
    expect(await project.json('status')).toMatchObject({ run: 2, status: 'completed' });
  });
});
