import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { UnitPlan } from '../../src/run/events.ts';
import { agent, pipeline, Project, type RunView } from './support.ts';

const score = (value: number, more: object = {}) => ({
  run: agent({ score: value }),
  inputs: ['spec.md'],
  output: { score: '/score', threshold: 80, ...more },
});
const create = (gates: Record<string, object>, more: object = {}) =>
  new Project({ 'spec.md': 'A', 'value.json': '{"score": 99}', 'gateline.yml': pipeline(gates, more) });

describe('approve and reject', () => {
  it('decide about an output that waits, until its gate makes another one', async () => {
    const project = create({ one: score(70, { partial: 'pause' }), two: { needs: 'one' } });
    const next =
      'Look at the output (`gateline show one output`), then approve or reject it: `gateline approve one --reason WHY`';
    const score70 = 'the score is 70, below the threshold of 80';
    await project.expect(
      'run',
      1,
      `one: partial: ${score70}`,
      `  ${score70}\n`,
      'Run 1 of p for main: paused',
      `Next: ${next}`,
    );
    expect(project.ran()).toBe('one');
    expect(await project.choices()).toBe('one wait, two blocked');
    await project.expect(['approve', 'one', '-r', 'good enough'], 0);
    const approved = 'dev@example.com approved it: good enough';
    await project.expect('run', 0, `one: used: ${approved}\n`);
    expect(project.ran()).toBe('two');
    await project.expect('status', 0, new RegExp(`one +passed .*70 < 80 .*${approved}`));
    expect((await project.gateline('show', 'one')).out).not.toContain('what to do: Approve');
    await project.gateline('reject', 'one', '-r', 'not any more', '--actor', 'Ada');
    expect(await project.statuses()).toBe('one failed, two passed');
    await project.expect('status', 0, 'Next: Run one again: its output was rejected: `gateline run`');
    expect(await project.why('one')).toBe('run: Ada rejected the output: not any more');
    expect(await project.run()).toBe('1: one');
    project.edit('gateline.yml', '"partial": "pause"', '"partial": "continue"');
    expect(await project.run()).toBe('0: ');
  });

  it('by the command that `Next` shows, which names the subject and the definition as the caller did', async () => {
    const definition = pipeline({ one: { approval: 'required', files: ['a.txt'], run: `${agent()}; touch a.txt` } });
    const project = new Project({ 'gateline.yml': pipeline({ other: {} }), 'two.yml': definition, 'sub/x': '' });
    const words = ['-s', 'pr 42', '-f', '../two.yml'];
    const folder = join(project.root, 'sub');
    const { out } = await project.start(['run', ...words], { folder }).answer;
    const target = " -s 'pr 42' -f ../two.yml";
    const show = `\`gateline show one output${target}\``;
    const approve = `gateline approve one --reason WHY${target}`;
    expect(out).toContain(
      `See it with \`gateline diff${target}\`, and undo it with \`gateline rollback --all${target}\`.`,
    );
    expect(out).toContain(`\nNext: Look at the output (${show}), then approve or reject it: \`${approve}\`\n`);
    const { next } = JSON.parse(
      (await project.start(['status', ...words, '--json'], { folder }).answer).out,
    ) as RunView;
    expect(next.command).toBe(approve);
    const copied = ['approve', 'one', '--reason', 'WHY', ...words];
    expect(await project.start(copied, { folder }).answer).toMatchObject({ exit: 0 });
    const back = await project.start(['rollback', '--all', ...words], { folder }).answer;
    expect(back.out).toContain(`\nThe run is paused: \`gateline resume${target}\` continues it.\n`);
    // The default definition and the branch are found without a name.
    await project.expect('status -f gateline.yml', 0, /Next: Start the first run: `gateline run`\n$/);
    await project.expect('status -f two.yml', 0, /Next: Start the first run: `gateline run -f two.yml`\n$/);
  });

  it('is needed for a gate with `approval: required`, and not for one that failed', async () => {
    const project = create({
      one: { ...score(90), approval: 'required' },
      two: { needs: 'one', run: 'exit 3' },
    });
    expect(await project.run()).toBe('1: one');
    expect(await project.unit('one')).toMatchObject({ status: 'paused', reason: 'a person must approve the output' });
    await project.gateline('approve', 'one', '-r', 'ok');
    expect(await project.run()).toBe('1: ');
    expect(await project.unit('one')).toMatchObject({ status: 'passed', done: true });
    const hint = '`gateline skip` goes on without an output; `gateline adopt` supplies one';
    await project.expect('approve two -r ok', 2, `error: two has no output to approve\nhint: ${hint}\n`);
  });
});

