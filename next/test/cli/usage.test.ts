import { describe, expect, it } from 'vitest';
import { agent, pipeline, Project, type RunView } from './support.ts';

const COMMANDS = (
  'init validate plan run resume begin complete status show logs diff apply rollback approve reject skip force keep ' +
  'adopt pause close history clean check import'
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
  implement: { needs: 'design', run: `cp spec.md out.txt; ${agent()}`, inputs: [], files: ['out.txt'] },
});
const twoGates = () => new Project({ 'spec.md': 'A\n', 'gateline.yml': TWO_GATES });

describe('every command', () => {
  it.each(COMMANDS)('%s --help says how it is called', async (command) => {
    const { exit, out, err } = await new Project({}, { isRepository: false }).gateline(command, '--help');
    expect({ exit, err }).toEqual({ exit: 0, err: '' });
    expect(out).toContain(`Usage: gateline ${command} [options]`);
    expect(out).toMatch(/--json +print one JSON document/);
    const summary = out.split('\n')[2]!;
    expect(summary.length).toBeGreaterThan(10);
  });

  it('refuses a wrong option with exit code 2, and writes nothing', async () => {
    const project = twoGates();
    for (const command of COMMANDS) {
      const { exit, out, err } = await project.gateline(command, ...(REQUIRED[command] ?? []), '--jsonn');
      expect({ exit, out, err }, command).toEqual({
        exit: 2,
        out: '',
        err: "error: unknown option '--jsonn'\n(Did you mean --json?)\n",
      });
    }
    expect(project.read('.state/.gitignore')).toBeUndefined();
  });

  it.each([
    [['stauts'], 'Did you mean status?'],
    [
      ['run', '--strategy', 'retry'],
      'Allowed choices are retry-current, retry-previous, skip-current, from-checkpoint',
    ],
    [['run', '--max-parallel', '1.5'], 'It must be a whole number from 1.'],
    [['run', '--until', 'a', '--gate', 'b'], "option '--gate <gates>' cannot be used with option '--until <gates>'"],
    [['run', '--from', 'design'], '--strategy from-checkpoint and --from belong together'],
    [['run', '--metadata', 'x'], 'It must be key=value.'],
    [['run', '--input', 'none.json'], 'none.json cannot be read'],
    [['show'], "missing required argument 'gate'"],
    [['show', 'design', 'outptu'], 'Allowed choices are verdict, output,'],
    [['rollback'], 'name the last gate whose work stays: --to GATE, or --all'],
    [['approve', 'design'], "required option '-r, --reason <text>' not specified"],
    [['approve', 'design', '-r', ' '], 'a decision needs a reason'],
    [['close', '2', '-r', 'x'], 'too many arguments'],
    [['history', '--since', 'soon'], 'It must be a time such as 2026-11-26'],
    [['status', '--watch', '--json'], "cannot be used with option '--json'"],
    [['import', 'nexsu'], 'there is no system nexsu'],
    [['init', '--template', 'codx'], 'Allowed choices are default, claude-code, codex, state-guide'],
  ])('%j is refused with exit code 2', async (words, message) => {
    const { exit, err, out } = await twoGates().gateline(...words);
    expect({ exit, out }).toEqual({ exit: 2, out: '' });
    expect(err).toContain(message);
  });

  it.each(
    [
      ['begin'],
      ['show'],
      ['show', 'GATE', 'output'],
      ['logs'],
      ['diff'],
      ['approve', '-r', 'x'],
      ['reject', '-r', 'x'],
      ['skip', '-r', 'x'],
      ['force'],
      ['keep'],
      ['adopt', '-r', 'x', '-o', 'spec.json'],
      ['rollback', '--to'],
      ['run', '--until'],
      ['run', '--gate'],
      ['run', '--force'],
      ['plan', '--until'],
      ['run', '--strategy', 'from-checkpoint', '--from'],
    ].map((words) => (words.includes('GATE') ? words : [...words, 'GATE'])),
  )('names the gate that was meant: %j %j %j %j', async (...words) => {
    const project = twoGates();
    project.write('spec.json', '{}');
    const { exit, err } = await project.gateline(...words.map((word) => (word === 'GATE' ? 'implment' : word)));
    expect({ exit, err }).toEqual({
      exit: 2,
      err: 'error the pipeline has no gate implment\nhint  did you mean `implement`?\n',
    });
  });

  it('prints one JSON document with --json', async () => {
    const project = twoGates();
    project.write('value.json', '{"score": 95}');
    const { token } = await (async () => {
      await project.json('init');
      return project.json<{ token: string }>('begin', 'design');
    })();
    project.write('value.json', '{"score": 95}');
    const calls: (readonly [string, string])[] = [
      [`complete ${token}`, 'ended'],
      ['validate', 'gates'],
      ['plan', 'plan'],
      ['run', 'run'],
      ['status', 'format'],
      ['show implement', 'verdict'],
      ['show implement request', 'format'],
      ['logs implement', 'stdout'],
      ['diff', 'patch'],
      ['rollback --to design --dry-run', 'units'],
      ['rollback --to design', 'units'],
      ['resume', 'result'],
      ['reject implement -r x', 'decisions'],
      ['approve design -r x', 'decisions'],
      ['force design', 'decisions'],
      ['skip implement -r x', 'decisions'],
      ['adopt design -r x -o value.json', 'decisions'],
      ['keep', 'kept'],
      ['run', 'result'],
      ['force design', 'units'],
      ['pause -r x', 'paused'],
      ['close -r x', 'status'],
      ['history', 'runs'],
      ['history --stats', 'gates'],
      ['history --daily', 'days'],
      ['clean --days 0', 'kept'],
      ['check', 'problems'],
      ['apply', 'error'],
      ['import state-guide', 'error'],
      ['show nothing', 'error'],
    ];
    for (const [line, key] of calls) expect(await project.json(...line.split(' ')), line).toHaveProperty(key);
  });
});

