import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CHROMIUM, hasChromium } from '../support/chromium.ts';
import { COMMAND_LINE, plainEnvironment, REPOSITORY } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline, type Answer } from './in-process.ts';

class Project implements AsyncDisposable {
  readonly workspace: ScratchWorkspace;

  private constructor(workspace: ScratchWorkspace) {
    this.workspace = workspace;
  }

  static async create(definition: object, files: Record<string, string>): Promise<Project> {
    const text = JSON.stringify({ pipeline: 'p', gates: { none: {} }, ...definition });
    return new Project(await ScratchWorkspace.create({ 'gateline.yml': text, ...files }));
  }

  run(...args: string[]): Promise<Answer> {
    const playwright = pathToFileURL(join(REPOSITORY, 'node_modules/playwright-core/index.mjs')).href;
    const environment = plainEnvironment({ PLAYWRIGHT: playwright });
    return gateline(this.workspace.root, args, { environment });
  }

  async value(...args: string[]): Promise<unknown> {
    const { code, out, err } = await this.run('do', ...args, '--json');
    expect(code, err + out).toBe(0);
    return (JSON.parse(out) as { value: unknown }).value;
  }

  async status(): Promise<Record<string, string>> {
    const { entities } = JSON.parse((await this.run('entities', '--json')).out) as {
      entities: { entity: string; instance: string; status: string }[];
    };
    return Object.fromEntries(
      entities.map(({ entity, instance, status }) => [instance === '' ? entity : `${entity}/${instance}`, status]),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.run('entities', 'reset', '--reason', 'the test is over');
    await this.workspace[Symbol.asyncDispose]();
  }
}

/** A server of a pool that holds a database: it stays when the command that started it has ended. */
const SERVER = `
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
const [verb, port] = process.argv.slice(2);
const ask = async (path) => {
  const answer = await fetch('http://127.0.0.1:' + port + path);
  const text = await answer.text();
  if (!answer.ok) { console.error(text); process.exit(1); }
  console.log(text);
};
if (verb === 'acquire') {
  const child = spawn(process.execPath, ['server.mjs', 'serve'], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.once('data', (line) => { console.log(String(line).trim()); process.exit(0); });
} else if (verb === 'serve') {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(':memory:');
  database.exec('create table notes (text text)');
  const routes = {
    '/begin': () => database.exec('begin'),
    '/add': () => database.exec("insert into notes values ('x')"),
    '/commit': () => database.exec('commit'),
    '/rollback': () => database.exec('rollback'),
    '/stop': () => setTimeout(() => process.exit(0), 50),
    '/count': () => undefined,
  };
  const server = createServer((request, response) => {
    if (request.url === '/hang') return;
    try {
      routes[request.url]();
      response.end(JSON.stringify({ count: database.prepare('select count(*) as count from notes').get().count }));
    } catch (error) { response.writeHead(500).end(String(error)); }
  });
  server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port, pid: process.pid })));
} else await ask('/' + verb);
`;

const POOL = {
  entities: {
    server: { format: 'server_{port}', lifetime: 'machine' },
    transaction: { format: 'transaction_{port}', 'depends-on': 'server' },
  },
  commands: {
    acquire: { syntax: 'node server.mjs acquire', creates: 'server', leaves: 'processes' },
    count: { syntax: 'node server.mjs count <port>', requires: 'server', returns: 'count' },
    begin: { syntax: 'node server.mjs begin <port>', requires: 'server', creates: 'transaction' },
    add: { syntax: 'node server.mjs add <port>', requires: ['server', 'transaction'] },
    commit: { syntax: 'node server.mjs commit <port>', requires: 'transaction', invalidates: 'transaction' },
    hang: { syntax: 'node server.mjs hang <port>', requires: 'transaction', invalidates: 'transaction' },
    undo: { syntax: 'node server.mjs rollback <port>', requires: 'server', invalidates: 'transaction' },
    rollback: { syntax: 'node server.mjs rollback <port>', requires: 'transaction', invalidates: 'transaction' },
    release: { syntax: 'node server.mjs stop <port>', requires: 'server', invalidates: 'server' },
  },
};

interface Server {
  readonly port: number;
  readonly pid: number;
}

describe('a pool of servers, and transactions in them', () => {
  it('live as long as their processes, and end with them', async () => {
    await using project = await Project.create(POOL, { 'server.mjs': SERVER });
    const first = (await project.value('acquire')) as Server;
    const second = (await project.value('acquire')) as Server;
    const port = ({ port: number }: Server): string => `port=${number}`;
    expect(await project.status()).toMatchObject({
      [`server/server_${first.port}`]: 'valid',
      [`server/server_${second.port}`]: 'valid',
    });
    expect((await project.run('do', 'add', '--arg', port(first))).err).toContain("'transaction' is not valid");
    await project.value('begin', '--arg', port(first));
    expect((await project.run('do', 'add', '--arg', port(first))).code).toBe(0);
    await project.value('rollback', '--arg', port(first));
    expect(await project.value('count', '--arg', port(first))).toEqual({ count: 0 });
    expect((await project.run('do', 'commit', '--arg', port(first))).code).toBe(1);
    await project.value('begin', '--arg', port(first));
    await project.run('do', 'add', '--arg', port(first));
    await project.value('commit', '--arg', port(first));
    expect(await project.value('count', '--arg', port(first))).toEqual({ count: 1 });
    await project.value('release', '--arg', port(first));
    expect(await project.status()).toMatchObject({
      [`server/server_${first.port}`]: 'invalid',
      [`server/server_${second.port}`]: 'valid',
    });
    await project.value('begin', '--arg', port(second));
    process.kill(second.pid, 'SIGKILL');
    await sleep(200);
    expect(await project.status()).toMatchObject({
      [`server/server_${second.port}`]: 'expired',
      [`transaction/transaction_${second.port}`]: 'expired',
    });
    expect((await project.run('do', 'count', '--arg', port(second))).err).toContain('STATE_INVALID');
  }, 60_000);

  it('are there after a command was killed half-way, and what it used up is not', async () => {
    await using project = await Project.create(POOL, { 'server.mjs': SERVER });
    const { port } = (await project.value('acquire')) as Server;
    const at = ['--arg', `port=${port}`];
    const transaction = `transaction/transaction_${port}`;
    await project.value('begin', ...at);
    await project.run('do', 'add', ...at);
    const child = spawn(process.execPath, [COMMAND_LINE, 'do', 'hang', ...at], {
      cwd: project.workspace.root,
      env: plainEnvironment(),
      stdio: 'ignore',
    });
    await expect.poll(async () => (await project.status())[transaction], { timeout: 20_000 }).toBe('invalid');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await project.status()).toMatchObject({ [`server/server_${port}`]: 'valid', [transaction]: 'invalid' });
    expect((await project.run('do', 'commit', ...at)).code).toBe(1);
    // The database still has the transaction; a command that requires only the server ends it.
    await project.value('undo', ...at);
    await project.value('begin', ...at);
    await project.run('do', 'add', ...at);
    await project.value('commit', ...at);
    expect(await project.value('count', ...at)).toEqual({ count: 1 });
  }, 60_000);

  it('are ended by a reset, and by nothing else', async () => {
    await using project = await Project.create(POOL, { 'server.mjs': SERVER });
    const { port } = (await project.value('acquire')) as Server;
    await project.run('run', '-q');
    expect(await project.value('count', '--arg', `port=${port}`)).toEqual({ count: 0 });
    const other = (await project.value('acquire')) as Server;
    await project.run('entities', 'reset', `server/server_${other.port}`, '--reason', 'one of them');
    await expect(fetch(`http://127.0.0.1:${other.port}/count`)).rejects.toThrow('fetch failed');
    expect(await project.value('count', '--arg', `port=${port}`)).toEqual({ count: 0 });
    expect((await project.run('doctor')).out).toMatch(/PROCESS_LEFT .*process \d+ runs, left by acquire for server/);
    await project.run('entities', 'reset', 'server', '--reason', 'done');
    expect((await project.run('doctor')).out).not.toContain('PROCESS_LEFT');
    await expect(fetch(`http://127.0.0.1:${port}/count`)).rejects.toThrow('fetch failed');
    expect(await project.status()).toEqual({ server: 'absent', transaction: 'absent' });
  }, 60_000);
});

