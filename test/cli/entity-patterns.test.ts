import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EntityView } from '../../src/local/entities/entities.ts';
import { bundlePrograms } from '../support/runner/bundle.ts';
import { Project } from './support.ts';

/**
 * A database (SQLite) behind a server that outlives commands, since a transaction belongs to a connection; and a pool of
 * files. With `hang` in the folder, a command does its work, says so, and never ends.
 */
const PROGRAM = `
import * as fs from 'node:fs';
import * as net from 'node:net';
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
const [verb, ...rest] = process.argv.slice(2);
const SOCKET = process.env.SOCKET;
const ask = (line) => new Promise((resolve, reject) => {
  const socket = net.connect(SOCKET).setEncoding('utf8').once('error', reject);
  socket.once('data', (answer) => (socket.end(), resolve(JSON.parse(answer))));
  socket.write(line);
});
const print = (value) => console.log(JSON.stringify(value));
const work = {
  async serve() {
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync('data.sqlite');
    database.exec('CREATE TABLE IF NOT EXISTS items (text TEXT)');
    const answer = (sql) => {
      try {
        if (sql === 'END') return database.close(), setTimeout(() => process.exit(), 50), 'ok';
        return sql.startsWith('SELECT') ? database.prepare(sql).all() : (database.exec(sql), 'ok');
      } catch (error) {
        return { error: error.message };
      }
    };
    net.createServer((socket) => socket.on('data', (sql) => socket.write(JSON.stringify(answer(String(sql)))))).listen(SOCKET);
  },
  async connect() {
    const server = spawn(process.execPath, [process.argv[1], 'serve'], { detached: true, stdio: 'ignore' });
    server.unref();
    while (!(await ask('SELECT 1').catch(() => undefined))) await sleep(10);
    print({ pid: server.pid });
  },
  async disconnect() {
    await ask('END');
    fs.rmSync(SOCKET, { force: true });
  },
  async sql() {
    const result = await ask(rest[0]);
    if (result.error) throw new Error(result.error);
    print(result);
  },
  async acquire() {
    const id = [1, 2, 3, 4, 5].find((n) => !fs.existsSync('resource_' + n));
    fs.writeFileSync('resource_' + id, '');
    print({ id });
  },
  async release() {
    fs.rmSync(rest[0]);
  },
};
await work[verb]();
if (fs.existsSync('hang')) {
  fs.writeFileSync('hangs', String(process.pid));
  await sleep(600_000);
}
`;

const ends = { requires: 'transaction', invalidates: 'transaction' };
const command = (words: string, use: object) => ({ syntax: `node program.mjs ${words}`, ...use });
const DEFINITION = {
  pipeline: 'store',
  entities: {
    connection: null,
    transaction: { 'depends-on': 'connection' },
    resource: { format: 'resource_{id}' },
  },
  commands: {
    connect: command('connect', { creates: 'connection' }),
    disconnect: command('disconnect', { requires: 'connection', invalidates: 'connection' }),
    begin: command('sql BEGIN', { requires: 'connection', creates: 'transaction', 'on-invalid': 'recover' }),
    insert: command('sql <sql>', { requires: 'transaction' }),
    commit: command('sql COMMIT', ends),
    rollback: command('sql ROLLBACK', ends),
    count: command("sql 'SELECT count(*) AS n FROM items'", { requires: 'connection', 'on-invalid': 'recover' }),
    acquire: command('acquire', { creates: 'resource' }),
    release: command('release <resource>', { requires: 'resource', invalidates: 'resource' }),
  },
  gates: { none: { run: 'true' } },
};
const INSERT = ['insert', '--arg', "sql=INSERT INTO items VALUES ('x')"];

/** A bundle starts in half of the time of the sources. */
const CLI = join(await bundlePrograms(), 'cli.mjs');

class Store extends Project implements AsyncDisposable {
  constructor() {
    super({ 'gateline.yml': JSON.stringify(DEFINITION), 'program.mjs': PROGRAM });
    this.environment['SOCKET'] = join(this.outside, 'socket');
    this.environment['NODE_NO_WARNINGS'] = '1';
  }

  async do(...words: readonly string[]): Promise<string> {
    const { exit, out, err } = await this.gateline('do', ...words);
    return exit === 0 ? out.trim() : `${exit}: ${err}`;
  }

