import { mkdir, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { planJsonSchema } from '../../src/report/json/plan-json.ts';
import { statusJsonSchema } from '../../src/report/json/status-json.ts';
import { filesBelow, ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline, gatelineYml, writes } from './in-process.ts';

/** a passes, b fails, c needs b. */
const FAILING = gatelineYml({
  a: { run: writes({ score: 90 }), inputs: [] },
  b: { needs: 'a', run: 'echo boom >&2; exit 3', inputs: [] },
  c: { needs: 'b', run: writes(1), inputs: [] },
});

const withFile = (text: string) => ScratchWorkspace.create({ 'gateline.yml': text });

describe('help', () => {
  it('lists every command, and tells about each', async () => {
    const { out, code } = await gateline('/', []);
    expect(code).toBe(0);
    const longest = Math.max(...COMMANDS.map(({ name }) => name.length));
    for (const { name, summary } of COMMANDS) expect(out).toContain(`  ${name.padEnd(longest)}  ${summary}`);
    for (const { name, options } of COMMANDS) {
      const help = await gateline('/', ['help', name]);
      expect(help).toEqual(await gateline('/', [name, '--help']));
      for (const option of options) expect(help.out).toContain(`--${option.name}`);
      for (const line of help.out.split('\n')) if (!line.startsWith('  ')) expect(line.length).toBeLessThanOrEqual(100);
    }
  });

  it('is no wider than a narrow terminal, and breaks between words', async () => {
    const screen = { interactive: true, columns: 50 };
    for (const args of [['help'], ['help', 'run'], ['help', 'begin'], ['run', '--force', 'a'], ['show']]) {
      const { out, err } = await gateline('/', args, { screen });
      const typed = COMMANDS.flatMap(({ examples }) => examples.map(({ command }) => `  ${command}`));
      for (const line of `${out}${err}`.split('\n'))
        if (!typed.includes(line)) expect(line.length).toBeLessThanOrEqual(50);
    }
    const { out } = await gateline('/', ['help', 'run'], { screen });
    expect(out).toContain('\n  --with-needs\n      with --gate: run what those gates need too\n');
    expect(out).toContain('\nRuns every gate whose needs are satisfied, and\nindependent gates in parallel.');
  });

  it.each([
    [['resmue'], 'COMMAND_UNKNOWN: there is no command resmue; did you mean `resume`?'],
    [['retry'], 'COMMAND_UNKNOWN: there is no command retry\n  `gateline run` continues'],
    [['restart'], 'COMMAND_UNKNOWN: there is no command restart\n  `gateline run` continues'],
    [['nope'], 'COMMAND_UNKNOWN: there is no command nope\n  `gateline help`'],
    [
      ['show', 'a', 'logs'],
      "PART_UNKNOWN: there is no part logs of a gate\n  `gateline logs GATE` prints the agent's output.",
    ],
    [['show', 'a', 'diff'], 'PART_UNKNOWN: there is no part diff of a gate\n  `gateline diff GATE`'],
    [['status', '--subjects', '--run', '1'], 'OPTION_CONFLICT: --run does nothing with --subjects'],
    [['runs'], 'there is no command runs\n  `gateline history` lists earlier runs'],
    [['list'], 'there is no command list\n  `gateline status` lists the gates'],
    [['help', 'vaildate'], 'did you mean `validate`?'],
    [['--quiet', 'run'], 'OPTION_UNKNOWN: there is no option --quiet before a command'],
    [['run', '--subjct', 'x'], 'OPTION_UNKNOWN: gateline run: there is no option --subjct; did you mean `--subject`?'],
    [['run', '-x'], 'OPTION_UNKNOWN: gateline run: there is no option -x'],
    [['run', '--subject'], 'OPTION_VALUE: gateline run: --subject needs a value'],
    [['run', '--subject', '--quiet'], 'OPTION_VALUE: gateline run: --subject needs a value'],
    [['run', '--quiet=yes'], 'OPTION_VALUE: gateline run: --quiet takes no value'],
    [['run', 'a'], 'ARGUMENT_UNEXPECTED: gateline run: a is one argument too many'],
    [['show'], 'ARGUMENT_MISSING: gateline show: GATE is missing'],
    [['decide'], 'ARGUMENT_MISSING: gateline decide: DECISION is missing'],
    [['init', '--template', 'agnets'], 'TEMPLATE_UNKNOWN: there is no template agnets; did you mean `agents`?'],
    [['complete'], 'TOKEN_MISSING'],
    [
      ['decide', 'aprove', 'a', '--reason', 'x'],
      'DECISION_UNKNOWN: there is no decision aprove; did you mean `approve`?',
    ],
    [['decide', 'approve', 'a'], 'REASON_MISSING'],
    [['approve', 'a'], 'REASON_MISSING'],
    [['approve', '--reason', 'x'], 'ARGUMENT_MISSING: approve: GATE is missing'],
    [['pause', 'a', '--subject', 'b', '--reason', 'x'], 'OPTION_CONFLICT: --subject names a run, and so does a'],
    [['pin', 'a#0', '--reason', 'x'], 'OPTION_VALUE: pin a#0: expected a run number, or SUBJECT#NUMBER'],
    [['adopt', 'a', '--reason', 'x'], 'OPTION_VALUE: adopt: --output FILE is missing'],
    [['skip', 'a', '--reason', 'x', '--output', 'f'], '`gateline adopt GATE --output FILE`'],
    [
      ['decide', 'force', 'a', '--reason', 'x', '--output', 'f'],
      'OPTION_CONFLICT: --output can only be used with adopt',
    ],
    [
      ['decide', 'skip', 'a', '--reason', 'x', '--until', '2001-01-01'],
      'OPTION_VALUE: --until 2001-01-01: expected a time in the future',
    ],
  ])('%j is refused with advice', async (args, said) => {
    const { code, err, out } = await gateline('/', args);
    expect(err).toContain(said);
    expect(err.split('\n')[1]).toMatch(/^ {2}\S.*\.$/);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });
});

describe('init', () => {
  it('writes over nothing, and says so', async () => {
    await using workspace = await ScratchWorkspace.create({ 'schemas/design.schema.json': 'mine' });
    const { code, err } = await gateline(workspace.root, ['init']);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('FILE_EXISTS: schemas/design.schema.json') });
    expect(await workspace.git('status', '--porcelain')).toBe('');
  });

  it('only says what it would write with --dry-run', async () => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
    expect((await gateline(workspace.root, ['init', '-n'])).out).toContain('would write gateline.yml');
    expect(JSON.parse((await gateline(workspace.root, ['init', '-n', '--json'])).out)).toMatchObject({
      written: false,
    });
    expect(await workspace.git('status', '--porcelain')).toBe('');
  });
});

