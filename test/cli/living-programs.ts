import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import { CHROMIUM } from '../support/chromium.ts';
import { isRunning } from '../agent/attempt.ts';
import { COMMAND_LINE, plainEnvironment, REPOSITORY } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline, type Answer } from './in-process.ts';

/** Milliseconds in which something happens, on a machine that does much else. */
const SOON = { timeout: 60_000 };

/** A command that waits half-way, until somebody ends it. */
export interface HalfWay {
  /** The Gateline that started it. */
  readonly gateline: ChildProcess & { readonly pid: number };
  /** The pid of the program itself. */
  readonly program: number;
  /** Ends them with SIGKILL, and waits until they are gone. */
  readonly kill: (which: 'gateline' | 'program' | 'both') => Promise<void>;
}

/** A workspace with entities that live in programs of the test. What still runs at its end is ended. */
export class LivingProject implements AsyncDisposable {
  readonly workspace: ScratchWorkspace;
  readonly #started = new Set<number>();

  private constructor(workspace: ScratchWorkspace) {
    this.workspace = workspace;
  }

  static async create(definition: object, files: Record<string, string>): Promise<LivingProject> {
    const text = JSON.stringify({ pipeline: 'p', gates: { none: {} }, ...definition });
    return new LivingProject(await ScratchWorkspace.create({ 'gateline.yml': text, ...files }));
  }

