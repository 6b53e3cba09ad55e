import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMAND_LINE, plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline, writes, type Answer } from './in-process.ts';

/** A stand-in for a browser's command line: notes each start with its arguments, and prints what it is told to. */
const BROWSER = `
import { appendFileSync, readFileSync } from 'node:fs';
const [verb, ...rest] = process.argv.slice(2);
appendFileSync('calls.jsonl', JSON.stringify([verb, ...rest]) + '\\n');
const request = JSON.parse(readFileSync(process.env.GATELINE_REQUEST, 'utf8'));
if (verb === 'snapshot') console.log(JSON.stringify(['@e1', '@e2']));
if (verb === 'many') console.log(JSON.stringify(Array.from({ length: Number(rest[0] ?? 1000) }, (_, n) => '@e' + n)));
if (verb === 'login') console.log(JSON.stringify({ id: 's1', expires_at: rest[0] ?? '2999-01-01T00:00:00Z' }));
if (verb === 'whoami') console.log(JSON.stringify(request.entities));
if (verb === 'long') console.log(JSON.stringify('x' + '\u{1f600}'.repeat(20_000)));
if (verb === 'fail') process.exit(3);
if (verb === 'hang') await new Promise((done) => setTimeout(done, 60_000));
`;

const syntax = (words: string): string => `node browser.mjs ${words}`;
const DEFINITION = {
  pipeline: 'agent-browser',
  entities: {
    browser: null,
    refs: { format: '@e{n}', 'depends-on': 'browser' },
    session: { properties: ['id', 'expires_at', 'user'], lifetime: '/expires_at', margin: '5m' },
  },
  commands: {
    open: { syntax: syntax('open'), creates: 'browser' },
    snapshot: { syntax: syntax('snapshot'), requires: 'browser', creates: 'refs', invalidates: 'refs' },
    click: { syntax: syntax('click -- <ref>'), requires: 'refs', invalidates: 'refs' },
    press: { syntax: syntax('press <ref>'), requires: 'refs', invalidates: 'refs', 'on-invalid': 'recover' },
    many: { syntax: syntax('many'), creates: ['refs', 'session', 'browser'], setup: false },
    crowd: { syntax: syntax('many 1001'), creates: 'refs', setup: false },
    none: { syntax: syntax('many 0'), creates: 'refs', invalidates: 'refs', setup: false },
    page: { syntax: syntax('say'), creates: 'refs', invalidates: 'refs', setup: false },
    close: { syntax: syntax('close'), invalidates: 'browser' },
    login: { syntax: syntax('login'), creates: 'session' },
    'login-until': { syntax: syntax('login <until>'), creates: 'session' },
    whoami: { syntax: syntax('whoami'), requires: 'session', returns: 'entities' },
    fail: { syntax: syntax('fail'), creates: 'session', invalidates: 'refs' },
    hang: { syntax: syntax('hang'), requires: 'refs', invalidates: 'session' },
    reload: { syntax: syntax('hang'), creates: 'refs', invalidates: 'refs', setup: false },
    say: { syntax: syntax('say -- <text>') },
    option: { syntax: syntax('say <text>') },
    long: { syntax: syntax('long') },
    absent: { syntax: 'no-such-program-here' },
  },
  gates: { check: { run: writes({}), shell: 'sh' } },
};

let workspace: ScratchWorkspace;
beforeAll(async () => {
  workspace = await ScratchWorkspace.create({
    'gateline.yml': JSON.stringify(DEFINITION, null, 2),
    'browser.mjs': BROWSER,
  });
});
afterAll(() => workspace[Symbol.asyncDispose]());

let subject = 0;
/** A workspace's subject of its own for each test: nothing is valid there. */
function fresh(): { (...args: string[]): Promise<Answer>; readonly subject: string } {
  subject += 1;
  const name = `s${subject}`;
  const run = (...args: string[]): Promise<Answer> => gateline(workspace.root, [...args, '--subject', name]);
  return Object.assign(run, { subject: name });
}