describe('a definition that is wrong', () => {
  const WRONG = 'pipeline: p\ngates:\n  a:\n    needs: desing\n    rnu: x\n  design: {run: x, needs: a}\n';

  it.each(['run', 'plan', 'validate', 'status'])('%s tells all errors at once, with their places', async (command) => {
    await using workspace = await withFile(WRONG);
    const { code, err } = await gateline(workspace.root, [command]);
    expect(err).toContain('gateline.yml:4:12 NEED_UNKNOWN needs: `desing`: no such gate; did you mean `design`?\n');
    expect(err).toContain('gateline.yml:5:5 KEY_UNKNOWN rnu');
    expect(code).toBe(2);
  });

  it('is told as JSON by every command, places and all', async () => {
    await using workspace = await withFile(WRONG);
    const codes = ['NEED_UNKNOWN', 'KEY_UNKNOWN'];
    const ran = JSON.parse((await gateline(workspace.root, ['run', '--json'])).out);
    expect(ran).toMatchObject({ format: 'gateline-error/1', code: 'PIPELINE_INVALID', fault: 'user', place: null });
    const validated = JSON.parse((await gateline(workspace.root, ['validate', '--json'])).out);
    expect(validated).toMatchObject({ format: 'gateline-validate/1', valid: false });
    expect(ran.problems).toEqual(validated.problems);
    expect(ran.problems.map((problem: { code: string }) => problem.code)).toEqual(codes);
    expect(ran.problems[0].place).toEqual({ file: 'gateline.yml', line: 4, column: 12, pointer: '/gates/a/needs' });
  });

  it('has the contracts of all gates checked by validate', async () => {
    await using workspace = await withFile(
      gatelineYml({
        a: { run: 'x', output: { schema: 'nope.json' } },
        b: { run: 'x', output: { schema: { typ: 'object' } } },
      }),
    );
    const { code, err } = await gateline(workspace.root, ['validate']);
    expect(err).toMatch(/CONTRACT_SCHEMA_MISSING[^]*CONTRACT_KEYWORD_UNKNOWN[^]*2 problems\./);
    expect(code).toBe(2);
  });

  it.each(['run', 'validate'])('%s tells its errors together with those of its contracts', async (command) => {
    await using workspace = await withFile(
      gatelineYml({
        a: { run: 'x', needs: ['nope'], output: { schema: 'nope.json' } },
        b: { run: 'x', rnu: 'y', output: { schema: { typ: 'object' }, threshold: 200, score: '/score' } },
        c: { run: 'x', output: { schema: { type: 'object' }, checks: ['output.a >'], exports: ['/a'] } },
      }),
    );
    const { code, err } = await gateline(workspace.root, [command]);
    const codes = [...err.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g)].map(([one]) => one);
    expect(codes).toEqual([
      'NEED_UNKNOWN',
      'KEY_UNKNOWN',
      'VALUE_INVALID',
      'EXPRESSION_INVALID',
      'CONTRACT_SCHEMA_MISSING',
      'CONTRACT_INVALID',
      'CONTRACT_KEYWORD_UNKNOWN',
    ]);
    expect(code).toBe(2);
    const { problems } = JSON.parse((await gateline(workspace.root, [command, '--json'])).out) as {
      problems: object[];
    };
    expect(problems).toHaveLength(6);
    expect(problems.at(-2)).toMatchObject({
      code: 'CONTRACT_SCHEMA_MISSING',
      place: { file: 'gateline.yml', line: expect.any(Number), pointer: '/gates/a/output' },
    });
  });

  it('says where a contract stands, in the file that was named', async () => {
    await using workspace = await ScratchWorkspace.create({
      'flow.yml': `gates:\n  a:\n    run: x\n    output:\n      schema: nope.json\n  b:\n    run: x\n    output:\n      schema: {typ: object}\n`,
    });
    const { err } = await gateline(workspace.root, ['validate', '--file', 'flow.yml']);
    expect(err).toContain('gateline: flow.yml:4:5 CONTRACT_SCHEMA_MISSING: ');
    expect(err).toContain('gateline: flow.yml:8:5 CONTRACT_INVALID: ');
  });

  it('is missed with advice, and found from a folder below', async () => {
    await using workspace = await ScratchWorkspace.create({ 'a b/gateline.yml': FAILING, 'a b/c d/x': '' });
    expect(await gateline(workspace.root, ['status'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('PIPELINE_MISSING: there is no gateline.yml here or above\n  `gateline init`'),
    });
    expect(await gateline(workspace.root, ['status', '--file', 'nope.yml'])).toMatchObject({ code: 2 });
    expect((await gateline(workspace.path('a b/c d'), ['plan'])).code).toBe(0);
    const ran = await gateline(workspace.path('a b/c d'), ['run', '-q']);
    expect(ran.out).toContain(`Everything is kept in ${workspace.path('a b')}/.state.`);
    // Naming the file comes to the same as finding it.
    const named = await gateline(workspace.root, ['status', '--file', 'a b/gateline.yml']);
    expect(named.out).toContain('Run 1 of p for main: error');
    expect(named.out).toContain("gateline run --file 'a b/gateline.yml'");
  });
});