  /** A command in a process of its own. */
  spawn(...words: readonly string[]) {
    const child = spawn(process.execPath, [CLI, 'do', ...words], {
      cwd: this.root,
      env: this.environment,
      stdio: 'ignore',
    });
    return { child, exit: new Promise<number | null>((resolve) => child.once('exit', resolve)) };
  }

  /** Ends a command and its program when that has done its work, and before anybody knows. */
  async killHalfWay(...words: readonly string[]): Promise<void> {
    this.write('hang', '');
    const { child, exit } = this.spawn(...words);
    await expect.poll(() => this.read('hangs')).toMatch(/^\d+$/);
    child.kill('SIGKILL');
    await exit;
    process.kill(Number(this.read('hangs')), 'SIGKILL');
    this.remove('hang');
    this.remove('hangs');
    const users = async () => Object.values(await this.entities()).filter(({ user }) => user !== undefined);
    await expect.poll(users).toEqual([]);
  }

  async entities(): Promise<Record<string, EntityView>> {
    const { entities } = await this.json<{ entities: EntityView[] }>('entities');
    return Object.fromEntries(entities.map((view) => [view.instance || view.entity, view]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { connection } = await this.entities();
    if (connection?.status === 'valid') await this.do('disconnect');
  }
}

describe('a transaction in a database whose server outlives commands', () => {
  it('ends by commit or rollback, once', async () => {
    await using store = new Store();
    expect(await store.do(...INSERT)).toContain("1: error: Required state 'transaction' is not valid");
    expect(await store.do('begin')).toMatch(/"ok"$/);
    await store.do(...INSERT);
    expect(await store.do('commit')).toBe('"ok"');
    expect(await store.do('rollback')).toContain('transaction: commit made it invalid.');
    await store.do('begin');
    await store.do(...INSERT);
    await store.do('rollback');
    expect(await store.do('count')).toBe('[{"n":1}]');
    await store.do('begin');
    await store.do('disconnect');
    expect(await store.entities()).toMatchObject({
      connection: { status: 'invalid' },
      transaction: { status: 'invalid' },
    });
    // A new connection: what was not committed is gone.
    expect(await store.do('count')).toMatch(/\[\{"n":1\}\]$/);
  });

  it.each(['commit', 'rollback', 'begin'])(
    'is nobody knows what when `%s` is killed half-way: nothing uses it',
    async (killed) => {
      await using store = new Store();
      await store.do('connect');
      if (killed !== 'begin') await store.do('begin');
      if (killed !== 'begin') await store.do(...INSERT);
      await store.killHalfWay(killed);
      expect((await store.entities())['transaction']).toMatchObject({
        status: 'invalid',
        cause: `${killed} was killed`,
      });
      expect(await store.do(...INSERT)).toContain(`transaction: ${killed} was killed.`);
      // The way out: another connection, and then everything goes on.
      await store.do('disconnect');
      await store.do('begin');
      await store.do(...INSERT);
      await store.do('commit');
      expect(await store.do('count')).toBe(`[{"n":${killed === 'commit' ? 2 : 1}}]`);
    },
  );
});

describe('a pool of resources', () => {
  it('gives each of four callers at once another one, and takes them back one by one', async () => {
    const store = new Store();
    const callers = Array.from({ length: 4 }, () => store.spawn('acquire', '--wait'));
    expect(await Promise.all(callers.map(({ exit }) => exit))).toEqual([0, 0, 0, 0]);
    const names = ['resource_1', 'resource_2', 'resource_3', 'resource_4'];
    const valid = async () =>
      Object.entries(await store.entities())
        .flatMap(([name, { status }]) => (status === 'valid' ? name : []))
        .toSorted();
    expect(await valid()).toEqual(names);
    await Promise.all(['1', '2'].map((id) => store.spawn('release', '--arg', `resource=resource_${id}`).exit));
    expect(await valid()).toEqual(names.slice(2));
    expect(await store.do('release', '--arg', 'resource=resource_1')).toContain('resource: release made it invalid.');
  });

  it('has no valid resource any more when `acquire` is killed half-way: any may be the one', async () => {
    const store = new Store();
    await store.do('acquire');
    await store.killHalfWay('acquire');
    expect(await store.entities()).toMatchObject({ resource_1: { status: 'invalid', cause: 'acquire was killed' } });
    await store.expect('entities set resource/resource_1 valid', 0);
    expect(await store.do('release', '--arg', 'resource=1')).not.toContain('error');
  });
});
