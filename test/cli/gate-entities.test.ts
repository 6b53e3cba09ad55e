import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline, gatelineIn, gatelineYml, type Answer } from './in-process.ts';

interface PipelineFile {
  readonly gateline: { readonly gates: readonly { readonly reason: string }[] };
}

/** An agent that notes each start, and prints a value that is new every time; it fails while its flag is there. */
const AGENT = `
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
const name = process.env.GATELINE_GATE ?? process.argv[2];
const log = process.env.LOG;
appendFileSync(log, name + '\\n');
if (existsSync(log + '.fail-' + name)) process.exit(1);
const count = readFileSync(log, 'utf8').split('\\n').length;
const value = { id: name + '-' + count };
if (process.env.GATELINE_OUTPUT) writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify(value));
else console.log(JSON.stringify(value));
if (process.env.GATELINE_REQUEST)
  writeFileSync(log + '.' + name + '.json', readFileSync(process.env.GATELINE_REQUEST));
`;

const gate = (more: object): object => ({ run: 'node "$AGENT"', inputs: [], env: { LOG: null, AGENT: null }, ...more });

class Project implements AsyncDisposable {
  readonly workspace: ScratchWorkspace;
  readonly log: string;

  private constructor(workspace: ScratchWorkspace) {
    this.workspace = workspace;
    this.log = workspace.beside('starts');
  }

  static async create(gates: Record<string, object>, more: object): Promise<Project> {
    const files = { 'gateline.yml': gatelineYml(gates, more), 'agent.mjs': AGENT };
    return new Project(await ScratchWorkspace.create(files));
  }

  run(...args: string[]): Promise<Answer> {
    const variables = { LOG: this.log, AGENT: join(this.workspace.root, 'agent.mjs') };
    const environment = { ...process.env, ...this.workspace.variables(variables) } as Record<string, string>;
    return gateline(this.workspace.root, args, { environment });
  }

  starts(): string[] {
    return existsSync(this.log) ? readFileSync(this.log, 'utf8').trim().split('\n') : [];
  }

  request(name: string): { entities?: Record<string, { instance: string; digest: string; output?: unknown }> } {
    return JSON.parse(readFileSync(`${this.log}.${name}.json`, 'utf8')) as ReturnType<Project['request']>;
  }

  async fail(name: string, fails = true): Promise<void> {
    const path = `${this.log}.fail-${name}`;
    const { rm, writeFile } = await import('node:fs/promises');
    await (fails ? writeFile(path, '') : rm(path, { force: true }));
  }

  async plan(): Promise<Record<string, string>> {
    const { gates } = JSON.parse((await this.run('plan', '--json')).out) as {
      gates: { key: string; choice: string; reason: string }[];
    };
    return Object.fromEntries(gates.map(({ key, choice, reason }) => [key, `${choice}: ${reason}`]));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.workspace[Symbol.asyncDispose]();
  }
}

const BROWSER = {
  snapshot: gate({ creates: 'refs' }),
  read: gate({ needs: 'snapshot', requires: 'refs' }),
  click: gate({ needs: ['snapshot', 'read'], requires: 'refs', invalidates: 'refs' }),
};

