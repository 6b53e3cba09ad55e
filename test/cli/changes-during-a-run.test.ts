import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { COMMAND_LINE, plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline, gatelineYml, type Answer } from './in-process.ts';

/** Calls the command line, one line after the other, and fails if one of them does. */
const AGENT = `
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
for (const line of process.argv.slice(2)) {
  const { status, stderr } = spawnSync(process.execPath, [process.env.CLI, ...line.split(' ')], { encoding: 'utf8' });
  if (status !== 0) { console.error(line, stderr); process.exit(status); }
}
writeFileSync(process.env.GATELINE_OUTPUT ?? 'out.json', '{}');
`;
/** Says that it is here, and waits for a file. */
const HOLD = `
import { existsSync, writeFileSync } from 'node:fs';
const [, , here, go] = process.argv;
writeFileSync(here, '');
const timer = setInterval(() => { if (existsSync(go)) { clearInterval(timer); console.log('"made"'); } }, 20);
`;

const gate = (lines: readonly string[], more: object = {}): object => ({
  run: `node agent.mjs ${lines.map((line) => `'${line}'`).join(' ')}`,
  inputs: ['agent.mjs'],
  env: { CLI: null },
  ...more,
});
const changes = (...words: string[]): string =>
  ['entities', ...words, '--reason', 'seen', '--actor', 'agent'].join(' ');

class Project implements AsyncDisposable {
  readonly workspace: ScratchWorkspace;

  private constructor(workspace: ScratchWorkspace) {
    this.workspace = workspace;
  }

  static async create(gates: Record<string, object>): Promise<Project> {
    const more = {
      entities: { page: null, refs: { 'depends-on': 'page' }, session: null, token: null },
      commands: {
        login: { syntax: 'node hold.mjs here go', creates: 'session' },
        sign: { syntax: 'node sign.mjs', requires: 'session', creates: 'token' },
      },
    };
    const files = { 'gateline.yml': gatelineYml(gates, more), 'agent.mjs': AGENT, 'hold.mjs': HOLD };
    return new Project(await ScratchWorkspace.create(files));
  }

  /** Interrupted if it takes so long that it would never end. */
  run(...args: string[]): Promise<Answer> {
    const environment = plainEnvironment({ CLI: COMMAND_LINE, GATELINE_TREES: this.workspace.beside('trees') });
    const onInterrupt = (listener: () => void): Disposable => {
      const timer = setTimeout(listener, 30_000);
      return { [Symbol.dispose]: () => clearTimeout(timer) };
    };
    return gateline(this.workspace.root, args, { environment, onInterrupt });
  }

  async states(...more: string[]): Promise<Record<string, string>> {
    const { out } = await this.run('entities', '--json', ...more);
    const { entities } = JSON.parse(out) as { entities: { entity: string; instance: string; status: string }[] };
    return Object.fromEntries(
      entities.map(({ entity, instance, status }) => [instance ? `${entity}/${instance}` : entity, status]),
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.workspace[Symbol.asyncDispose]();
  }
}

describe('changes of entities while a run works', () => {
  it('by its agents, are about its subject, and count for the gates after them', async () => {
    await using project = await Project.create({
      open: gate([changes('create', 'page'), changes('create', 'refs')]),
      read: gate([], { needs: 'open', requires: 'refs' }),
      leave: gate([changes('invalidate', 'page')], { needs: 'read' }),
      click: gate([], { needs: 'leave', requires: 'refs' }),
    });
    const { code, err, out } = await project.run('run', '-q', '--subject', 'some page');
    expect(code, err + out).toBe(1);
    expect(err + out).toContain("click: blocked: STATE_INVALID: Required state 'refs' is not valid");
    expect(await project.states('--subject', 'some page')).toMatchObject({ page: 'invalid', refs: 'invalid' });
    expect(await project.states()).toMatchObject({ page: 'absent', refs: 'absent' });
  }, 60_000);

  it('come before what the run records after them', async () => {
    await using project = await Project.create({
      leave: gate([changes('create', 'page'), changes('invalidate', 'page')]),
      open: gate([], { needs: 'leave', creates: 'page' }),
      read: gate([], { needs: 'open', requires: 'page' }),
    });
    const { code, err, out } = await project.run('run', '-q');
    expect(code, err + out).toBe(0);
    expect(await project.states()).toMatchObject({ page: 'valid' });
    await project.run('entities', 'reset', 'page', '--reason', 'anew');
    expect(await project.states()).toMatchObject({ page: 'absent' });
  }, 60_000);

  it('between two calls of a run, are part of it', async () => {
    await using project = await Project.create({
      first: gate([]),
      read: gate([], { needs: 'first', requires: 'page' }),
    });
    expect((await project.run('run', '-q')).err).toContain("Required state 'page' is not valid");
    await project.run(...changes('create', 'page').split(' '));
    const { code, out, err } = await project.run('run', '-q');
    expect(code, err + out).toBe(0);
  }, 60_000);

  it('that are made one by one, are invalidated one by one', async () => {
    await using project = await Project.create({ none: gate([]) });
    for (const name of ['session/a', 'session/b']) await project.run(...changes('create', name).split(' '));
    await project.run(...changes('invalidate', 'session/a').split(' '));
    expect(await project.states()).toMatchObject({ 'session/a': 'invalid', 'session/b': 'valid' });
  });

  it('of what is being created, wait if they shall; that it is invalid is recorded at once', async () => {
    await using project = await Project.create({ none: gate([]) });
    const isHere = (): Promise<void> =>
      expect.poll(() => existsSync(project.workspace.path('here')), { timeout: 30_000 }).toBe(true);
    const login = project.run('do', 'login');
    await isHere();
    for (const action of ['create', 'reset']) {
      const { code, err } = await project.run('entities', action, 'session', '--reason', 'x');
      expect(code, err).toBe(75);
      expect(err).toContain('ENTITY_BUSY: login creates session and has not ended');
    }
    expect((await project.run('entities', 'create', 'page', '--reason', 'x')).code).toBe(0);
    const patient = project.run('entities', 'reset', 'session', '--reason', 'x', '--wait');
    await project.workspace.write('go', '');
    expect((await login).code).toBe(0);
    expect((await patient).code).toBe(0);
    expect(await project.states()).toMatchObject({ session: 'absent', page: 'valid' });
    for (const name of ['go', 'here']) await rm(project.workspace.path(name));
    const again = project.run('do', 'login');
    await isHere();
    expect((await project.run('entities', 'invalidate', 'session', '--reason', 'restarted')).code).toBe(0);
    await project.workspace.write('go', '');
    expect((await again).code).toBe(0);
    // The server may have been restarted after the login: it is not known to be valid.
    expect(await project.states()).toMatchObject({ session: 'invalid' });
  }, 60_000);

  it('apply a command with what it required', async () => {
    await using project = await Project.create({ none: gate([]) });
    await project.run(...changes('create', 'session').split(' '));
    await project.run(...changes('apply', 'sign').split(' '));
    expect(await project.states()).toMatchObject({ session: 'valid', token: 'valid' });
    await project.run(...changes('invalidate', 'session').split(' '));
    expect(await project.states()).toMatchObject({ session: 'invalid', token: 'invalid' });
  });
});
