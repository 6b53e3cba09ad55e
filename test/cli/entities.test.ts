import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EntityView } from '../../src/local/entities/entities.ts';
import { Project } from './support.ts';

/** A stand-in for a browser's command line: notes each start, and prints what it is told to. */
const BROWSER = `
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
const [verb, ...rest] = process.argv.slice(2);
appendFileSync(process.env.RUNS, JSON.stringify([verb, ...rest]) + '\\n');
const print = (value) => console.log(JSON.stringify(value));
if (verb === 'snapshot') print(['@e1', '@e2']);
if (verb === 'login') print({ id: 's1', expires_at: rest[0] ?? '2999-01-01T00:00:00Z' });
if (verb === 'acquire') print({ id: rest[0] });
if (verb === 'files') print({ entities: read('GATELINE_ENTITIES'), args: read('GATELINE_ARGS') });
if (verb === 'secret') print({ token: process.env.TOKEN });
if (verb === 'huge') print({ id: 's1', text: 'x'.repeat(2 ** 21) });
if (verb === 'fail') process.exit(3);
if (verb === 'hang') while (!existsSync(rest[0] ?? 'end')) await sleep(20);
if (verb === 'serve') {
  const server = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  server.unref();
  print({ pid: server.pid });
}
function read(name) { return JSON.parse(readFileSync(process.env[name], 'utf8')); }
`;

const HOSTILE = [
  '',
  "it's",
  '"q"',
  'two\nlines',
  '$(touch x)',
  '`touch x`',
  '; touch x',
  '-rf',
  '--',
  '*',
  '$HOME',
  '\\',
  '😀',
  '<w1>',
  '$&',
];

const syntax = (words: string): string => `node browser.mjs ${words}`;
const DEFINITION = {
  pipeline: 'web',
  entities: {
    browser: null,
    refs: { format: '@e{n}', 'depends-on': 'browser' },
    session: { properties: ['id', 'user'], 'expires-at': '/expires_at' },
    resource: { format: 'resource_{id}' },
  },
  commands: {
    open: { syntax: syntax('open'), creates: 'browser' },
    serve: { syntax: syntax('serve'), creates: 'browser', setup: false },
    snapshot: { syntax: syntax('snapshot'), requires: 'browser', creates: 'refs', invalidates: 'refs' },
    click: { syntax: syntax('click -- <ref>'), requires: 'refs', invalidates: 'refs' },
    press: { syntax: syntax('press <ref>'), requires: 'refs', invalidates: 'refs', 'on-invalid': 'recover' },
    login: { syntax: syntax('login'), creates: 'session', setup: false },
    'login-until': { syntax: syntax('login <until>'), creates: 'session' },
    acquire: { syntax: syntax('acquire <n>'), creates: 'resource', returns: 'resource_id' },
    use: { syntax: syntax('files <resource_id>'), requires: 'resource' },
    release: { syntax: syntax('release <resource_id>'), requires: 'resource', invalidates: 'resource' },
    huge: { syntax: syntax('huge'), creates: 'session', setup: false },
    fail: { syntax: syntax('fail'), creates: 'session', invalidates: 'refs' },
    hang: { syntax: syntax('hang'), requires: 'refs', invalidates: 'session' },
    reload: { syntax: syntax('hang'), creates: 'refs', setup: false },
    short: { syntax: syntax('hang never'), creates: 'session', 'timeout-minutes': 0.005, setup: false },
    hostile: { syntax: syntax(`say "two words" --to=<w1> -- ${HOSTILE.map((_, index) => `<w${index}>`).join(' ')}`) },
    option: { syntax: syntax('say <text>') },
    secret: { syntax: syntax('secret'), creates: 'session', setup: false },
    absent: { syntax: 'no-such-program' },
  },
  gates: { check: { run: 'true', secrets: 'TOKEN' } },
};

class Browser extends Project {
  constructor() {
    super({ 'gateline.yml': JSON.stringify(DEFINITION, null, 1), 'browser.mjs': BROWSER });
    fs.writeFileSync(this.environment['RUNS']!, '');
  }

  /** Runs commands one after another: each must end well. */
  async do(...lines: readonly string[]): Promise<void> {
    for (const line of lines) await this.expect(`do ${line}`, 0);
  }