describe('skip, adopt, keep and force', () => {
  it('skip goes on without an output, for these inputs', async () => {
    const project = create({ one: score(10), two: { needs: 'one' } });
    expect(await project.run()).toBe('1: one');
    await project.gateline('skip', 'one', '-r', 'flaky');
    expect(await project.why('one')).toBe('skip: dev@example.com: flaky');
    expect(await project.run()).toBe('0: two');
    expect(await project.run()).toBe('0: ');
    expect(await project.unit('one')).toMatchObject({ status: 'skipped', reason: 'dev@example.com skipped it: flaky' });
    project.write('spec.md', 'B');
    expect(await project.run()).toBe('1: one');
  });

  it('skip that was killed before its end is void if the gate is forced instead', async () => {
    const project = create({ one: score(10) });
    await project.run();
    await project.gateline('skip', 'one', '-r', 'flaky');
    const log = project.read('.state/log.jsonl')!;
    await project.run();
    project.write('.state/log.jsonl', log);
    await project.gateline('force', 'one');
    project.write('spec.md', 'B');
    await project.run();
    project.write('spec.md', 'A');
    expect(await project.why('one')).toBe('run: spec.md changed since its last attempt');
  });

  it('adopt supplies an output, judged by the contract', async () => {
    const project = create({ one: score(10), two: { needs: 'one' } });
    await project.run();
    project.write('bad.json', '{"score": "high"}');
    await project.expect('adopt one -o bad.json -r x', 1, 'the output does not meet the contract of one: ');
    await project.expect(
      ['adopt', 'one', '-o', 'value.json', '-r', 'by hand'],
      0,
      /^one: pending: dev.* supplied its output: by hand\nNext/,
    );
    expect(await project.run()).toBe('0: two');
    expect(await project.json('show', 'one', 'output')).toEqual({ score: 99 });
    await project.expect('status', 0, /adopted .* dev@example.com supplied the output: by hand/);
    expect(await project.run()).toBe('0: ');
  });

  it('keep lets outputs hold for the folder as it is now; force runs a gate again', async () => {
    const project = create({
      one: score(90),
      two: { needs: 'one', run: `echo said; ${agent()}`, inputs: ['spec.md'] },
    });
    await project.run();
    project.write('spec.md', 'polished');
    await project.expect(
      'keep two',
      2,
      'two cannot be kept: one must hold first\nhint: name them too: `gateline keep one two`',
    );
    await project.expect('keep -r words', 0, 'Kept: one, two\n');
    project.ran();
    expect(await project.run()).toBe('0: ');
    await project.gateline('force', 'two');
    const next = 'Next: Run two: `gateline run`';
    await project.expect('status', 0, 'Run 1 of p for main: completed, 1 of 2 gates done', next);
    expect(await project.choices()).toBe('one use, two run');
    expect(await project.run()).toBe('0: two');
    expect(await project.run('--force', 'one,two')).toBe('0: one two');
    expect(await project.run()).toBe('0: ');
    // What `two` left is that of its newest attempt, in whichever run.
    expect(await project.run('--force', 'one', '--until', 'one')).toBe('0: one');
    await project.expect('logs two', 0, /^said\n$/);
    await project.expect('logs two --run 4', 2, 'error: two has no attempt in run 4 of main\n');
  });

  it('of a dry run are shown and not made: --force, --strategy, --new', async () => {
    const project = create({ one: score(90), two: { ...score(90), needs: 'one' }, three: score(10) });
    expect(await project.run('--sequential')).toBe('1: one two three');
    const state = project.state();
    const choices = async (...words: string[]) => {
      const { plan } = await project.json<{ plan: UnitPlan[] }>('run', '--dry-run', ...words);
      return plan.map(({ choice }) => choice).join(' ');
    };
    expect(await choices()).toBe('use use blocked');
    expect(await choices('--force', 'one')).toBe('run depends blocked');
    expect(await choices('--force', 'two,three', '--gate', 'three')).toBe('run');
    expect(await choices('--strategy', 'skip-current')).toBe('use use skip');
    expect(await choices('--strategy', 'from-checkpoint', '--from', 'one')).toBe('run depends blocked');
    expect(await choices('--new')).toBe('use use blocked');
    await project.expect('run -n --force on', 2, 'the pipeline has no gate on\nhint: did you mean `one`?');
    await project.expect('run -n --force one -r because', 0, 'dev@example.com asked for a new attempt: because');
    expect(project.state()).toBe(state);
    // After a run nothing is forced any more.
    project.edit('gateline.yml', '"inputs": []', '"inputs": ["spec.md"]');
    await project.expect('run --until one --force one', 0, /^(?![^]*Would run again)/);
  });

  it('need a person with a name', async () => {
    const project = create({ one: score(90) });
    await project.run();
    project.write('../gitconfig', '');
    await project.expect(
      'reject one -r x',
      2,
      'nobody is named as the one who decides\nhint: `--actor NAME` names one',
    );
    await project.expect('reject one -r x --actor Ada', 0);
  });
});