/** UASP's agent-browser on a real one, over CDP: each command connects anew. */
const BROWSER = `
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
const [verb, ref] = process.argv.slice(2);
const PAGE = 'data:text/html,<button>one</button><button>two</button><p>0</p><script>for (const b of document.querySelectorAll("button")) b.onclick = () => { const p = document.querySelector("p"); p.textContent = Number(p.textContent) + 1; for (const one of document.querySelectorAll("button")) one.removeAttribute("data-ref"); }</script>';
if (verb === 'open') {
  const profile = mkdtempSync(join(tmpdir(), 'gateline-chromium-'));
  const options = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--remote-debugging-port=0', '--user-data-dir=' + profile];
  const child = spawn(process.argv[3], [...options, PAGE], { detached: true, stdio: 'ignore' });
  const file = join(profile, 'DevToolsActivePort');
  for (let tries = 0; tries < 300 && !existsSync(file); tries += 1) await new Promise((done) => setTimeout(done, 100));
  await new Promise((done) => setTimeout(done, 200));
  console.log(JSON.stringify({ port: Number(readFileSync(file, 'utf8').split('\\n')[0]), pid: child.pid }));
  process.exit(0);
}
const { entities } = JSON.parse(readFileSync(process.env.GATELINE_REQUEST, 'utf8'));
const { chromium } = await import(process.env.PLAYWRIGHT);
const browser = await chromium.connectOverCDP('http://127.0.0.1:' + entities.browser.value.port);
const page = browser.contexts()[0].pages()[0];
if (verb === 'snapshot') {
  const refs = await page.evaluate(() => [...document.querySelectorAll('button')].map((one, at) => {
    one.setAttribute('data-ref', '@e' + (at + 1));
    return '@e' + (at + 1);
  }));
  console.log(JSON.stringify(refs));
}
if (verb === 'click') await page.click('[data-ref="' + ref + '"]', { timeout: 2000 });
if (verb === 'text') console.log(await page.textContent('p'));
process.exit(0);
`;

