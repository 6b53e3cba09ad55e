import { describe, expect, it } from 'vitest';
import { agent, pipeline, Project, type RunView } from './support.ts';

const COMMANDS = (
  'init validate plan run resume begin complete status show report logs diff apply rollback approve reject skip force keep ' +
  'adopt pause close history clean check import export do entities memory loop'
).split(' ');
/** Options that a command cannot do without. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  approve: ['-r', 'x'],
  reject: ['-r', 'x'],
  skip: ['-r', 'x'],
  pause: ['-r', 'x'],
  close: ['-r', 'x'],
  adopt: ['-r', 'x', '-o', 'x'],
};

const TWO_GATES = pipeline({
  design: { run: agent({ score: 90 }), inputs: ['spec.md'], output: { score: '/score' } },
  implement: { needs: 'design', run: `cp spec.md out.txt; ${agent()}`, files: ['out.txt'] },
});
const twoGates = () => new Project({ 'spec.md': 'A\n', 'gateline.yml': TWO_GATES });

describe('every command', () => {
  it('says with --help what it does and how it is called', async () => {
    const project = new Project({}, { isRepository: false });
    for (const command of COMMANDS)
      await project.expect(
        `${command} --help`,
        0,
        new RegExp(`^Usage: gateline ${command} \\[options\\].*\n\n\\w.{20,}\n[^]*--json +print one JSON document`),
      );
  });

  it('refuses a wrong option with exit code 2, and writes nothing', async () => {
    const project = twoGates();
    for (const command of COMMANDS)
      await project.expect(
        [command, ...(REQUIRED[command] ?? []), '--jsonn'],
        2,
        /^error: unknown option '--jsonn'\nhint: Did you mean --json\?\n$/,
      );
    expect(project.read('.state/.gitignore')).toBeUndefined();
  });

  it.each([
    ['stauts', 'Did you mean status?'],
    ['run --strategy retry', 'Allowed choices are retry-current, retry-previous, skip-current, from-checkpoint'],
    ['run --max-parallel 1.5', 'It must be a whole number from 1.'],
    ['run --until a --gate b', "option '--gate <gates>' cannot be used with option '--until <gates>'"],
    ['run --from design', '--from belongs to --strategy from-checkpoint'],
    ['run --metadata x', 'It must be key=value.'],
    ['run --input none.json', 'none.json cannot be read'],
    ['show', "missing required argument 'gate'"],
    ['show design outptu', 'Allowed choices are verdict, output,'],
    ['rollback', 'name the last gate whose work stays: --to GATE, or --all'],
    ['approve design', "required option '-r, --reason <text>' not specified"],
    ['approve design -r ', 'a decision needs a reason'],
    ['close 2 -r x', 'too many arguments'],
    ['history --since soon', 'It must be a time such as 2026-11-26'],
    ['history --status passt', 'It must be of initializing, executing, paused, error, completed,'],
    ['status --watch --json', "cannot be used with option '--json'"],
    ['import nexsu', 'there is no system nexsu'],
    ['init --template codx', 'Allowed choices are default, claude-code, codex, state-guide'],
  ])('refuses `%s`', (line, message) => twoGates().expect(line, 2, message));

  it('names the gate that was meant', async () => {
    const project = twoGates();
    project.write('x.json', '{}');
    const decisions = ['approve', 'reject', 'skip', 'force', 'adopt -o x.json'].map((word) => `${word} -r x GATE`);
    const options = ['run --until', 'run --gate', 'run --force', 'plan --until', 'rollback --to', 'begin', 'keep'];
    const others = [
      'show GATE',
      'show GATE output',
      'logs GATE',
      'diff GATE',
      'run --strategy from-checkpoint --from GATE',
    ];
    for (const line of [...decisions, ...options.map((option) => `${option} GATE`), ...others])
      await project.expect(
        line.replace('GATE', 'implment'),
        2,
        'error: the pipeline has no gate implment\nhint: did you mean `implement`?\n',
      );
  });

  it('prints one JSON document with --json', async () => {
    const project = twoGates();
    project.write('value.json', '{"score": 95}');
    const { token } = await project.json<{ token: string }>('begin', 'design');
    const calls = [
      `init: files, complete ${token}: ended, validate: gates, plan: plan, run: run, status: format`,
      'show implement: verdict, show implement request: format, report: bytes, logs implement: stdout, diff: patch',
      'rollback --to design --dry-run: units, rollback --to design: units, resume: result',
      'reject implement -r x: decisions, approve design -r x: decisions, force design: decisions',
      'skip implement -r x: decisions, adopt design -r x -o value.json: decisions, keep: kept, run: result',
      'force design: units, rollback --all: units, pause -r x: paused, close -r x: status, history: runs, history --stats: gates',
      'history --daily: days, clean --days 0: kept, check: problems, apply: error, import state-guide: error',
      'show nothing: error, show: error, run --strategy x: error, status --nope: error',
    ];
    for (const call of calls.join(', ').split(', ')) {
      const [line, key] = call.split(': ') as [string, string];
      expect(await project.json(...line.split(' ')), line).toHaveProperty(key);
    }
  });
});

describe('values of options', () => {
  it('are texts unless they are numbers in their canonical form', async () => {
    const project = twoGates();
    const words = 'version=1.10 commit=1234e05 n=10 yes=true id=007 pair=a=b big=9007199254740993';
    await project.gateline('run', ...words.split(' ').flatMap((word) => ['-m', word]));
    const { metadata } = await project.json<{ metadata: object }>('show', 'design', 'request');
    const texts = { version: '1.10', commit: '1234e05', id: '007', pair: 'a=b', big: '9007199254740993' };
    expect(metadata).toEqual({ ...texts, n: 10, yes: true });
    project.ran();
    expect(await project.run('-m', 'version=1.1')).toBe('0: design implement');
  });

  it('may look like options', async () => {
    const project = twoGates();
    await project.gateline('run');
    const reasons = ['-h', '--help', '-V', '--version', '--json'];
    for (const reason of reasons) await project.expect(['force', 'design', '--reason', reason], 0, 'Next: ');
    const { decisions } = await project.json<RunView>('status');
    expect(decisions.map(({ reason }) => reason)).toEqual(expect.arrayContaining(reasons));
  });

  it('are read once from standard input', async () => {
    const project = twoGates();
    for (const command of ['plan', 'run', 'resume'])
      expect(await project.start([command, '-i', '-'], { input: '{"n": 7}' }).answer).toMatchObject({ exit: 0 });
    expect(await project.json('show', 'design', 'request')).toMatchObject({ input: { n: 7 } });
    expect(await project.start(['run', '-i', '-'], { input: 'Sure! {"a": 1}' }).answer).toMatchObject({
      exit: 2,
      err: 'error: standard input: prose is before the JSON (line 1, column 1)\nhint: It must be one JSON value.\n',
    });
  });
});

describe('progress', () => {
  it('is live on a terminal, lines in a log, and nothing with --quiet', async () => {
    const project = twoGates();
    project.commit();
    const { err, out } = await project.start(['run'], { columns: 60 }).answer;
    expect(err).not.toContain('attempt 1 starts');
    const head = `Run 1 of p for main, in ${project.root}\n2 gates: design and implement\n`;
    const tables = err.replaceAll(/\u001b\[\d+A\u001b\[0J/g, '').replace(head, '');
    expect(tables).toMatch(/^(?:gate .*\n(?:(?:design|implement) .*\n)+)*$/);
    expect(out.match(/^\d .*$/gm)!.map((line) => line.length <= 60)).toEqual([true, true]);
    await project.expect('run --force design', 0, 'design: attempt 1 starts: dev@example.com asked for a new attempt');
    expect(await project.gateline('run', '--force', 'design', '--quiet')).toMatchObject({ exit: 0, err: '' });
  });

  it('names the run and its folder, then what it may do, then what each gate does', async () => {
    const gates = {
      one: { secrets: ['KEY'], output: { score: '/score' }, run: agent({ score: 90 }) },
      two: { files: ['x'] },
    };
    const project = new Project({ 'gateline.yml': pipeline(gates, { checkpoints: true }) });
    const { err } = await project.gateline('run', '--until', 'one');
    const lines = err.split('\n').filter((line) => /^(?:Run|1 gate|note|one|# )/.test(line));
    const [commits, secret] = ['note: this folder has changes that are not committed', 'note: secret KEY is not set'];
    const texts = [`Run 1 of p for main, in ${project.root}`, '1 gate: one', commits, secret, 'one: attempt 1 starts'];
    const ends = ['one: passed: score 90', '# Checkpoint: gate 0, `one`'];
    expect(lines.map((line, at) => line.startsWith([...texts, ...ends][at]!))).toEqual(lines.map(() => true));
    expect(lines).toHaveLength(7);
    // Without a run, what is to be known is said all the same; and a gate without a score has none.
    project.edit('gateline.yml', '"KEY"', '"KEY2"');
    expect((await project.gateline('run', '--until', 'one')).err).toContain('note: secret KEY2 is not set');
    await project.expect('run', 0, /^two: passed(?!.*score)/m);
    expect((await project.gateline('show', 'two')).out).not.toContain('score');
  });
});

describe('exit codes', () => {
  it('0, 1, 2 and 74 tell a script what happened', async () => {
    const project = twoGates();
    await project.expect('run', 0);
    project.edit('gateline.yml', '90', '10');
    await project.expect('run', 1, 'design is below its threshold');
    project.write('gateline.yml', 'gates: []');
    await project.expect('run', 2, 'gateline.yml:1:8');
    project.write('gateline.yml', TWO_GATES);
    project.write('.state/log.jsonl', `${project.read('.state/log.jsonl')}{}\n`);
    await project.expect('run', 74, 'hint: Run `gateline check --repair`');
    await project.expect('check --repair', 0);
    await project.expect('run', 0);
  });

  it('75: somebody else works here; 130: interrupted, and what was finished is kept', async () => {
    const project = new Project({
      'gateline.yml': pipeline({
        one: {},
        two: { needs: 'one', run: agent({}, '$HOME/go'), files: ['x'] },
      }),
    });
    const run = project.start(['run']);
    await project.waitFor('one', 'two');
    await project.expect(
      'run',
      75,
      /^error: \S+lock: another Gateline works in this folder: process \d+ on .*\nhint: Wait/,
    );
    run.interrupt();
    expect(await run.answer).toMatchObject({ exit: 130 });
    expect(run.text.err).toContain('interrupted: ending the agents (again: end at once)\n');
    project.write('../go', '');
    expect(project.ran()).toBe('one two');
    expect(await project.run()).toBe('0: two');
  });

  it('70: a bug says so, with what to report', async () => {
    const project = twoGates();
    Object.defineProperty(project.environment, 'PATH', {
      get: () => {
        throw new TypeError('no such thing');
      },
    });
    await project.expect(
      'run',
      70,
      /^error: TypeError: no such thing\n[^]*hint: This is a bug of Gateline: please report it/,
    );
  });
});