describe('from another terminal, while a run works', () => {
  /** `one` is done, `two` works, `three` has not begun. */
  const WAITING = agent({ score: 85 }, '$HOME/go');
  const start = async (three: object = {}, two: object = {}) => {
    const project = create({
      one: score(90),
      two: { ...score(85), run: WAITING, needs: 'one', ...two },
      three: { ...score(80), needs: 'two', ...three },
    });
    const run = project.start(['run']);
    await project.waitFor('one', 'two');
    const end = async () => {
      project.write('../go', '');
      const { exit } = await run.answer;
      return `${exit}: ${project.ran()}`;
    };
    return { project, end };
  };
  it.each([
    ['force one', '0: one two three', 'ran', 'one run, two depends, three depends'],
    ['force two', '0: one two three', 'ran', 'one use, two use, three use'],
    ['adopt two -o value.json', '0: one two three', 'adopted', 'one use, two use, three use'],
    ['adopt three -o value.json', '0: one two', 'adopted', 'one use, two use, three use'],
    ['skip two', '0: one two three', 'skipped', 'one use, two use, three use'],
    ['skip three', '0: one two', 'skipped', 'one use, two use, three use'],
  ])('%s is carried out, and status agrees with what the run said', async (line, ran, how, choices) => {
    const { project, end } = await start();
    await project.expect(`${line} -r now`, 0);
    expect(await end()).toBe(ran);
    expect(await project.json('status')).toMatchObject({ status: 'completed' });
    expect(await project.choices()).toBe(choices);
    expect(await project.unit(line.split(' ')[1]!)).toMatchObject({ how });
    const [forced = ''] = /\w+(?= run)/.exec(choices) ?? [];
    expect(await project.run()).toBe(`0: ${forced}`);
  });

  it('reject fails the gate in this run, and its agent works again in the next call', async () => {
    const { project, end } = await start({ needs: ['one', 'two'] });
    await project.expect('reject one -r wrong', 0);
    expect(await end()).toBe('1: one two');
    expect(await project.json('status')).toMatchObject({ status: 'error' });
    expect(await project.why('one')).toBe('run: dev@example.com rejected the output: wrong');
    expect(await project.run()).toBe('0: one three');
  });

  it('pause stops it after the gate that works, and resume goes on', async () => {
    const { project, end } = await start();
    await project.expect('pause -r now', 0);
    expect(await end()).toBe('1: one two');
    await project.expect(
      'status',
      0,
      'Paused by dev@example.com: now\nNext: Continue the run that dev@example.com holds: `gateline resume`',
    );
    expect(await project.run()).toBe('1: ');
    await project.expect('resume', 0, 'completed, 3 of 3 gates done');
    expect(project.ran()).toBe('three');
  });

  it('what only looks works beside it, and what writes files waits its turn', async () => {
    const { project, end } = await start();
    const watch = project.start(['status', '--watch']);
    expect(await project.choices()).toBe('one use, two busy, three depends');
    await project.expect('status', 0, 'Run 1 of p for main: executing, 1 of 3 gates done', 'Next: Wait for two');
    for (const line of ['diff', 'history', 'check', 'show one output']) await project.expect(line, 0);
    for (const line of ['keep', 'rollback --all', 'clean', 'apply', 'begin three', 'import state-guide'])
      await project.expect(line, 75, 'another Gateline works in this folder');
    expect(await end()).toBe('0: one two three');
    expect((await watch.answer).out).toMatch(/: executing, 1 of 3 gates done[^]*: completed, 3 of 3 gates done/);
  });

  it('close ends the run, and the next one begins anew', async () => {
    const { project, end } = await start();
    await project.expect('close -r now', 0);
    expect(await end()).toBe('1: one two');
    expect(await project.json<RunView>('status')).toMatchObject({ run: 1, status: 'closed' });
    expect(await project.run()).toBe('0: three');
    expect(await project.json('status')).toMatchObject({ run: 2, status: 'completed' });
  });

  it('close while the last gate works is in the history, beside the run after it', async () => {
    const { project, end } = await start({ if: 'false' });
    await project.expect('close -r now', 0);
    expect(await end()).toBe('1: one two');
    expect(await project.run()).toBe('0: ');
    const runs = [
      { run: 2, status: 'completed' },
      { run: 1, status: 'closed' },
    ];
    expect(await project.json('history')).toMatchObject({ runs });
  });

  it.each(['close', 'pause'])('%s ends the tries of a gate that fails', async (decision) => {
    const { project, end } = await start({}, { retries: 3, run: `${WAITING}; exit 1` });
    await project.expect(`${decision} -r now`, 0);
    expect(await end()).toBe('1: one two');
  });
});