function calls(): string[][] {
  const text = readFileSync(join(workspace.root, 'calls.jsonl'), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as string[]);
}

async function statusOf(run: (...args: string[]) => Promise<Answer>): Promise<Record<string, string>> {
  const { entities } = JSON.parse((await run('entities', '--json')).out) as {
    entities: { entity: string; instance: string; status: string }[];
  };
  return Object.fromEntries(
    entities.map(({ entity, instance, status }) => [instance === '' ? entity : `${entity}/${instance}`, status]),
  );
}

describe('gateline do', () => {
  it('runs a command only when what it requires is valid', async () => {
    const run = fresh();
    const refused = await run('do', 'click', '--arg', 'ref=@e1');
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain("STATE_INVALID: Required state 'refs' is not valid");
    expect(refused.err).toContain('`gateline do open`, then `gateline do snapshot` makes it valid for click.');
    expect((await run('do', 'open')).code).toBe(0);
    expect(await run('do', 'snapshot')).toMatchObject({ code: 0, out: '["@e1","@e2"]\n' });
    expect(await statusOf(run)).toEqual({
      browser: 'valid',
      'refs/@e1': 'valid',
      'refs/@e2': 'valid',
      session: 'absent',
    });
    expect((await run('do', 'click', '--arg', 'ref=@e9')).code).toBe(1);
    expect((await run('do', 'click', '--arg', 'ref=@e1')).code).toBe(0);
    expect(calls().at(-1)).toEqual(['click', '--', '@e1']);
    const count = calls().length;
    expect((await run('do', 'click', '--arg', 'ref=@e1')).code).toBe(1);
    expect(calls()).toHaveLength(count);
    expect(await statusOf(run)).toMatchObject({ 'refs/@e1': 'invalid', 'refs/@e2': 'invalid' });
  });

  it('creates no instance from an empty list, and one that stands for all without a list', async () => {
    const run = fresh();
    await run('do', 'open');
    await run('do', 'snapshot');
    const none = await run('do', 'none');
    expect([none.code, none.err]).toEqual([
      0,
      'note: refs, created by none: its value is an empty list, so there is no instance\n',
    ]);
    expect((await run('do', 'click', '--arg', 'ref=@e1')).code).toBe(1);
    expect((await run('do', 'page')).code).toBe(0);
    expect(await run('do', 'click', '--arg', 'ref=@e1')).toMatchObject({ code: 0, err: '' });
    expect((await run('do', 'click', '--arg', 'ref=@e1')).code).toBe(1);
  });

  it('makes everything valid that a command creates, also beside a thousand references', async () => {
    const run = fresh();
    const { code, err } = await run('do', 'many');
    expect(code).toBe(0);
    expect(err).toContain('refs, created by many: only the first 333 of its 1000 instances are valid');
    expect(await statusOf(run)).toMatchObject({ browser: 'valid', 'refs/@e332': 'valid' });
    const crowd = await run('do', 'crowd');
    expect(crowd.err).toContain('refs, created by crowd: only the first 1000 of its 1001 instances are valid');
    expect(await statusOf(run)).toMatchObject({ 'refs/@e999': 'valid' });
  });

  it('runs what creates it first, with on-invalid: recover', async () => {
    const run = fresh();
    const before = existsSync(join(workspace.root, 'calls.jsonl')) ? calls().length : 0;
    const plan = await run('do', 'press', '--arg', 'ref=@e2', '--dry-run', '--json');
    const words = [['open'], ['snapshot'], ['press', '@e2']].map((own) => ['node', 'browser.mjs', ...own]);
    const commands = ['open', 'snapshot', 'press'];
    expect(JSON.parse(plan.out)).toEqual({ format: 'gateline-do-plan/1', commands, words });
    expect((await run('do', 'press', '--arg', "ref=@e2 it's", '--dry-run')).out.trim().split('\n')).toEqual([
      'open: run: browser is not valid, snapshot needs it',
      '  node browser.mjs open',
      'snapshot: run: refs is not valid, press needs it',
      '  node browser.mjs snapshot',
      'press: run',
      `  node browser.mjs press '@e2 it'\\''s'`,
    ]);
    const answer = await run('do', 'press', '--arg', 'ref=@e2', '--json');
    expect(JSON.parse(answer.out)).toMatchObject({
      format: 'gateline-do/1',
      status: 'passed',
      ran: ['open', 'snapshot', 'press'],
    });
    expect(calls().slice(before)).toEqual([['open'], ['snapshot'], ['press', '@e2']]);
  });

  it('prints what the command prints, and what set-up commands print beside it', async () => {
    const { out, err } = await fresh()('do', 'press', '--arg', 'ref=@e2');
    expect(out).toBe('');
    expect(err).toContain('note: snapshot: run: refs is not valid, press needs it\n["@e1","@e2"]\n');
  });

  it('prints a long line as one line, with every character of it', async () => {
    const { out } = await fresh()('do', 'long');
    expect(out.indexOf('\n')).toBe(out.length - 1);
    expect(JSON.parse(out)).toBe(`x${'\u{1f600}'.repeat(20_000)}`);
  });

  it('invalidates what depends on an entity', async () => {
    const run = fresh();
    await run('do', 'open');
    await run('do', 'snapshot');
    await run('do', 'close');
    expect(await statusOf(run)).toMatchObject({ browser: 'invalid', 'refs/@e1': 'invalid', 'refs/@e2': 'invalid' });
  });

  it('has invalidated, and created nothing, when it fails', async () => {
    const run = fresh();
    await run('do', 'open');
    await run('do', 'snapshot');
    const { code, err } = await run('do', 'fail');
    expect([code, err]).toEqual([1, 'gateline: fail: agent-error: fail ended with exit code 3.\n']);
    expect(await statusOf(run)).toMatchObject({ 'refs/@e1': 'invalid', session: 'absent' });
  });

  it('that cannot be read has invalidated everything, until that is created again', async () => {
    const run = fresh();
    await run('do', 'open');
    await run('do', 'snapshot');
    const claim = join(workspace.root, '.state/runs', run.subject, '0/agent-browser.snapshot._.0.1.1.started.json');
    writeFileSync(claim, '{"kind":');
    expect(await statusOf(run)).toMatchObject({ browser: 'invalid', 'refs/@e1': 'invalid' });
    expect((await run('do', 'open')).code).toBe(0);
    expect(await statusOf(run)).toMatchObject({ browser: 'valid', 'refs/@e1': 'invalid' });
    expect((await run('do', 'press', '--arg', 'ref=@e1')).code).toBe(0);
    await run('entities', 'create', 'session', '--reason', 'it was made elsewhere');
    expect(await statusOf(run)).toMatchObject({ browser: 'valid', session: 'expired' });
  });

  it('gives a command the values of what it requires', async () => {
    const run = fresh();
    const login = await run('do', 'login');
    expect(login.err).toBe('note: session, created by login: its value has no user\n');
    const { out } = await run('do', 'whoami', '--json');
    expect(JSON.parse(out)).toMatchObject({ value: { session: { instance: '', value: { id: 's1' } } } });
  });

  it('asks when a life ends at every start, with its margin', async () => {
    const run = fresh();
    const at = (minutes: number): string => `until=${new Date(Date.now() + minutes * 60_000).toISOString()}`;
    await run('do', 'login-until', '--arg', at(20));
    expect((await run('do', 'whoami')).code).toBe(0);
    await run('do', 'login-until', '--arg', at(4));
    expect((await run('do', 'whoami')).code).toBe(1);
    expect(await statusOf(run)).toMatchObject({ session: 'expired' });
    await run('do', 'login-until', '--arg', 'until=tomorrow');
    expect((await run('do', 'whoami')).code).toBe(1);
  });

  it('names a program that is not there', async () => {
    const { code, err } = await fresh()('do', 'absent');
    expect([code, err]).toEqual([1, expect.stringContaining('no-such-program-here was not found on the PATH')]);
  });

  it.each([
    ['do', 'clikc'],
    ['entities', 'check', 'nothing'],
    ['entities', 'create', 'nothing', '--reason', 'x'],
    ['entities', 'shwo'],
    ['entities', 'create'],
    ['entities', 'show', 'refs', '--reason', 'x'],
    ['do', 'click', '--arg', 'ref'],
    ['do', 'click', '--arg', 'ref=a', '--arg', 'ref=b'],
  ])('refuses %s %s %s', async (...args) => {
    expect((await fresh()(...args)).code).toBe(2);
  });

  it('is part of no run', async () => {
    const run = fresh();
    await run('do', 'open');
    await run('entities', 'create', 'session', '--reason', 'x');
    expect(JSON.parse((await run('status', '--json')).out)).toMatchObject({
      run: 0,
      status: 'initializing',
      problems: [],
    });
    expect((await run('run', '-q')).code).toBe(0);
    await run('do', 'close');
    const status = JSON.parse((await run('status', '--json')).out) as Record<string, unknown>;
    expect(status).toMatchObject({ run: 1, status: 'completed', problems: [] });
    expect((await run('run', '-q')).code).toBe(0);
    expect(await statusOf(run)).toMatchObject({ browser: 'invalid', session: 'expired' });
    expect((await run('doctor')).out).not.toContain('error');
  });
});