describe('gates that create, require and invalidate', () => {
  it('are given values, and a failed one that invalidated has the creator run again', async () => {
    await using project = await Project.create(BROWSER, { entities: { refs: null } });
    await project.fail('click');
    const failed = await project.run('run', '-q');
    expect(failed.code).toBe(1);
    // The next call makes a new snapshot, which `read` may not have seen.
    expect(failed.out).not.toContain('will be reused');
    expect((await project.run('status')).out).not.toContain('will be reused');
    expect(project.starts()).toEqual(['snapshot', 'read', 'click']);
    expect(project.request('read').entities).toMatchObject({ refs: { instance: '', output: { id: 'snapshot-2' } } });
    const entities = JSON.parse((await project.run('entities', '--json')).out) as { entities: object[] };
    expect(entities.entities).toMatchObject([{ entity: 'refs', status: 'invalid', by: 'click' }]);
    await project.fail('click', false);
    expect(await project.plan()).toMatchObject({ snapshot: 'run: refs is not valid, click needs it' });
    expect((await project.run('run', '-q')).code).toBe(0);
    expect(project.starts().slice(3)).toEqual(['snapshot', 'read', 'click']);
    expect(project.request('click').entities).toMatchObject({ refs: { output: { id: 'snapshot-5' } } });
    expect((await project.run('show', 'click')).out).toContain('\n  required: refs\n  invalidated: refs\n');
    expect((await project.run('show', 'snapshot')).out).toContain('\n  created: refs\n');
  });

  it('are reused if they created none, until a gate needs one or the definition has them create another', async () => {
    const empty = { run: `echo '[]' > "$GATELINE_OUTPUT"`, inputs: [], creates: 'bugs' };
    const bugs = { format: 'bug_{n}' };
    const gates = { find: empty, write: gate({ needs: 'find' }) };
    await using project = await Project.create(gates, { entities: { bugs, other: null } });
    for (const choice of ['ran', 'reused', 'reused']) {
      expect((await project.run('run', '-q')).code).toBe(0);
      expect((await project.run('status')).out).toMatch(new RegExp(`find +passed +${choice}`));
    }
    const define = (more: object): Promise<void> =>
      project.workspace.write('gateline.yml', gatelineYml({ ...gates, ...more }, { entities: { bugs, other: null } }));
    await define({ find: { ...empty, creates: ['bugs', 'other'] } });
    expect(await project.plan()).toMatchObject({ find: 'run: other is not valid' });
    await define({ fix: gate({ needs: 'find', requires: 'bugs' }) });
    expect(await project.plan()).toMatchObject({ find: 'run: bugs is not valid, fix needs it' });
  });

  it('are left alone in a run that is over, and run again in the next one', async () => {
    await using project = await Project.create(BROWSER, { entities: { refs: null } });
    expect((await project.run('run', '-q')).code).toBe(0);
    expect(JSON.parse((await project.run('status', '--json')).out)).toMatchObject({ status: 'completed' });
    expect(await project.plan()).toMatchObject({ snapshot: expect.stringContaining('run: refs is not valid') });
    expect((await project.run('run', '-q')).code).toBe(0);
    expect(project.starts()).toEqual(['snapshot', 'read', 'click', 'snapshot', 'read', 'click']);
  });

  it('say in the status what they lack, and not what is recovered for them', async () => {
    const gates = {
      first: gate({}),
      read: gate({ needs: 'first', requires: 'refs' }),
      click: gate({ needs: 'first', requires: 'page', 'on-invalid': 'recover' }),
    };
    const open = { syntax: 'sh -c "exit 3"', creates: 'page' };
    await using project = await Project.create(gates, { entities: { refs: null, page: null }, commands: { open } });
    await project.run('run', '-q');
    const { out } = await project.run('status');
    expect(out).toMatch(/read +blocked +Required state 'refs' is not valid/);
    expect(out).toMatch(/click +ready /);
    const { gates: shown } = JSON.parse((await project.run('status', '--json')).out) as { gates: { status: string }[] };
    expect(shown.map(({ status }) => status)).toEqual(['passed', 'blocked', 'ready']);
    expect((await project.run('graph')).out).toMatch(/read +blocked/);
    await project.run('entities', 'create', 'refs', '--reason', 'it is there');
    expect((await project.run('status')).out).toMatch(/read +ready /);
  });

  it('whose run lacks only that, name the way out', async () => {
    const gates = { first: gate({}), read: gate({ needs: 'first', requires: 'refs' }) };
    await using project = await Project.create(gates, { entities: { refs: null } });
    await project.run('run', '-q');
    expect((await project.run('status')).out).toContain(
      "read is blocked: Required state 'refs' is not valid.\nMake it valid, then run `gateline run` again: first will be reused.",
    );
  });

  it('that lack something are not ready in any file, in a set or to doctor', async () => {
    const gates = { first: gate({}), read: gate({ needs: 'first', requires: 'refs' }) };
    await using project = await Project.create(gates, { entities: { refs: null } });
    const lacks = "Required state 'refs' is not valid";
    const fileOf = async (subject: string): Promise<string> =>
      (JSON.parse(await project.workspace.read(`.state/${subject}-pipeline.json`)) as PipelineFile).gateline.gates[1]!
        .reason;
    await project.run('run', '-q', '-s', 'one');
    expect(await fileOf('one')).toBe(lacks);
    expect((await project.run('doctor')).out).not.toContain('STATE_FILE_OUTDATED');
    await project.run('pin', 'one', '--reason', 'it is kept', '-s', 'one');
    expect(await fileOf('one')).toBe(lacks);
    const set = { format: 'gateline-set/1', subjects: [{ id: 'one' }, { id: 'two', needs: ['one'] }, { id: 'new' }] };
    await project.workspace.write('set.json', JSON.stringify(set));
    const status = async (): Promise<string> => (await project.run('status', '--set', 'set.json')).out;
    expect(await status()).toMatch(/^one +blocked .*read: Required state 'refs' is not valid$/m);
    expect(await status()).toMatch(/^two +blocked .*needs one, which is blocked$/m);
    expect(await status()).toMatch(/^new +ready /m);
    await project.run('entities', 'create', 'refs', '--reason', 'it is there', '-s', 'one');
    expect(await status()).toMatch(/^one +ready /m);
  });

  it('name the way out before there is a run, too', async () => {
    await using project = await Project.create(
      { read: gate({ requires: 'refs' }) },
      { entities: { refs: null }, commands: { open: { syntax: 'open <page>', creates: 'refs' } } },
    );
    expect((await project.run('status')).out).toContain(
      "read: Required state 'refs' is not valid. Make it valid, then run `gateline run`.",
    );
    expect((await project.run('run', '-q')).code).toBe(1);
    await project.workspace.write('set.json', '{"format":"gateline-set/1","subjects":[{"id":"one"}]}');
    expect((await project.run('status', '--set', 'set.json')).out).toMatch(/^one +blocked .*Required state 'refs'/m);
  });

  it('are reused while what they created is valid', async () => {
    const { snapshot, read } = BROWSER;
    await using project = await Project.create({ snapshot, read }, { entities: { refs: null } });
    await project.run('run', '-q');
    expect((await project.run('run', '-q')).code).toBe(0);
    expect(project.starts()).toEqual(['snapshot', 'read']);
    await project.run('entities', 'invalidate', 'refs', '--reason', 'the page changed');
    expect((await project.run('run', '-q')).code).toBe(0);
    expect(project.starts()).toEqual(['snapshot', 'read', 'snapshot', 'read']);
  });

  it('do not make what follows run again when they only use up what they were given', async () => {
    const after = gate({ needs: 'click' });
    await using project = await Project.create({ ...BROWSER, after }, { entities: { refs: null } });
    await project.fail('after');
    expect((await project.run('run', '-q')).code).toBe(1);
    await project.fail('after', false);
    expect((await project.run('run', '-q')).code).toBe(0);
    expect(project.starts()).toEqual(['snapshot', 'read', 'click', 'after', 'after']);
  });
});

