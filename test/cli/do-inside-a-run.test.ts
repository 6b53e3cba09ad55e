import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { COMMAND_LINE, plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline, gatelineYml, type Answer } from './in-process.ts';

/** Calls commands one after the other; its output is how they ended. */
const AGENT = `
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
const results = process.argv.slice(2).map((line) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [process.env.CLI, 'do', ...line.split(' ')], { encoding: 'utf8' });
  return { line, status, out: stdout.trim(), err: stderr.split('\\n')[0] };
});
writeFileSync(process.env.GATELINE_OUTPUT ?? 'nested.json', JSON.stringify(results));
if (!process.env.GATELINE_OUTPUT) console.log(JSON.stringify(results));
`;
const gate = (lines: readonly string[], more: object = {}): object => ({
  run: `node agent.mjs ${lines.map((line) => `'${line}'`).join(' ')}`,
  inputs: ['agent.mjs'],
  env: { CLI: null },
  ...more,
});
const say = (text: string): string =>
  `node -e "require('fs').writeFileSync('${text}.txt', ''); console.log('${text}')"`;
const DEFINITION = {
  entities: { page: null, refs: { 'depends-on': 'page' }, server: { lifetime: 'machine' } },
  commands: {
    open: { syntax: say('opened'), creates: 'page' },
    snapshot: { syntax: say('seen'), requires: 'page', creates: 'refs', returns: 'refs' },
    click: { syntax: say('clicked'), requires: 'refs', invalidates: 'refs' },
    nested: { syntax: 'node agent.mjs "click --wait"', requires: 'refs', returns: 'calls' },
    serve: {
      syntax: `node -e "require('child_process').spawn('sleep', ['60'], { detached: true, stdio: 'ignore' }).unref()"`,
      creates: 'server',
      leaves: 'processes',
    },
    hang: { syntax: 'node -e "setTimeout(() => 0, 60000)"', requires: 'refs' },
  },
};

interface Called {
  readonly line: string;
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

class Project implements AsyncDisposable {
  readonly workspace: ScratchWorkspace;

  private constructor(workspace: ScratchWorkspace) {
    this.workspace = workspace;
  }

  static async create(gates: Record<string, object>): Promise<Project> {
    const text = gatelineYml(gates, DEFINITION);
    return new Project(await ScratchWorkspace.create({ 'gateline.yml': text, 'agent.mjs': AGENT }));
  }

  environment(): Record<string, string> {
    return plainEnvironment({ CLI: COMMAND_LINE, GATELINE_TREES: this.workspace.beside('trees') });
  }

  run(...args: string[]): Promise<Answer> {
    return gateline(this.workspace.root, args, { environment: this.environment() });
  }

  async output(name: string, ...more: string[]): Promise<Called[]> {
    const { out } = await this.run('show', name, 'output', ...more);
    return JSON.parse(out) as Called[];
  }

  async states(): Promise<Record<string, string>> {
    const { out } = await this.run('entities', '--json');
    const { entities } = JSON.parse(out) as { entities: { entity: string; status: string }[] };
    return Object.fromEntries(entities.map(({ entity, status }) => [entity, status]));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.workspace[Symbol.asyncDispose]();
  }
}

describe('gateline do inside the agent of a running run', () => {
  it.each(['tree', 'in-place'])(
    'works, with the entities of its run: %s',
    async (place) => {
      const lines = ['open', 'snapshot', 'click', 'click'];
      await using project = await Project.create({ work: gate(lines, { workspace: place }) });
      const { code, err, out } = await project.run('run', '-q', '--subject', 'some page');
      expect(code, err + out).toBe(0);
      const called = await project.output('work', '--subject', 'some page');
      expect(called.map(({ status, out: text }) => [status, text])).toEqual([
        [0, 'opened'],
        [0, 'seen'],
        [0, 'clicked'],
        [1, ''],
      ]);
      expect(called[3]!.err).toContain("Required state 'refs' is not valid");
      // In the folder of the agent: a run does not change that of the user.
      expect(existsSync(project.workspace.path('clicked.txt'))).toBe(place === 'in-place');
      const { out: shown } = await project.run('entities', '--subject', 'some page', '--json');
      expect(JSON.parse(shown)).toMatchObject({
        entities: [{ status: 'valid' }, { status: 'invalid', by: 'click' }, {}],
      });
    },
    60_000,
  );

  it('leaves processes that stay when the agent has ended', async () => {
    await using project = await Project.create({ work: gate(['serve']), next: gate([], { needs: 'work' }) });
    expect((await project.run('run', '-q')).code).toBe(0);
    await project.run('run', '-q');
    expect(await project.states()).toMatchObject({ server: 'valid' });
    await project.run('entities', 'reset', 'server', '--reason', 'done');
    expect((await project.run('doctor')).out).not.toContain('PROCESS_LEFT');
  }, 60_000);

  it('is seen by the gates after it, and comes between what the run records', async () => {
    await using project = await Project.create({
      make: gate([], { creates: ['page', 'refs'] }),
      use: gate(['click'], { needs: 'make' }),
      again: gate([], { needs: 'use', creates: 'refs' }),
      last: gate(['click'], { needs: 'again' }),
      end: gate([], { needs: 'last', requires: 'refs' }),
    });
    const { code, err, out } = await project.run('run', '-q');
    expect([code, err + out]).toEqual([1, expect.stringContaining("Required state 'refs' is not valid")]);
    expect((await project.output('use'))[0]).toMatchObject({ status: 0 });
    // Valid again, by a gate: the command before it does not count as later.
    expect((await project.output('last'))[0]).toMatchObject({ status: 0 });
    expect(await project.states()).toMatchObject({ page: 'valid', refs: 'invalid' });
  }, 60_000);

  it('never waits for its own caller', async () => {
    await using project = await Project.create({
      make: gate([], { creates: ['page', 'refs'] }),
      holds: gate(['click --wait', 'nested --json'], { needs: 'make', requires: 'refs', 'timeout-minutes': 0.3 }),
    });
    const { code, err, out } = await project.run('run', '-q');
    expect(code, err + out).toBe(0);
    const [direct, nested] = await project.output('holds');
    expect(direct).toMatchObject({
      status: 2,
      err: 'gateline: ENTITY_HELD: click is called by holds, which itself uses refs',
    });
    expect(nested!.status).toBe(0);
    expect(nested!.out).toMatch(/ENTITY_HELD: click is called by (?:nested|holds), which itself uses refs/);
  }, 60_000);

  it('keeps a gate from what a command of another process uses', async () => {
    await using project = await Project.create({ spoils: gate([], { invalidates: 'refs' }) });
    await project.run('do', 'open');
    await project.run('do', 'snapshot');
    const child = spawn(process.execPath, [COMMAND_LINE, 'do', 'hang'], {
      cwd: project.workspace.root,
      env: project.environment(),
      stdio: 'ignore',
    });
    const isHanging = async (): Promise<boolean> => (await project.run('do', 'click', '--dry-run')).code === 75;
    await expect.poll(isHanging, { timeout: 20_000 }).toBe(true);
    const { code, err, out } = await project.run('run', '-q');
    expect([code, err + out]).toEqual([75, expect.stringContaining('ENTITY_BUSY: spoils: hang uses refs')]);
    child.kill('SIGTERM');
    await once(child, 'exit');
    expect((await project.run('run', '-q')).code).toBe(0);
  }, 60_000);
});