describe('an argument', () => {
  const hostile = [
    'plain',
    '',
    ' ',
    "it's",
    '"quoted"',
    'two\nlines',
    'tab\there',
    '$(touch hacked)',
    '`touch hacked`',
    '; touch hacked',
    '&& touch hacked',
    '| tee hacked',
    '> hacked',
    '-rf',
    '--help',
    '-- -x',
    '*',
    '~',
    '%PATH%',
    '$HOME',
    '\\',
    'C:\\x\\',
    '😀 é ﷽',
    '<ref>',
    '__proto__',
    '\u001b[31m',
    '\u202e',
    'x'.repeat(100_000),
  ];

  it.each(hostile)('reaches the program as one word: %j', async (text) => {
    expect((await fresh()('do', 'say', '--arg', `text=${text}`)).code).toBe(0);
    expect(calls().at(-1)).toEqual(['say', '--', text]);
    expect(existsSync(join(workspace.root, 'hacked'))).toBe(false);
  });

  it.each([
    ['a NUL', 'a\0b', 'has the character NUL'],
    ['half a character', '\ud800', 'has half a character'],
    ['1 MB', 'x'.repeat(1_000_000), 'has 1000000 bytes, and a program can be given 131071'],
  ])('is refused by name: %s', async (_, text, why) => {
    const count = calls().length;
    const { code, err } = await fresh()('do', 'say', '--arg', `text=${text}`);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining(`COMMAND_ARGUMENT_REFUSED: say: the argument text ${why}`),
    ]);
    expect(calls()).toHaveLength(count);
  });

  it.each(['-rf', '--help', '-'])('is refused where it would be an option: %s', async (text) => {
    const { code, err } = await fresh()('do', 'option', '--arg', `text=${text}`);
    expect([code, err]).toEqual([2, expect.stringContaining('begins with -')]);
  });

  it('is neither missing nor unknown', async () => {
    expect((await fresh()('do', 'say')).err).toContain('the argument text is missing');
    expect((await fresh()('do', 'say', '--arg', 'txt=x')).err).toContain('there is no argument txt');
  });
});

