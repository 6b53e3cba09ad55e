import { existsSync, readFileSync } from 'node:fs';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { processIdentity } from '../../src/store/filesystem/lock/process-identity.ts';
import { plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline, gatelineYml, type Answer } from './in-process.ts';

/** Leaves a server that answers with a file of the folder in which its gate worked, and prints its port. */
const SERVE = `
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
const program = \`
  const { createServer } = require('node:http');
  const { readFileSync } = require('node:fs');
  const server = createServer((_, response) => {
    try { response.end(readFileSync('page.txt')); } catch (error) { response.writeHead(500).end(String(error)); }
  });
  server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port, pid: process.pid })));
  setTimeout(() => process.exit(), 60000);
\`;
const child = spawn(process.execPath, ['-e', program], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
child.stdout.once('data', (line) => {
  if (process.env.OUTPUT !== 'none') writeFileSync(process.env.GATELINE_OUTPUT, String(line));
  writeFileSync(process.env.SEEN, String(line));
  process.exit(0);
});
`;
const ASK = `
import { readFileSync, writeFileSync } from 'node:fs';
const { entities } = JSON.parse(readFileSync(process.env.GATELINE_REQUEST, 'utf8'));
const answer = await fetch('http://127.0.0.1:' + entities.server.output.port);
writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify(await answer.text()));
`;

const serve = {
  run: 'node serve.mjs',
  inputs: ['serve.mjs', 'page.txt'],
  env: { SEEN: null, OUTPUT: '' },
  creates: 'server',
  leaves: 'processes',
};
const ask = { run: 'node ask.mjs', inputs: ['ask.mjs'], needs: 'serve', requires: 'server', reuse: 'never' };
const entities = { server: { lifetime: 'machine' } };

interface Server {
  readonly port: number;
  readonly pid: number;
}

class Project implements AsyncDisposable {
  readonly workspace: ScratchWorkspace;
  readonly trees: string;
  readonly seen: string;
  /** How many days later a command runs. */
  days = 0;

  private constructor(workspace: ScratchWorkspace) {
    this.workspace = workspace;
    this.trees = workspace.beside('trees');
    this.seen = workspace.beside('seen');
  }

  static async create(gates: Record<string, object>): Promise<Project> {
    const files = { 'serve.mjs': SERVE, 'ask.mjs': ASK, 'page.txt': 'hello' };
    return new Project(await ScratchWorkspace.create({ 'gateline.yml': gatelineYml(gates, { entities }), ...files }));
  }

  run(...args: string[]): Promise<Answer> {
    const environment = plainEnvironment({ SEEN: this.seen, GATELINE_TREES: this.trees });
    const now = (): Date => new Date(Date.now() + this.days * 86_400_000);
    return gateline(this.workspace.root, args, { environment, now });
  }

  server(): Server {
    return JSON.parse(readFileSync(this.seen, 'utf8')) as Server;
  }

  async answer(): Promise<string> {
    return (await fetch(`http://127.0.0.1:${this.server().port}`)).text();
  }

  async status(): Promise<string> {
    const { out } = await this.run('entities', 'show', 'server', '--json');
    return (JSON.parse(out) as { entities: { status: string }[] }).entities.map(({ status }) => status).join(' ');
  }

  /** What the record of the gate says was created. */
  async recorded(): Promise<{ readonly processes: object[] }> {
    const runs = join(this.workspace.root, '.state/runs');
    const name = (await readdir(runs, { recursive: true })).find((one) => /serve.*ended/.test(one))!;
    const record = JSON.parse(readFileSync(join(runs, name), 'utf8')) as {
      effects: { creates: [{ processes: object[] }] };
    };
    return record.effects.creates[0];
  }

  /** As if Gateline had been killed before it noted that the processes stay. */
  async forgetKept(): Promise<void> {
    const folder = join(this.workspace.root, '.state/attempts');
    const kept = (await readdir(folder, { recursive: true })).find((one) => one.endsWith('kept-process.json'));
    expect(kept).toBeDefined();
    await rename(join(folder, kept!), join(folder, kept!.replace('kept-', '')));
  }

  /** The work trees that exist. */
  async slots(): Promise<string[]> {
    const [folder = ''] = await readdir(this.trees);
    return (await readdir(join(this.trees, folder))).filter((name) => name !== 'next');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.run('entities', 'reset', '--reason', 'the test is over');
    await this.workspace[Symbol.asyncDispose]();
  }
}