  run(...args: string[]): Promise<Answer> {
    return gateline(this.workspace.root, args, { environment: this.#environment() });
  }

  /** Runs a command that must pass. @returns what it printed */
  async value(...args: string[]): Promise<unknown> {
    const { code, out, err } = await this.run('do', ...args, '--json');
    expect(code, err + out).toBe(0);
    return (JSON.parse(out) as { value: unknown }).value;
  }

  /** The status of each entity, or of each of its instances. */
  async status(): Promise<Record<string, string>> {
    const { entities } = JSON.parse((await this.run('entities', '--json')).out) as {
      entities: { entity: string; instance: string; status: string }[];
    };
    return Object.fromEntries(
      entities.map(({ entity, instance, status }) => [instance === '' ? entity : `${entity}/${instance}`, status]),
    );
  }

  /** Starts a command, and waits until its program has done what it does, and holds. @param verb of the program */
  async halfWay(verb: string, ...args: string[]): Promise<HalfWay> {
    const child = spawn(process.execPath, [COMMAND_LINE, 'do', ...args], {
      cwd: this.workspace.root,
      env: { ...this.#environment(), HOLD: verb },
      stdio: 'ignore',
    }) as HalfWay['gateline'];
    const marker = this.workspace.path('half-way');
    const read = async (): Promise<number> => Number(await readFile(marker, 'utf8').catch(() => ''));
    await expect.poll(read, SOON).toBeGreaterThan(0);
    const program = await read();
    await rm(marker);
    this.#started.add(program).add(child.pid);
    const kill: HalfWay['kill'] = async (which) => {
      const exited = once(child, 'exit');
      if (which !== 'program') child.kill('SIGKILL');
      if (which !== 'gateline') process.kill(program, 'SIGKILL');
      await exited;
    };
    return { gateline: child, program, kill };
  }

  /** Ends a process with the test, also if that fails. */
  endLater(pid: number): void {
    this.#started.add(pid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.run('entities', 'reset', '--reason', 'the test is over');
    for (const pid of this.#started) if (await isRunning(pid)) process.kill(pid, 'SIGKILL');
    await this.workspace[Symbol.asyncDispose]();
  }

  #environment(): Record<string, string> {
    const playwright = pathToFileURL(join(REPOSITORY, 'node_modules/playwright-core/index.mjs')).href;
    return plainEnvironment({ PLAYWRIGHT: playwright, PROFILES: this.workspace.beside('profile-') });
  }
}

/** Waits until an entity, or instance, has this status. */
export async function becomes(project: LivingProject, entity: string, status: string): Promise<void> {
  await expect.poll(async () => (await project.status())[entity], SOON).toBe(status);
}

/** Waits until a process is gone. */
export async function gone(pid: number): Promise<void> {
  await expect.poll(() => isRunning(pid), SOON).toBe(false);
}

/** For programs: where it stops if the test asks for that, until it is killed. */
const HALF_WAY = `
const halfWay = async () => {
  if (process.env.HOLD !== verb) return;
  const { renameSync, writeFileSync } = await import('node:fs');
  writeFileSync('half-way.new', String(process.pid));
  renameSync('half-way.new', 'half-way');
  setInterval(() => {}, 1000);
  await new Promise(() => {});
};
`;

/** A server of a pool that holds a database: it stays when the command that started it has ended. */
export const SERVER = `
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
const [verb, port] = process.argv.slice(2);
${HALF_WAY}
const ask = async (path) => {
  const answer = await fetch('http://127.0.0.1:' + port + path);
  const text = await answer.text();
  if (!answer.ok) { console.error(text); process.exit(1); }
  await halfWay();
  console.log(text);
};
if (verb === 'acquire') {
  const child = spawn(process.execPath, ['server.mjs', 'serve'], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.once('data', async (line) => {
    if (process.env.HOLD) (await import('node:fs')).writeFileSync('acquired.json', line);
    await halfWay();
    console.log(String(line).trim());
    process.exit(0);
  });
} else if (verb === 'serve') {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(':memory:');
  database.exec('create table notes (text text); create table sessions (token text)');
  const count = () => database.prepare('select count(*) as count from notes').get();
  const routes = {
    '/begin': () => database.exec('begin'),
    '/add': () => database.exec("insert into notes values ('x')"),
    '/commit': () => database.exec('commit'),
    '/rollback': () => database.exec('rollback'),
    '/stop': () => void setTimeout(() => process.exit(0), 50),
    '/count': count,
    '/login': () => database.prepare('insert into sessions values (hex(randomblob(8))) returning token').get(),
  };
  const withToken = (token) => ({
    '/whoami': () => database.prepare('select token from sessions where token = ?').get(token) ?? { token: null },
    '/logout': () => database.prepare('delete from sessions where token = ?').run(token),
  });
  const server = createServer((request, response) => {
    if (request.url === '/hang') return;
    try {
      const [path, token] = request.url.split('?');
      response.end(JSON.stringify({ ...routes, ...withToken(token) }[path]() ?? count()));
    } catch (error) { response.writeHead(500).end(String(error)); }
  });
  server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port, pid: process.pid })));
} else await ask('/' + verb);
`;

/** What a server prints when it is there. */
export interface Server {
  readonly port: number;
  readonly pid: number;
}

/** The commands of a pool. */
export const POOL = {
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

/** Speaks with the one server of a session: where it is, and with which token, is in the request. */
export const CLIENT = `
import { readFileSync } from 'node:fs';
const [verb] = process.argv.slice(2);
${HALF_WAY}
const { connection, auth_token: session } = JSON.parse(readFileSync(process.env.GATELINE_REQUEST, 'utf8')).entities;
const answer = await fetch('http://127.0.0.1:' + connection.value.port + '/' + verb + '?' + (session?.value.token ?? ''));
const text = await answer.text();
await halfWay();
console.log(text);
`;

const WHOAMI = { syntax: 'node client.mjs whoami', requires: ['connection', 'auth_token'], returns: 'token' };

/** The commands of UASP's "Session Management". */
export const SESSION = {
  entities: {
    connection: { lifetime: 'machine', properties: ['port'] },
    auth_token: { 'depends-on': 'connection', properties: ['token'] },
  },
  commands: {
    connect: { syntax: 'node server.mjs acquire', creates: 'connection', leaves: 'processes' },
    login: { syntax: 'node client.mjs login', requires: 'connection', creates: 'auth_token' },
    whoami: WHOAMI,
    again: { ...WHOAMI, 'on-invalid': 'recover' },
    logout: {
      syntax: 'node client.mjs logout',
      requires: ['connection', 'auth_token'],
      invalidates: 'auth_token',
    },
    disconnect: {
      syntax: 'node client.mjs stop',
      requires: 'connection',
      invalidates: ['connection', 'auth_token'],
    },
  },
};

const PAGE =
  'data:text/html,<button>one</button><button>two</button><p>0</p><script>for (const b of document.querySelectorAll("button")) b.onclick = () => { const p = document.querySelector("p"); p.textContent = Number(p.textContent) + 1; for (const one of document.querySelectorAll("button")) one.removeAttribute("data-ref"); }</script>';

/** UASP's agent-browser on a real one, over CDP: each command connects anew. */
export const BROWSER = `
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
const [verb, ref] = process.argv.slice(2);
${HALF_WAY}
if (verb === 'open') {
  const profile = mkdtempSync(process.env.PROFILES);
  const options = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--remote-debugging-port=0', '--user-data-dir=' + profile];
  const child = spawn(process.argv[3], [...options, '${PAGE}'], { detached: true, stdio: 'ignore' });
  const port = async () => {
    const file = profile + '/DevToolsActivePort';
    const [text] = existsSync(file) ? readFileSync(file, 'utf8').split('\\n') : [];
    const pages = await fetch('http://127.0.0.1:' + text + '/json/list').then((answer) => answer.json(), () => []);
    return pages.some(({ type, url }) => type === 'page' && url.startsWith('data:')) ? Number(text) : undefined;
  };
  for (let tries = 0; tries < 600; tries += 1) {
    const found = await port();
    if (found !== undefined) { console.log(JSON.stringify({ port: found, pid: child.pid })); process.exit(0); }
    await new Promise((done) => setTimeout(done, 100));
  }
  process.exit(1);
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
if (verb === 'click') await page.click('[data-ref="' + ref + '"]', { timeout: 20000 });
if (verb === 'text') console.log(await page.textContent('p'));
await halfWay();
process.exit(0);
`;

const CLICK = { syntax: 'node browser.mjs click <ref>', requires: ['browser', 'refs'], invalidates: 'refs' };

/** The commands of the agent-browser. */
export const AGENT_BROWSER = {
  entities: { browser: { lifetime: 'machine' }, refs: { format: '@e{n}', 'depends-on': 'browser' } },
  commands: {
    open: { syntax: `node browser.mjs open ${CHROMIUM}`, creates: 'browser', leaves: 'processes' },
    snapshot: { syntax: 'node browser.mjs snapshot', requires: 'browser', creates: 'refs', invalidates: 'refs' },
    click: CLICK,
    press: { ...CLICK, 'on-invalid': 'recover' },
    text: { syntax: 'node browser.mjs text', requires: 'browser', returns: 'text' },
  },
};