  get calls(): string[][] {
    const lines = fs.readFileSync(this.environment['RUNS']!, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as string[]);
  }

  async entities(...words: readonly string[]): Promise<Record<string, EntityView>> {
    const { entities } = JSON.parse((await this.gateline('entities', ...words, '--json')).out) as {
      entities: EntityView[];
    };
    return Object.fromEntries(entities.map((view) => [view.entity + (view.instance && `/${view.instance}`), view]));
  }

  async entityStatuses(): Promise<Record<string, string>> {
    const views = Object.entries(await this.entities());
    return Object.fromEntries(views.map(([key, { status }]) => [key, status]));
  }
}

describe('gateline do', () => {
  it('works with a definition without gates', async () => {
    const commands = { open: { syntax: 'true' } };
    const project = new Project({ 'gateline.yml': JSON.stringify({ pipeline: 'p', commands }) });
    const error = 'error: gateline.yml has no gates\nhint: `gateline do COMMAND` runs one of its commands\n';
    for (const words of ['run', 'plan', 'run --isolated']) await project.expect(words, 2, error);
    await project.expect('do open', 0);
  });

  it('runs a command only when what it requires is valid', async () => {
    const browser = new Browser();
    await browser.expect(
      'do click --arg ref=@e1',
      1,
      /Required state 'refs' is not valid/,
      /`gateline do open`, then `gateline do snapshot`/,
    );
    await browser.expect('do click --check', 1, /'refs' is not valid\n`gateline do open` makes it valid/);
    expect(browser.calls).toEqual([]);
    await browser.do('open', 'snapshot');
    expect(await browser.entityStatuses()).toMatchObject({ browser: 'valid', refs: 'valid', session: 'absent' });
    await browser.expect('do click --check', 0, /click can run/);
    await browser.expect('do click --arg ref=@e1', 0);
    expect(browser.calls.at(-1)).toEqual(['click', '--', '@e1']);
    await browser.expect('do click --arg ref=@e1', 1, /refs: click made it invalid/);
    expect((await browser.entities('refs'))['refs']).toMatchObject({
      status: 'invalid',
      value: ['@e1', '@e2'],
      by: 'click',
    });
  });

  it('first runs what creates it, with on-invalid: recover, each once', async () => {
    const browser = new Browser();
    const { out, err } = await browser.gateline('do', 'press', '--arg', 'ref=@e2');
    expect(browser.calls).toEqual([['open'], ['snapshot'], ['press', '@e2']]);
    expect([out, err]).toEqual([
      '',
      expect.stringMatching(/open runs first: refs is not valid\n.*snapshot runs first/s),
    ]);
  });

  it('prints what the command prints, and gives it values and arguments in files', async () => {
    const browser = new Browser();
    await browser.do('acquire --arg n=7', 'acquire --arg n=8');
    const { out } = await browser.gateline('do', 'use', '--arg', 'resource_id=7');
    expect(JSON.parse(out)).toEqual({ entities: { resource: { id: '7' } }, args: { resource_id: '7' } });
    const { out: json } = await browser.gateline('do', 'use', '--arg', 'resource_id=resource_8', '--json');
    expect(JSON.parse(json)).toMatchObject({ status: 'passed', value: { entities: { resource: { id: '8' } } } });
    await browser.expect('do use --arg resource_id=9', 1, /Required state 'resource'/);
    await browser.do('release --arg resource_id=7');
    expect(await browser.entityStatuses()).toMatchObject({
      'resource/resource_7': 'invalid',
      'resource/resource_8': 'valid',
    });
    await browser.expect(['do', 'release', '--arg', 'resource_id='], 2, /resource_id is empty or too long/);
  });

  it('has invalidated, and created nothing, when it fails, takes too long or cannot start', async () => {
    const browser = new Browser();
    await browser.do('open', 'snapshot');
    await browser.expect('do fail', 1, /fail failed: it ended with exit code 3/);
    await browser.expect('do huge', 1, /it printed more JSON than a value can have/);
    await browser.expect('do short', 1, /it worked longer than 0.005 minutes/);
    await browser.expect('do absent', 1, /no-such-program was not found on the PATH/);
    expect(await browser.entityStatuses()).toEqual({
      browser: 'valid',
      refs: 'invalid',
      session: 'absent',
      resource: 'absent',
    });
  });

  it('lets a value expire', async () => {
    const browser = new Browser();
    await browser.expect('do login', 0, /the value of session has no user/);
    expect((await browser.entities())['session']).toMatchObject({
      status: 'valid',
      expiresAt: '2999-01-01T00:00:00.000Z',
    });
    await browser.do('login-until --arg until=2001-01-01T00:00:00Z');
    expect((await browser.entities())['session']).toMatchObject({
      status: 'invalid',
      cause: 'it expired at 2001-01-01T00:00:00.000Z',
    });
  });

  it('hands on a long line whole, but not to a terminal', async () => {
    const text = 'x'.repeat(10_000);
    const syntax = `node -p "'x'.repeat(10000)"`;
    const project = new Project({ 'gateline.yml': JSON.stringify({ pipeline: 'p', commands: { long: { syntax } } }) });
    expect((await project.gateline('do', 'long')).out).toBe(`${text}\n`);
    expect((await project.start(['do', 'long'], { columns: 80 }).answer).out).toBe(`${text.slice(0, 4_096)}\n`);
  });

  it('ends with its command: a server that it started stays', async () => {
    const browser = new Browser();
    await browser.do('serve');
    const { pid } = (await browser.entities())['browser']!.value as { pid: number };
    expect(() => process.kill(pid, 0)).not.toThrow();
    process.kill(pid);
  });

  it('keeps secrets out of values and arguments', async () => {
    const browser = new Browser();
    browser.environment['TOKEN'] = 'a-long-secret-value';
    await browser.expect('do secret', 0);
    await browser.expect('do option --arg text=a-long-secret-value', 0);
    expect(fs.readFileSync(join(browser.root, '.state/entities.jsonl'), 'utf8')).not.toContain('a-long-secret-value');
    expect(fs.readdirSync(join(browser.root, '.state/attempts/web/do/0'))).toEqual([]);
  });

  it.each([
    ['do clikc', 'did you mean `click`'],
    ['do click', 'the argument ref is missing'],
    ['do click --arg rfe=@e1', 'the argument rfe is unknown'],
    ['do click --arg ref', 'It must be name=value'],
    ['do option --arg text=-rf', 'begins with -'],
    ['entities nothing', 'no entity nothing'],
    ['entities set refs vaild', 'vaild'],
    ['entities set refs invalid --value 1', 'only a valid entity'],
    ['entities set refs valid --value {', 'It must be JSON'],
    ['entities apply nothing', 'no command nothing'],
  ])('refuses `%s`', async (line, text) => {
    await new Browser().expect(line, 2, new RegExp(text));
  });

  it('passes each argument as one word', async () => {
    const browser = new Browser();
    const args = HOSTILE.flatMap((text, index) => ['--arg', `w${index}=${text}`]);
    await browser.expect(['do', 'hostile', ...args], 0);
    expect(browser.calls).toEqual([['say', 'two words', `--to=${HOSTILE[1]}`, '--', ...HOSTILE]]);
    expect(fs.existsSync(join(browser.root, 'x'))).toBe(false);
  });
});