describe('a gate that ends what an earlier one began', () => {
  const check = 'echo check >> "$LOG"; echo 1 > "$GATELINE_OUTPUT"';
  const RELEASE = gate({ needs: 'check', invalidates: 'lease' });

  it('runs again whenever that one does, although nothing changed for it', async () => {
    const gates = {
      reserve: gate({ creates: 'lease' }),
      check: gate({ run: check, needs: 'reserve', requires: 'lease' }),
      release: RELEASE,
    };
    await using project = await Project.create(gates, { entities: { lease: null } });
    await project.run('run', '-q');
    expect((await project.run('run', '-q')).out).toContain(
      'release: run: reserve created lease again, and it makes that invalid',
    );
    expect(project.starts()).toEqual(['reserve', 'check', 'release', 'reserve', 'check', 'release']);
    expect((await project.run('entities', 'show', 'lease')).out).toContain('release made it invalid');
  });

  it('does so after a command that the run needed, and leaves alone what somebody began by hand', async () => {
    const checks = gate({ run: check, requires: 'lease', 'on-invalid': 'recover', inputs: ['input'] });
    const commands = { take: { syntax: 'echo 1', creates: 'lease' } };
    const more = { entities: { lease: null }, commands };
    await using project = await Project.create({ check: checks, release: RELEASE }, more);
    await project.workspace.write('input', '1');
    await project.run('run', '-q');
    await project.run('do', 'take');
    await project.run('run', '-q');
    expect(project.starts()).toEqual(['check', 'release']);
    await project.run('entities', 'invalidate', 'lease', '--reason', 'given back');
    await project.workspace.write('input', '2');
    await project.run('run', '-q');
    expect(project.starts()).toEqual(['check', 'release', 'check', 'release']);
  });
});