describe('run', () => {
  it('goes on after a failure, says so, and why each gate is kept or run', async () => {
    await using workspace = await withFile(FAILING);
    const first = await gateline(workspace.root, ['run', '-q']);
    expect(first.code).toBe(1);
    expect(first.out).toContain('p for main: starting run 1\na: run: it has not run for this subject\n');
    expect(first.out).toContain('b: failed (agent-error)');
    expect(first.out).toContain('c: blocked: needs b, which is failed');
    expect(first.out).toContain('`gateline show b` shows the details.');
    await workspace.edit('gateline.yml', 'echo boom >&2; exit 3', 'echo 1 > $GATELINE_OUTPUT');
    const second = await gateline(workspace.root, ['run', '-q']);
    expect(second.out).toContain('p for main: continuing run 1, 1 of 3 gates done\na: keep: ');
    expect(second.out).toContain('b: run: key run changed');
    expect(second.code).toBe(0);
    const third = await gateline(workspace.root, [
      'run',
      '-q',
      '--force',
      'c',
      '--reason',
      'new model',
      '--actor',
      'me',
    ]);
    expect(third.out).toContain('p for main: starting run 2\na: reuse: ');
    expect(third.out).toMatch(/c: run: .*me .*new model/);
  });

  it('names removed gates, and with --strict refuses them', async () => {
    await using workspace = await withFile(FAILING);
    await gateline(workspace.root, ['run', '-q']);
    await workspace.edit('gateline.yml', '"a": {', '"other": {');
    await workspace.edit('gateline.yml', '"needs": "a"', '"needs": "other"');
    for (const command of ['run', 'resume', 'plan']) {
      const { code, err } = await gateline(workspace.root, [command, '--strict']);
      expect(code, command).toBe(2);
      expect(err).toContain('DEFINITION_CHANGED: the definition changed since run 1 of main began: gate a was removed');
    }
    const { err, out } = await gateline(workspace.root, ['run', '-q']);
    expect(`${out}${err}`.match(/there are records of a, which is not in the pipeline: ignored/g)).toHaveLength(1);
  });

  it('offers to run what a gate needs, and does so', async () => {
    const gates = {
      a: { run: writes(1), inputs: [] },
      'b-2': { needs: 'a', run: writes(1), inputs: [], strategy: { matrix: { on: ['x', 'y'] } } },
      c: { needs: 'b-2', run: writes(1), inputs: [] },
      other: { run: writes(1), inputs: [] },
    };
    await using workspace = await withFile(gatelineYml(gates));
    const alone = await gateline(workspace.root, ['run', '-q', '-s', 'a b', '--gate', 'c']);
    expect(alone.code).toBe(1);
    const command = "`gateline run --gate c --with-needs --subject 'a b'`";
    expect(alone.out).toContain(`--gate leaves out a, b-2/x and b-2/y: ${command} runs what is needed too.\n`);
    expect(await workspace.records()).toEqual([]);
    const whole = await gateline(workspace.root, ['run', '-q', '--gate', 'c', '--with-needs']);
    expect(whole.out).toMatch(/c: passed[^]*4 of 5 gates and legs done/);
    expect(whole.out).not.toContain('--with-needs');
    expect(whole.code).toBe(0);
    expect(await workspace.satisfied()).toEqual(['a', 'b-2/x', 'b-2/y', 'c']);
  });

  it('prints JSON only on standard output, and tells people on standard error', async () => {
    await using workspace = await withFile(FAILING);
    const { code, out, err } = await gateline(workspace.root, ['run', '--json']);
    expect(statusJsonSchema.parse(JSON.parse(out))).toMatchObject({ status: 'error', run: 1 });
    expect(err).toContain('b | boom\n');
    expect(err).toContain('# Checkpoint: gate 1, `b`');
    expect(err).toContain('Fix it and run `gateline run` again');
    expect(code).toBe(1);
    const dry = await gateline(workspace.root, ['run', '-n', '--json']);
    expect(planJsonSchema.parse(JSON.parse(dry.out))).toMatchObject({ continues: true, call: 2 });
    expect(dry.err).toBe('');
  });

  it('writes nothing with --dry-run', async () => {
    await using workspace = await withFile(FAILING);
    expect((await gateline(workspace.root, ['run', '--dry-run'])).out).toContain('starts run 1');
    expect(await workspace.git('status', '--porcelain', '--ignored')).toBe('');
  });

  it('answers for the gates that were asked for', async () => {
    await using workspace = await withFile(FAILING);
    expect((await gateline(workspace.root, ['run', '-q', '--gate', 'a'])).code).toBe(0);
    expect((await gateline(workspace.root, ['run', '-q', '--gate', 'b'])).code).toBe(1);
    expect((await gateline(workspace.root, ['run', '-q', '-g', 'c'])).code).toBe(1);
    expect((await gateline(workspace.root, ['run', '-q', '-g', 'a'])).code).toBe(0);
    expect(await gateline(workspace.root, ['run', '-g', 'bb'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('GATE_UNKNOWN: --gate: there is no gate bb; did you mean `b`?'),
    });
  });

  it('hands on subject, metadata and input, and repeats in its advice what it was pointed at', async () => {
    const copy = 'cp "$GATELINE_REQUEST" "$GATELINE_OUTPUT"';
    await using workspace = await withFile(
      gatelineYml({ a: { run: copy, inputs: [] }, b: { needs: 'a', run: 'exit 1', inputs: [] } }),
    );
    const given = ['-m', 'n=007', '-m', 'big=1e999', '-m', 'list=[1]', '-m', 'empty=', '-i', '-'];
    const ran = await gateline(workspace.root, ['run', '-q', '--subject', 'pr 42', ...given], {
      stdin: '{"story": "é"}',
    });
    expect(ran.out).toContain("run `gateline run --subject 'pr 42'` again");
    const shown = await gateline(workspace.root, ['show', 'a', 'output', '-s', 'pr 42']);
    const request = JSON.parse(shown.out);
    expect(request).toMatchObject({ subject: 'pr 42', input: { story: 'é' } });
    expect(Object.entries(request.metadata)).toEqual(
      expect.arrayContaining([
        ['n', '007'],
        ['big', '1e999'],
        ['list', [1]],
        ['empty', ''],
      ]),
    );
    expect((await gateline(workspace.root, ['status', '--subjects'])).out).toBe('pr 42\n');
  });

  it.each([
    [['--input', 'nope.json'], 'INPUT_INVALID: nope.json cannot be read'],
    [['--input', '-'], 'INPUT_INVALID: -: '],
    [['--input', '/dev/zero'], 'INPUT_INVALID: /dev/zero cannot be read: it is not a plain file'],
    [['--input', '.'], 'INPUT_INVALID: . cannot be read: it is not a plain file'],
    [['--metadata', 'x'], 'METADATA_INVALID: --metadata x: expected KEY=VALUE'],
    [['--metadata', '__proto__=1'], 'METADATA_INVALID: --metadata __proto__=1'],
    [['--subject', ' '], 'SUBJECT_EMPTY'],
    [['--force', 'zz'], 'GATE_UNKNOWN: there is no gate zz'],
    [['--force', 'a'], 'REASON_MISSING'],
    [['--with-needs'], 'OPTION_CONFLICT: --with-needs does nothing here: without --gate, every gate runs'],
    [
      ['--gate', 'c', '--with-needs', '--stand-in'],
      'OPTION_CONFLICT: --with-needs does nothing here: with --stand-in, needed',
    ],
    [['--force', 'a', '--reason', ' '], 'REASON_MISSING'],
  ])('refuses %j', async (args, said) => {
    await using workspace = await withFile(FAILING);
    const { code, err } = await gateline(workspace.root, ['run', ...args], { stdin: '{' });
    expect(err).toContain(said);
    expect(code).toBe(2);
    expect(await workspace.records()).toEqual([]);
  });

  it('refuses texts that are too long for a record', async () => {
    await using workspace = await withFile(FAILING);
    const force = ['run', '--force', 'a'];
    const calls = [
      ['run', '--subject', 's'.repeat(1_025)],
      [...force, '--actor', 'a'.repeat(256)],
      [...force, '--reason', 'r'.repeat(4_097)],
      ['decide', 'force', 'a', '--reason', 'r'.repeat(4_097)],
    ];
    for (const args of calls) {
      const { code, err } = await gateline(workspace.root, args);
      expect(err).toContain('OPTION_VALUE');
      expect(code).toBe(2);
    }
    expect(await workspace.records()).toEqual([]);
  });

  it('lets the caller stand in for needs that have no output', async () => {
    await using workspace = await withFile(FAILING);
    await workspace.write('input.json', '{"b": 1}');
    const alone = await gateline(workspace.root, ['run', '-q', '-g', 'c']);
    expect(alone.code).toBe(1);
    const { out } = await gateline(workspace.root, ['run', '-q', '-g', 'c', '--stand-in', '-i', 'input.json']);
    expect(out).toMatch(/^c: passed/m);
  });

  it('refuses to start an agent with nothing in place of what it needs', async () => {
    await using workspace = await withFile(FAILING);
    const run = await gateline(workspace.root, ['run', '-q', '-g', 'c', '--stand-in']);
    expect(run).toMatchObject({
      code: 2,
      err: 'gateline: STAND_IN_MISSING: gate c: no state file of another tool and no input replaces the output of b\n  Pass `--input FILE`, or put the state file of the needed gate below `.state/`.\n',
    });
    expect(run.out).toMatch(/^2 +c +blocked +STAND_IN_MISSING/m);
    expect((await gateline(workspace.root, ['begin', 'c', '--stand-in'])).err).toContain('STAND_IN_MISSING');
    expect((await workspace.records()).filter(({ gate }) => gate === 'c')).toEqual([]);
  });
});

describe('status and show', () => {
  it('look at a run without writing', async () => {
    await using workspace = await withFile(FAILING);
    const before = await gateline(workspace.root, ['status']);
    expect(before.out).toContain('There is no run of p for main yet.\nRun `gateline run` to start.');
    expect(await workspace.git('status', '--porcelain', '--ignored')).toBe('');
    await gateline(workspace.root, ['run', '-q']);
    expect((await gateline(workspace.root, ['status', '--run', '1'])).out).toContain('Run 1 of p for main: error.');
    expect(await gateline(workspace.root, ['status', '--run', '2'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('RUN_UNKNOWN: there is no run 2 for main\n  Runs: 1.'),
    });
    expect((await gateline(workspace.root, ['status', '--run', 'x'])).err).toContain('OPTION_VALUE: --run x');
    const json = JSON.parse((await gateline(workspace.root, ['status', '--json'])).out);
    expect(statusJsonSchema.parse(json).gates.map((gate) => gate.status)).toEqual(['passed', 'failed', 'blocked']);
  });

  it('shows every part, and why one is not there', async () => {
    await using workspace = await withFile(FAILING);
    await gateline(workspace.root, ['run', '-q']);
    const show = (...args: string[]) => gateline(workspace.root, ['show', ...args]);
    expect((await show('a')).out).toMatch(/^a, attempt 1 \(run 1\): passed\n/);
    expect((await show('b')).out).toContain('stderr: gateline show b stderr');
    expect((await show('c')).out).toBe('c: blocked: needs b (failed)\n');
    expect(JSON.parse((await show('a', 'output')).out)).toEqual({ score: 90 });
    expect(JSON.parse((await show('a', 'exports')).out)).toEqual({ score: 90 });
    expect(JSON.parse((await show('a', 'request')).out)).toMatchObject({ gate: 'a', format: 'gateline-request/2' });
    expect(JSON.parse((await show('a', 'contract')).out)).toMatchObject({ format: 'gateline-contract/1' });
    const records = JSON.parse((await show('a', 'record')).out) as { kind: string }[];
    expect(records.map(({ kind }) => kind).toSorted()).toEqual(['ended', 'started']);
    expect((await show('b', 'stderr')).out).toBe('boom\n');
    const text = { format: 'gateline-text/1', gate: 'b', part: 'stderr', text: 'boom\n' };
    expect(JSON.parse((await show('b', 'stderr', '--json')).out)).toEqual(text);
    expect((await show('b', 'output')).err).toContain('PART_ABSENT: gate b has no output: its agent wrote no output');
    expect((await show('a', 'stdout')).err).toContain('its agent printed nothing there');
    expect((await show('c', 'request')).err).toContain('its agent was not started yet');
    expect((await show('a', 'ouput')).err).toContain(
      'PART_UNKNOWN: there is no part ouput of a gate; did you mean `output`?',
    );
    expect((await show('aa')).err).toContain('GATE_UNKNOWN: there is no gate aa; did you mean `a`?');
  });

  it('never let a terminal obey what an agent said', async () => {
    const run = `printf '\\033]0;x\\007{"a": 1' > "$GATELINE_OUTPUT"; printf '\\302\\233x ::error::y\\n##[error]z\\n'`;
    await using workspace = await withFile(gatelineYml({ a: { run, inputs: [] } }));
    const ran = await gateline(workspace.root, ['run'], { screen: { interactive: false } });
    const all = [
      ran,
      await gateline(workspace.root, ['show', 'a']),
      await gateline(workspace.root, ['status', '--json']),
    ];
    for (const { out, err } of all) {
      expect(out + err).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      expect(out + err).not.toMatch(/^\s*::|##\[/m);
    }
  });

  it('name the legs of a matrix gate', async () => {
    const run = writes(1);
    const text = gatelineYml({ m: { run, inputs: [], strategy: { matrix: { os: ['x', 'Windows 11'] } } } });
    await using workspace = await withFile(text);
    await gateline(workspace.root, ['run', '-q']);
    const { out } = await gateline(workspace.root, ['show', 'm']);
    expect(out).toMatch(/^0 +m +passed +100 +2 of 2 legs done\n +x +passed +ran.*\n +Windows 11 +passed +ran/m);
    const [, key = ''] = /^ {2}gateline show m\/x\n {2}gateline show (\S+) {2}\(Windows 11\)$/m.exec(out) ?? [];
    expect((await gateline(workspace.root, ['show', key])).out).toContain(`${key}, attempt 1 (run 1): passed`);
    const json = JSON.parse((await gateline(workspace.root, ['show', 'm', '--json'])).out);
    expect(json).toMatchObject({
      format: 'gateline-legs/1',
      gate: 'm',
      legs: [{ gate: 'm/x', status: 'passed' }, { gate: key }],
    });
    expect((await gateline(workspace.root, ['plan'])).out).toContain('m/Windows 11');
    const { err } = await gateline(workspace.root, ['show', 'm', 'output']);
    expect(err).toContain(`gate m has 2 legs; name one of them\n  Legs: m/x, ${key}.`);
    expect((await gateline(workspace.root, ['show', 'm/x'])).code).toBe(0);
    const byName = 'm/Windows 11';
    expect((await gateline(workspace.root, ['show', byName, 'output'])).code).toBe(0);
    expect((await gateline(workspace.root, ['diff', byName, '--attempt', '1..1'])).code).toBe(0);
    expect((await gateline(workspace.root, ['begin', 'm'])).err).toContain('gate m has 2 legs; name one of them');
    expect((await gateline(workspace.root, ['diff', 'm/windoze-11'])).err).toContain(
      `there is no leg m/windoze-11\n  Legs: m/x, ${key}.`,
    );
    const one = await gateline(workspace.root, ['run', '-q', '--gate', byName, '--force', byName, '--reason', 'r']);
    expect(one.out).toMatch(new RegExp(`^${key}: run: .*\n.*\n${key}: passed`, 'm'));
    expect(one.out).toContain('m/x: reuse');
    expect((await gateline(workspace.root, ['decide', 'force', 'm', '--reason', 'both'])).code).toBe(0);
    expect((await gateline(workspace.root, ['plan'])).out).toMatch(/m\/x\s+run[^]*m\/Windows 11\s+run/);
  });
});

describe('decide', () => {
  it('lets a paused gate pass, and says how before', async () => {
    const output = { score: '/score', threshold: 80, partial: 'pause' };
    await using workspace = await withFile(gatelineYml({ a: { run: writes({ score: 50 }), inputs: [], output } }));
    const paused = await gateline(workspace.root, ['run', '-q']);
    expect(paused.code).toBe(3);
    expect(paused.out).toContain('Let a pass: `gateline approve a --reason TEXT`');
    const decided = await gateline(workspace.root, ['decide', 'approve', 'a', '--reason', 'good enough', '--json']);
    expect(JSON.parse(decided.out)).toMatchObject({ decision: 'approve', actor: 'tester@example.test', until: null });
    expect((await gateline(workspace.root, ['run', '-q'])).code).toBe(0);
  });

  it('adopts an output that must meet the contract', async () => {
    const output = { schema: { type: 'object' } };
    await using workspace = await withFile(
      gatelineYml({ a: { run: 'exit 1', inputs: [], output }, b: { needs: 'a', run: writes(1), inputs: [] } }),
    );
    await workspace.write('bad.json', '[]');
    await workspace.write('good.json', '{}');
    const adopt = (file: string, gate = 'a') =>
      gateline(workspace.root, ['adopt', gate, '--reason', 'x', '--output', file]);
    expect(await adopt('good.json', 'b')).toMatchObject({ code: 2, err: expect.stringContaining('ADOPT_TOO_EARLY') });
    expect(await adopt('bad.json')).toMatchObject({ code: 2, err: expect.stringContaining('ADOPT_REFUSED') });
    await workspace.write('large.json', '');
    await truncate(join(workspace.root, 'large.json'), 300 * 1_024 ** 2);
    for (const [file, why] of [
      ['/dev/zero', 'it is not a plain file'],
      ['large.json', 'it has more than 268,435,456 bytes'],
    ] as const)
      expect(await adopt(file)).toMatchObject({
        code: 2,
        err: expect.stringContaining(`${file} cannot be read: ${why}`),
      });
    await rm(join(workspace.root, 'large.json'));
    expect((await adopt('good.json')).out).toContain('a: adopt by tester@example.test: x\n');
    expect((await gateline(workspace.root, ['run', '-q'])).code).toBe(0);
    const { gates } = statusJsonSchema.parse(JSON.parse((await gateline(workspace.root, ['status', '--json'])).out));
    expect(gates[0]).toMatchObject({ status: 'passed', reason: 'adopted by tester@example.test: x', attempts: 0 });
  });
});

describe('what is kept', () => {
  it.each(['run', 'plan', 'status', 'show a', 'begin a', 'decide skip a --reason x'])(
    'answers 74 to %s when a file stands in the place of .state',
    async (line) => {
      await using workspace = await withFile(FAILING);
      await writeFile(workspace.path('.state'), '');
      const { code, err } = await gateline(workspace.root, line.split(' '));
      expect(err).toMatch(/^gateline: STORE_(?:READ|WRITE)_FAILED: .*\.state.*\n {2}\S/);
      expect(code).toBe(74);
    },
  );

  it('shows a record that cannot be read, keeps it in quarantine, and goes on', async () => {
    await using workspace = await withFile(FAILING);
    await gateline(workspace.root, ['run', '-q', '-g', 'a']);
    const name = '.state/runs/main/1/p.a._.1.1.1.ended.json';
    await writeFile(workspace.path(name), '{"torn');
    const seen = await gateline(workspace.root, ['status']);
    expect(seen.err).toContain(`problem: UNREADABLE_RECORD: ${name}: ends before its JSON does`);
    expect(await workspace.read(name)).toBe('{"torn');
    expect((await gateline(workspace.root, ['run', '-q', '-g', 'a'])).code).toBe(0);
    const kept = await filesBelow(workspace.path('.state/quarantine'), []);
    const torn = kept.find((path) => !path.endsWith('.why.json'))!;
    expect(await workspace.read(`.state/quarantine/${torn}`)).toBe('{"torn');
  });

  it('says what is gone, and how to make it anew', async () => {
    await using workspace = await withFile(FAILING);
    await gateline(workspace.root, ['run', '-q', '-g', 'a']);
    await rm(workspace.path('.state/content'), { recursive: true });
    await mkdir(workspace.path('.state/content'));
    const { code, err } = await gateline(workspace.root, ['show', 'a', 'output']);
    expect({ code, err }).toEqual({
      code: 74,
      err: expect.stringMatching(/CONTENT_MISSING[^]*gateline run --force a --reason TEXT/),
    });
    expect((await gateline(workspace.root, ['run', '-q', '-g', 'a'])).out).toMatch(/^a: run: /m);
  });
});