describe.runIf(hasChromium('a browser as an entity'))('a browser over CDP', () => {
  it('is clicked with the references of its newest snapshot only', async () => {
    const definition = {
      entities: { browser: { lifetime: 'machine' }, refs: { format: '@e{n}', 'depends-on': 'browser' } },
      commands: {
        open: { syntax: `node browser.mjs open ${CHROMIUM}`, creates: 'browser', leaves: 'processes' },
        snapshot: { syntax: 'node browser.mjs snapshot', requires: 'browser', creates: 'refs', invalidates: 'refs' },
        click: { syntax: 'node browser.mjs click <ref>', requires: ['browser', 'refs'], invalidates: 'refs' },
        press: {
          syntax: 'node browser.mjs click <ref>',
          requires: ['browser', 'refs'],
          invalidates: 'refs',
          'on-invalid': 'recover',
        },
        text: { syntax: 'node browser.mjs text', requires: 'browser', returns: 'text' },
      },
    };
    await using project = await Project.create(definition, { 'browser.mjs': BROWSER });
    await project.value('open');
    expect(await project.value('snapshot')).toEqual(['@e1', '@e2']);
    await project.value('click', '--arg', 'ref=@e1');
    expect(await project.value('text')).toBe(1);
    // A stale reference never reaches the browser: it would wait for an element that is gone.
    const stale = await project.run('do', 'click', '--arg', 'ref=@e2');
    expect([stale.code, stale.err]).toEqual([1, expect.stringContaining("Required state 'refs' is not valid")]);
    // Recovery takes a snapshot, and clicks.
    const again = JSON.parse((await project.run('do', 'press', '--arg', 'ref=@e2', '--json')).out) as object;
    expect(again).toMatchObject({ status: 'passed', ran: ['snapshot', 'press'] });
    expect(await project.value('text')).toBe(2);
    const { pid } = (
      JSON.parse((await project.run('entities', 'show', 'browser', '--json')).out) as {
        entities: [{ value: { pid: number } }];
      }
    ).entities[0].value;
    process.kill(-pid, 'SIGKILL');
    await sleep(500);
    expect(await project.status()).toMatchObject({ browser: 'expired' });
    const fresh = JSON.parse((await project.run('do', 'press', '--arg', 'ref=@e1', '--json')).out) as object;
    expect(fresh).toMatchObject({ status: 'passed', ran: ['open', 'snapshot', 'press'] });
    expect(await project.value('text')).toBe(1);
  }, 120_000);
});