/** Starts a command that hangs, and waits until its program runs. */
async function hanging(command: string, ofSubject: string): Promise<ChildProcess> {
  const before = calls().length;
  const child = spawn(process.execPath, [COMMAND_LINE, 'do', command, '--subject', ofSubject], {
    cwd: workspace.root,
    env: plainEnvironment(),
    stdio: 'ignore',
  });
  const isHanging = (): boolean => calls()[before]?.[0] === 'hang';
  for (let tries = 0; !isHanging() && tries < 300; tries += 1) await new Promise((done) => setTimeout(done, 100));
  expect(isHanging()).toBe(true);
  return child;
}

describe('two commands', () => {
  it('wait for what one of them is creating', async () => {
    const run = fresh();
    await run('do', 'open');
    await run('do', 'snapshot');
    const child = await hanging('reload', run.subject);
    const busy = await run('do', 'click', '--arg', 'ref=@e1');
    expect([busy.code, busy.err]).toEqual([75, expect.stringContaining('ENTITY_BUSY: click: reload creates refs')]);
    const waiting = run('do', 'click', '--arg', 'ref=@e1', '--wait');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await waiting).toMatchObject({ code: 1, err: expect.stringContaining('STATE_INVALID') });
  }, 60_000);

  it('never overlap on one entity, and a killed one has invalidated', async () => {
    const run = fresh();
    await run('do', 'open');
    await run('do', 'snapshot');
    await run('do', 'login');
    const child = await hanging('hang', run.subject);
    expect(await statusOf(run)).toMatchObject({ session: 'invalid' });
    const busy = await run('do', 'press', '--arg', 'ref=@e1');
    expect([busy.code, busy.err]).toEqual([75, expect.stringContaining('ENTITY_BUSY: press: hang uses refs')]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const after = await run('do', 'press', '--arg', 'ref=@e1', '--wait');
    expect([after.code, after.err]).toEqual([
      0,
      expect.stringMatching(/^note: process \d+, left by a killed command, was stopped\n/),
    ]);
    expect(await statusOf(run)).toMatchObject({ session: 'invalid' });
  }, 60_000);
});