describe('of one subject leave those of others alone', () => {
  const subject = (name: string) => agent({ for: name });
  const forSubject = { run: `case $GATELINE_TASK in A) ${subject('A')};; *) ${subject('B')};; esac`, inputs: [] };

  it('approve and reject', async () => {
    const project = create({ one: { ...forSubject, approval: 'required' } });
    for (const name of ['A', 'B']) expect(await project.run('-s', name, '-t', name)).toBe('1: one');
    await project.expect('approve one -s A -r fine', 0);
    expect(await project.run('-s', 'A', '-t', 'A')).toBe('0: ');
    expect(await project.run('-s', 'B', '-t', 'B')).toBe('1: ');
    await project.expect('reject one -s A -r no', 0);
    expect(await project.run('-s', 'B', '-t', 'B')).toBe('1: ');
    expect(await project.run('-s', 'A', '-t', 'A')).toBe('1: one');
  });

  it('and a token of another one ends no attempt', async () => {
    const project = create({ one: { run: undefined } });
    const { token } = await project.json<{ token: string }>('begin', 'one', '-s', 'A B');
    const hint = "hint: `gateline complete --subject 'A B'`";
    await project.expect(['complete', token], 2, `the attempt is one of the subject A B, not of main\n${hint}`);
  });

  it('on two branches: what was rejected on one and made on the other ends its run', async () => {
    const project = create({ one: score(90), two: { ...score(91), needs: 'one' } });
    project.commit();
    await project.run();
    await project.gateline('reject', 'two', '-r', 'bad');
    project.git('checkout', '-qb', 'feat');
    expect(await project.run()).toBe('0: two');
    project.git('checkout', '-q', 'main');
    expect(await project.run()).toBe('0: ');
    expect(await project.statuses()).toBe('one passed, two passed');
  });
});

it('a decision about a gate that does not apply is answered by that', async () => {
  const project = create({ one: { if: 'metadata.go == true' } }, { metadata: { go: false } });
  for (const words of ['adopt one -o value.json -r mine', 'skip one -r no', 'force one -r go']) {
    await project.expect(words, 0);
    await project.run();
    expect(await project.statuses()).toBe('one not-applicable');
  }
});