describe('a gate that leaves processes', () => {
  it('has an entity as long as they run, in the folder where they were started', async () => {
    await using project = await Project.create({ serve, ask });
    const first = await project.run('run', '-q');
    expect(first.code, first.err + first.out).toBe(0);
    const server = project.server();
    expect(await project.status()).toBe('valid');
    // Everything that another run ends and sweeps leaves them alone, and the gate is reused.
    const again = await project.run('run', '--json');
    expect(JSON.parse(again.out)).toMatchObject({ status: 'completed' });
    expect([project.server(), await project.answer()]).toEqual([server, 'hello']);
    const { out } = await project.run('doctor');
    expect(out).toContain(`process ${server.pid} runs, left by serve for server`);
    expect(out).not.toContain('WORK_TREE_LEFT');
    process.kill(server.pid, 'SIGKILL');
    await sleep(100);
    expect(await project.status()).toBe('expired');
    expect((await project.run('plan')).out).toContain('server is not valid');
    expect((await project.run('run', '-q')).code).toBe(0);
    expect(project.server().pid).not.toBe(server.pid);
    expect(await project.answer()).toBe('hello');
  }, 60_000);

  it('records who they are, and only a reset ends them', async () => {
    await using project = await Project.create({ serve });
    await project.run('run', '-q');
    const server = project.server();
    const { processes } = await project.recorded();
    const { boot, pidStart } = await processIdentity();
    expect(pidStart).not.toBe('');
    expect(processes).toEqual([expect.objectContaining({ pid: server.pid, boot })]);
    await project.forgetKept();
    await project.run('run', '-q');
    expect(await project.answer()).toBe('hello');
    const slots = await project.slots();
    await project.run('entities', 'reset', 'server', '--reason', 'done');
    await expect(project.answer()).rejects.toThrow('fetch failed');
    expect((await project.run('doctor')).out).not.toContain('PROCESS_LEFT');
    await project.run('run', '-q');
    expect((await project.slots()).filter((one) => slots.includes(one))).toEqual([]);
  }, 60_000);

  it.each([
    ['a run of another subject', ['run', '-q', '--subject', 'other']],
    ['a set', ['run', '-q', '--set', 'set.json']],
    ['a loop', ['loop', 'set.json', '-q']],
    ['a rollback', ['rollback', '--all', '--reason', 'x']],
  ])(
    'is not ended by what runs next: %s',
    async (_, command) => {
      await using project = await Project.create({ serve, quick: { run: 'echo 1 > "$GATELINE_OUTPUT"' } });
      const subjects = [{ id: 'other', task: 'do it' }];
      await project.workspace.write('set.json', JSON.stringify({ format: 'gateline-set/1', subjects }));
      await project.run('run', '-q');
      const { port } = project.server();
      await project.forgetKept();
      const { code, out, err } = await project.run(...command);
      expect([0, 1], out + err).toContain(code);
      const answer = fetch(`http://127.0.0.1:${port}`).then((response) => response.text());
      await expect(answer).resolves.toBe('hello');
      await project.run('entities', 'reset', '--reason', 'the test is over', '--subject', 'other');
    },
    60_000,
  );

  it('leaves none when it did not pass', async () => {
    const gate = { ...serve, env: { ...serve.env, OUTPUT: 'none' }, output: { schema: { type: 'object' } } };
    await using project = await Project.create({ serve: gate });
    expect((await project.run('run', '-q')).code).toBe(1);
    await expect(project.answer()).rejects.toThrow('fetch failed');
    expect(existsSync(project.seen)).toBe(true);
  }, 60_000);

  it('stays with its run when old runs are removed, until a reset', async () => {
    await using project = await Project.create({ serve });
    await project.run('run', '-q');
    for (const page of ['2', '3']) {
      await project.workspace.write('page.txt', page);
      await project.run('run', '-q');
    }
    project.days = 1;
    const old = ['--older', '1h', '--keep', '1'];
    const cleaned = await project.run('clean', ...old);
    expect(cleaned.err).toMatch(
      /note: run 1 of \S+ stays: process \d+ runs, of serve\. `gateline entities reset NAME --reason TEXT` ends/,
    );
    expect(cleaned.out).toContain('Removed 0 runs');
    await project.run('entities', 'reset', '--reason', 'done');
    const again = await project.run('clean', ...old);
    expect(again.err + again.out).toContain('Removed 2 runs');
  }, 60_000);
});