describe('two commands', () => {
  /** Starts a command that hangs in a process of its own, and waits until its program works. */
  async function startHanging(browser: Browser, command: string) {
    const count = browser.calls.length;
    const program = join(import.meta.dirname, '../../src/cli/index.ts');
    const child = spawn(process.execPath, [program, 'do', command], {
      cwd: browser.root,
      env: browser.environment,
      stdio: 'ignore',
    });
    await expect.poll(() => browser.calls.length, { interval: 20 }).toBeGreaterThan(count);
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    return { child, ended };
  }

  it('never change an entity at the same time: the second one is refused, or waits', async () => {
    const browser = new Browser();
    await browser.do('open', 'snapshot', 'login');
    const { ended } = await startHanging(browser, 'reload');
    await browser.expect('do click --arg ref=@e1', 75, /click: reload changes refs since/, /Wait until process/);
    await browser.expect('do open', 75, /ENTITY_BUSY|reload changes refs/);
    await browser.expect('do login', 0);
    expect((await browser.entities())['refs']).toMatchObject({ status: 'valid', user: 'reload' });
    const waiting = browser.start(['do', 'click', '--arg', 'ref=@e1', '--wait']);
    browser.write('end', '');
    expect(await ended).toBe(0);
    expect((await waiting.answer).exit).toBe(0);
    expect(browser.calls.at(-1)).toEqual(['click', '--', '@e1']);
  });

  it('may both require an entity', async () => {
    const browser = new Browser();
    await browser.do('open', 'snapshot');
    const { ended } = await startHanging(browser, 'hang');
    await browser.expect('do click --arg ref=@e1', 0);
    browser.write('end', '');
    expect(await ended).toBe(0);
  });

  it('of which one is killed: what it was to change is invalid', async () => {
    const browser = new Browser();
    await browser.do('open', 'snapshot', 'login');
    const { child, ended } = await startHanging(browser, 'reload');
    child.kill('SIGKILL');
    await ended;
    // Its program works on: nobody else changes what it changes.
    await browser.expect('do snapshot', 75);
    browser.write('end', '');
    await browser.expect(
      'check',
      1,
      /^files of reload, which was killed, are left\n {2}`gateline clean` removes them\.$/m,
    );
    await browser.expect('clean -n', 0, /^would remove files of reload, which was killed$/m);
    await browser.expect('clean', 0, /^removed files of reload, which was killed$/m);
    expect(browser.files('.state/attempts/web/do/0')).toEqual([]);
    await browser.expect('check', 0, 'Nothing is wrong.');
    await expect
      .poll(async () => (await browser.entities())['refs']!)
      .toMatchObject({
        status: 'invalid',
        cause: 'reload was killed',
        value: ['@e1', '@e2'],
      });
    await browser.do('snapshot');
    expect(await browser.entityStatuses()).toMatchObject({ browser: 'valid', refs: 'valid', session: 'valid' });
  });
});