describe('gateline entities', () => {
  it('records what happened elsewhere, with who and why', async () => {
    const run = fresh();
    expect((await run('entities', 'create', 'session')).err).toContain('REASON_MISSING');
    await run('entities', 'create', 'browser', '--reason', 'it is open', '--actor', 'maria');
    const shown = await run('entities', 'show', 'browser', '--json');
    expect(JSON.parse(shown.out)).toMatchObject({ entities: [{ entity: 'browser', status: 'valid', by: 'maria' }] });
    expect((await run('do', 'snapshot')).code).toBe(0);
    await run('entities', 'invalidate', 'browser', '--reason', 'it crashed', '--actor', 'maria');
    expect((await run('entities', 'show', 'browser')).out).toContain('maria made it invalid: it crashed');
    expect(await statusOf(run)).toMatchObject({ browser: 'invalid', 'refs/@e1': 'invalid' });
    await run('entities', 'reset', '--reason', 'anew');
    expect(await statusOf(run)).toEqual({ browser: 'absent', refs: 'absent', session: 'absent' });
  });

  it('applies the effects of a command that ran elsewhere', async () => {
    const run = fresh();
    const value = gateline(
      workspace.root,
      ['entities', 'apply', 'snapshot', '--value', '-', '--reason', 'by hand', '--subject', run.subject],
      { stdin: '["@e7"]' },
    );
    expect((await value).code).toBe(0);
    expect(await statusOf(run)).toMatchObject({ 'refs/@e7': 'valid' });
    const { out } = await run('entities', 'show', 'refs/@e7');
    expect(out).toContain('"@e7"');
  });

  it('says what a command lacks', async () => {
    const run = fresh();
    const check = await run('entities', 'check', 'click', '--json');
    expect(check.code).toBe(1);
    expect(JSON.parse(check.out)).toEqual({
      format: 'gateline-entities-check/1',
      command: 'click',
      missing: ['refs'],
      setup: ['open', 'snapshot'],
    });
    expect(await run('entities', 'check', 'open')).toMatchObject({ code: 0, out: 'open can run\n' });
  });

  it("prints UASP's manifest", async () => {
    const run = fresh();
    await run('do', 'login');
    expect(JSON.parse((await run('entities', 'manifest')).out)).toEqual({
      loaded_skills: [
        {
          name: 'agent-browser',
          state: {
            browser: { valid: false, has_value: false },
            refs: { valid: false, has_value: false },
            session: { valid: true, has_value: true },
          },
        },
      ],
    });
  });
});