describe('a gate that requires what no gate creates', () => {
  const commands = {
    login: { syntax: 'node agent.mjs login', creates: 'session' },
    open: { syntax: 'node agent.mjs open', creates: 'page', requires: 'session' },
  };
  const entities = { session: null, page: { 'depends-on': 'session' } };

  it('does not start, and says which commands create it', async () => {
    await using project = await Project.create({ use: gate({ requires: 'page' }) }, { entities, commands });
    const answer = await project.run('run', '-q');
    expect(answer.code).toBe(1);
    expect(answer.err + answer.out).toContain("STATE_INVALID: Required state 'page' is not valid");
    expect(answer.err).toContain('`gateline do login`, then `gateline do open` makes it valid for use.');
    expect(project.starts()).toEqual([]);
    await project.run('do', 'login');
    await project.run('do', 'open');
    expect((await project.run('run', '-q')).code).toBe(0);
    expect(project.starts()).toEqual(['login', 'open', 'use']);
  });

  it('recovers: the commands run first, in order, each once', async () => {
    const use = gate({ requires: 'page', 'on-invalid': 'recover' });
    const also = gate({ requires: ['page', 'session'], 'on-invalid': 'recover' });
    await using project = await Project.create({ use, also }, { entities, commands, 'max-parallel': 2 });
    const plan = await project.plan();
    expect(plan['use']).toMatch(/^run: .*; page is not valid: login, open will run first$/);
    const table = (await project.run('plan')).out;
    expect(table).toContain('login: run: session is not valid, open needs it');
    expect(table).toContain('open: run: page is not valid, use needs it');
    expect((await project.run('run', '-q')).code).toBe(0);
    expect(project.starts().slice(0, 2)).toEqual(['login', 'open']);
    expect(project.starts().slice(2).toSorted()).toEqual(['also', 'use']);
    expect(project.request('use').entities).toMatchObject({ page: { output: { id: 'open-3' } } });
    expect((await project.run('run', '-q')).code).toBe(0);
    expect(project.starts()).toHaveLength(4);
  });

  it('recovers with its own secrets, and without those of other gates', async () => {
    const login = { syntax: `sh -c 'echo "$OWN_SECRET,$OTHER_SECRET" > got'`, creates: 'session' };
    const use = gate({ requires: 'session', 'on-invalid': 'recover', secrets: ['OWN_SECRET'] });
    const other = gate({ secrets: ['OTHER_SECRET'] });
    const definition = { entities: { session: null }, commands: { login } };
    await using project = await Project.create({ use, other }, definition);
    const environment = { ...process.env, OWN_SECRET: 'hunter-seven', OTHER_SECRET: 'swordfish' };
    const got = (): string => readFileSync(join(project.workspace.root, 'got'), 'utf8');
    await gateline(project.workspace.root, ['run', '-q'], { environment });
    expect(got()).toBe('hunter-seven,\n');
    await gateline(project.workspace.root, ['do', 'login'], { environment });
    expect(got()).toBe('hunter-seven,swordfish\n');
  });

  it('does not start after a set-up command that failed', async () => {
    const use = gate({ requires: 'page', 'on-invalid': 'recover' });
    await using project = await Project.create({ use, late: use }, { entities, commands });
    await project.fail('open');
    const answer = await project.run('run');
    expect(answer.code).toBe(1);
    const why = "STATE_INVALID: Required state 'page' is not valid\n  ";
    expect(answer.err).toContain(`${why}open failed: open ended with exit code 1. \`gateline do login\``);
    expect(answer.err).toContain(`${why}open has run in this call already. \`gateline do open\``);
    expect(project.starts()).toEqual(['login', 'open']);
    await project.fail('open', false);
    expect((await project.run('run', '-q')).code).toBe(0);
    expect(project.starts().slice(0, 3)).toEqual(['login', 'open', 'open']);
  });

  it('is blocked where they did not help, and each gate says what it lacks', async () => {
    const use = (requires: string): object => gate({ requires, 'on-invalid': 'recover' });
    const list = (creates: string): object => ({ syntax: 'echo []', creates });
    await using project = await Project.create(
      { one: use('hits'), two: use('tabs') },
      {
        entities: { hits: { format: 'hit_{n}' }, tabs: { format: 'tab_{n}' } },
        commands: { find: list('hits'), tabs_of: list('tabs') },
      },
    );
    const { code, err, out } = await project.run('run', '-q');
    expect(code).toBe(1);
    expect(err).toContain("'hits' is not valid\n  find ran first, and did not make it valid.");
    expect(err).toContain("'tabs' is not valid\n  tabs_of ran first, and did not make it valid.");
    expect(out).toMatch(/^0 +one +blocked +Required state 'hits' is not valid$/m);
    expect(out).toMatch(/^1 +two +blocked +Required state 'tabs' is not valid$/m);
    expect(project.starts()).toEqual([]);
  });

  it('does not start, and what is recorded next comes after its set-up commands, also in a second run', async () => {
    const use = gate({ requires: 'page', 'on-invalid': 'recover', reuse: 'never' });
    await using project = await Project.create({ use }, { entities, commands });
    for (const run of [1, 2]) {
      await project.fail('open');
      expect((await project.run('run', '-q')).code).toBe(1);
      expect((await project.run('status')).out).toContain(`Run ${run} of p for main: no gate has started.`);
      await project.run('entities', 'invalidate', 'session', '--reason', 'it was lost', '--actor', 'maria');
      const shown = JSON.parse((await project.run('entities', 'show', 'session', '--json')).out) as object;
      expect(shown).toMatchObject({ entities: [{ status: 'invalid', by: 'maria' }] });
      await project.fail('open', false);
      expect((await project.run('do', 'login')).code).toBe(0);
      expect((await project.run('do', 'open')).code).toBe(0);
      expect((await project.run('run', '-q')).code).toBe(0);
      await project.run('entities', 'reset', '--reason', 'the next run');
    }
    const each = ['login', 'open', 'login', 'open', 'use'];
    expect(project.starts()).toEqual([...each, ...each]);
  });

  it('is refused by begin, and recorded by complete', async () => {
    const use = gate({ requires: 'page', creates: 'done' });
    await using project = await Project.create({ use }, { entities: { ...entities, done: null }, commands });
    const refused = await project.run('begin', 'use', '--json');
    expect(JSON.parse(refused.out)).toMatchObject({
      code: 'STATE_INVALID',
      details: { missing: ['page'], command: 'use', setup: ['login', 'open'] },
    });
    await project.run('entities', 'create', 'page', '--reason', 'x');
    const begun = JSON.parse((await project.run('begin', 'use', '--json')).out) as {
      token: string;
      variables: Record<string, string>;
    };
    const { writeFile } = await import('node:fs/promises');
    await writeFile(begun.variables['GATELINE_OUTPUT']!, '{"id": 1}');
    expect((await project.run('do', 'open')).code).not.toBe(0);
    expect((await project.run('complete', '--token', begun.token)).code).toBe(0);
    const shown = JSON.parse((await gatelineIn(project.workspace, 'entities', 'show', 'done', '--json')).out) as object;
    expect(shown).toMatchObject({ entities: [{ status: 'valid', value: { id: 1 } }] });
  });
});
