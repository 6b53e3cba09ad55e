import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline, type Answer } from './in-process.ts';

const SECRET = 'sk-0123456789abcdef';

/** Two gates that note each start with the task of the variable, and copy their requests. */
function definition(keys: object = {}): string {
  const run = [
    'printf "%s: %s\\n" "$GATELINE_GATE" "${GATELINE_TASK-none}" >> "$OUT"',
    'cp "$GATELINE_REQUEST" "$OUT.$GATELINE_GATE.json"',
    `printf '%s' '{}' > "$GATELINE_OUTPUT"`,
  ].join('\n');
  const gate = { run, inputs: [], env: { OUT: null }, reuse: 'auto' };
  const gates = { plan: gate, build: { ...gate, needs: 'plan' } };
  return JSON.stringify({ pipeline: 'p', defaults: { run: { shell: 'sh' } }, ...keys, gates }, null, 2);
}

class Project implements AsyncDisposable {
  readonly out: string;
  readonly workspace: ScratchWorkspace;
  private constructor(workspace: ScratchWorkspace) {
    this.workspace = workspace;
    this.out = workspace.beside('starts');
  }
  static async create(keys?: object): Promise<Project> {
    return new Project(await ScratchWorkspace.create({ 'gateline.yml': definition(keys) }));
  }
  gateline(...args: string[]): Promise<Answer> {
    const environment = plainEnvironment(this.workspace.variables({ OUT: this.out, API_TOKEN: SECRET }));
    return gateline(this.workspace.root, args, { environment });
  }
  starts(): string[] {
    return readFileSync(this.out, 'utf8').trim().split('\n');
  }
  request(gate: string): Record<string, unknown> {
    return JSON.parse(readFileSync(`${this.out}.${gate}.json`, 'utf8')) as Record<string, unknown>;
  }
  [Symbol.asyncDispose](): Promise<void> {
    return this.workspace[Symbol.asyncDispose]();
  }
}

describe('the task of a run', () => {
  it('reaches every agent: in its request and its environment', async () => {
    await using project = await Project.create({ task: 'add a login page' });
    expect((await project.gateline('run', '-q')).code).toBe(0);
    expect(project.starts()).toEqual(['plan: add a login page', 'build: add a login page']);
    expect(project.request('build')).toMatchObject({ task: 'add a login page' });
  });

  it('is in no request and no variable if nobody gave one', async () => {
    await using project = await Project.create();
    await project.gateline('run', '-q');
    expect(project.starts()).toEqual(['plan: none', 'build: none']);
    expect(project.request('plan')).not.toHaveProperty('task');
    expect(JSON.parse((await project.gateline('status', '--json')).out)).toMatchObject({
      task: null,
      file: 'gateline.yml',
    });
  });

  it('of the option replaces the one of the file, and makes every gate run again', async () => {
    await using project = await Project.create({ task: 'add a login page' });
    await project.gateline('run', '-q');
    const plan = await project.gateline('plan', '--task', 'add a logout page');
    expect(plan.out).toContain('the task changed');
    await project.gateline('run', '-q', '--task', 'add a logout page');
    expect(project.starts().slice(2)).toEqual(['plan: add a logout page', 'build: add a logout page']);
    await project.gateline('run', '-q', '--task', 'add a logout page');
    expect(project.starts()).toHaveLength(4);
  });

  it('is shown by status, also where every output is reused, and as it was earlier', async () => {
    await using project = await Project.create();
    for (const task of ['first task', 'second task'])
      await project.gateline('run', '-q', '--new', '--reason', 'another task', '--actor', 'ann', '--task', task);
    const again = await project.gateline(
      'run',
      '-q',
      '--new',
      '--reason',
      'once more',
      '--actor',
      'ann',
      '--task',
      'first task',
    );
    expect(again.code, again.err).toBe(0);
    expect(project.starts()).toHaveLength(4);
    const { out } = await project.gateline('status');
    expect(out).toContain('Task: first task');
    expect(JSON.parse((await project.gateline('status', '--run', '2', '--json')).out)).toMatchObject({
      task: 'second task',
    });
  });

  it('is redacted in records', async () => {
    const gate = { run: `printf '%s' '{}' > "$GATELINE_OUTPUT"`, inputs: [], secrets: ['API_TOKEN'] };
    await using project = await Project.create({ gates: undefined });
    const text = JSON.stringify({ pipeline: 'p', defaults: { run: { shell: 'sh' } }, gates: { plan: gate } });
    await project.workspace.write('gateline.yml', text);
    await project.gateline('run', '-q', '--task', `use ${SECRET} to log in`);
    const { out } = await project.gateline('status', '--json');
    expect(out).not.toContain(SECRET);
    expect(JSON.parse(out)).toMatchObject({ task: 'use *** to log in' });
  });

  it('is refused if it is longer than records keep', async () => {
    await using project = await Project.create();
    const { code, err } = await project.gateline('run', '--task', 'x'.repeat(5_000));
    expect([code, err]).toEqual([2, expect.stringContaining('--task has 5000 characters; at most 4096 are kept')]);
  });
});