describe('gateline entities', () => {
  it('records what commands elsewhere changed, with actor and reason', async () => {
    const browser = new Browser();
    await browser.expect(
      [
        'entities',
        'set',
        'session',
        'valid',
        '--value',
        '{"id":"x","expires_at":4102444800}',
        '-r',
        'by hand',
        '--actor',
        'maria',
      ],
      0,
      /session: valid/,
    );
    await browser.expect('entities apply acquire --result {"id":3}', 0, /resource\/resource_3: valid/);
    await browser.expect('entities set browser valid', 0);
    await browser.expect('entities apply snapshot --result ["@e9"]', 0, /refs: valid/);
    expect(await browser.entities()).toMatchObject({
      session: { status: 'valid', by: 'maria' },
      refs: { value: ['@e9'] },
    });
    await browser.expect('entities', 0, /entity +status +by/, /resource\/resource_3 +valid/);
    await browser.expect('entities set browser absent -r crashed', 0, /refs: invalid/);
    expect(await browser.entityStatuses()).toMatchObject({ browser: 'absent', refs: 'invalid' });
    await browser.expect('entities set resource/resource_3 invalid', 0, /resource\/resource_3: invalid/);
    await browser.expect('entities reset session', 0, /^(?!.*invalid).*session: absent/s);
    await browser.expect('entities reset', 0, /resource\/resource_3: absent/);
    await browser.expect('entities reset', 0, /Nothing changed/);
    expect(Object.values(await browser.entityStatuses())).toEqual(['absent', 'absent', 'absent', 'absent']);
  });

  it('is checked: a line that cannot be read stops what would write, until it is set aside', async () => {
    const browser = new Browser();
    await browser.do('open');
    const path = join(browser.root, '.state/entities.jsonl');
    fs.writeFileSync(path, `{"kind":\n${fs.readFileSync(path, 'utf8')}`);
    await browser.expect('do snapshot', 74, /entities\.jsonl, line 1, cannot be read/, /check --repair/);
    await browser.expect('check', 1, /entities\.jsonl, line 1/);
    await browser.expect('check --repair', 0, /line 1 of the log of entities could not be read/);
    await browser.do('snapshot');
  });

  it('stays as it is when old runs are removed, and is set aside by nothing else', async () => {
    const browser = new Browser();
    await browser.do('open', 'snapshot', 'click --arg ref=@e1', 'acquire --arg n=1');
    const before = await browser.entities();
    await browser.expect('clean --days 0', 0);
    expect(await browser.entities()).toEqual(before);
    expect(fs.readFileSync(join(browser.root, '.state/entities.jsonl'), 'utf8').trim().split('\n')).toHaveLength(3);
  });
});