describe('values of options', () => {
  it('are texts unless they are numbers in their canonical form', async () => {
    const project = twoGates();
    const words = ['version=1.10', 'commit=1234e05', 'n=10', 'yes=true', 'id=007', 'pair=a=b', 'big=9007199254740993'];
    await project.gateline('run', ...words.flatMap((word) => ['-m', word]));
    const { metadata } = await project.json<{ metadata: object }>('show', 'design', 'request');
    expect(metadata).toEqual({
      version: '1.10',
      commit: '1234e05',
      n: 10,
      yes: true,
      id: '007',
      pair: 'a=b',
      big: '9007199254740993',
    });
    project.ran();
    expect(await project.run('-m', 'version=1.1')).toBe('0: design implement');
  });

  it('may look like options', async () => {
    const project = twoGates();
    await project.gateline('run');
    for (const reason of ['-h', '--help', '-V', '--version', '--json']) {
      const { exit, out } = await project.gateline('force', 'design', '--reason', reason);
      expect({ exit, out }).toEqual({ exit: 0, out: expect.stringContaining('Next:') as string });
      expect(await project.json<RunView>('status')).toMatchObject({
        decisions: expect.arrayContaining([expect.objectContaining({ reason })]) as unknown,
      });
    }
  });

  it('are read once from standard input', async () => {
    const project = twoGates();
    for (const command of ['plan', 'run', 'resume']) {
      const { exit, err } = await project.start([command, '--input', '-'], { input: '{"ticket": 7}' }).answer;
      expect({ command, exit, err: err.includes('error') }).toEqual({ command, exit: 0, err: false });
    }
    expect(await project.json('show', 'design', 'request')).toMatchObject({ input: { ticket: 7 } });
    const { exit, err } = await project.start(['run', '--input', '-'], { input: 'Sure! {"a": 1}' }).answer;
    expect({ exit, err }).toEqual({
      exit: 2,
      err: 'error standard input: prose is before the JSON (line 1, column 1)\nhint  It must be one JSON value.\n',
    });
  });
});

describe('exit codes', () => {
  it('tell a script what happened', async () => {
    const project = twoGates();
    const exit = async (...words: string[]) => (await project.gateline(...words)).exit;
    expect(await exit('run')).toBe(0);
    project.edit('gateline.yml', '90', '10');
    expect(await exit('run')).toBe(1);
    project.write('gateline.yml', 'gates: []');
    expect(await exit('run')).toBe(2);
    project.write('gateline.yml', TWO_GATES);
    project.write('.state/log.jsonl', `${project.read('.state/log.jsonl')}{}\n`);
    expect(await exit('run')).toBe(74);
    expect(await exit('check', '--repair')).toBe(0);
    expect(await exit('run')).toBe(0);
  });

  it('75: somebody else works here; 130: interrupted, and what was finished is kept', async () => {
    const go = '$HOME/go';
    const project = new Project({
      'gateline.yml': pipeline({
        one: { run: agent(), inputs: [] },
        two: { needs: 'one', run: agent({}, go), inputs: [], files: ['x'] },
      }),
    });
    const run = project.start(['run']);
    await expect.poll(() => project.read('../runs')).toBe('one\ntwo\n');
    const second = await project.gateline('run');
    expect(second).toMatchObject({ exit: 75, out: '' });
    expect(second.err).toMatch(
      /^error \S+lock: another Gateline works in this folder: process \d+ on .*\nhint  Wait until it is done/,
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
    const broken = {
      ...project.environment,
      get PATH(): string {
        throw new TypeError('no such thing');
      },
    };
    Object.defineProperty(project, 'environment', { value: broken });
    const { exit, err } = await project.gateline('run');
    expect(exit).toBe(70);
    expect(err).toMatch(/^error TypeError: no such thing\n[^]*hint  This is a bug of Gateline: please report it/);
  });
});
