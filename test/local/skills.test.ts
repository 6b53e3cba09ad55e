import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { stringify } from 'yaml';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readSkill } from '../../src/formats/uasp.ts';
import { CommandExecutor, InvalidStateError, SkillRuntime, StateManager, type SkillOptions } from '../../src/index.ts';

/** The entities and commands of the page about state, put together. */
const SKILL = {
  name: 'agent-browser',
  state: {
    entities: [
      {
        name: 'session',
        format: '{session_id}',
        created_by: ['login', 'connect'],
        invalidated_by: ['logout', 'disconnect', 'timeout'],
        properties: ['id', 'user', 'expires_at'],
      },
      { name: 'refs', format: '@e{n}', created_by: ['snapshot'], invalidated_by: ['navigate', 'click', 'type'] },
    ],
  },
  commands: {
    login: { syntax: 'agent-browser login' },
    logout: { syntax: 'agent-browser logout [--all]' },
    snapshot: { syntax: 'agent-browser snapshot', creates: ['refs', 'page_state'] },
    click: { syntax: 'agent-browser click <ref>', requires: ['refs'], invalidates: ['refs', 'page_state'] },
  },
};
const PROGRAM = `#!/bin/sh
case "$1" in
snapshot) echo '["@e1", "@e2"]' ;;
login) echo '{"id": "s1"}' ;;
acquire) echo "resource_$2" ;;
*) echo "$@" ;;
esac
`;
const NONE = { valid: false, has_value: false };

let options: SkillOptions & { readonly folder: string };
beforeEach(() => {
  const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'gateline-skills-')));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  for (const name of ['agent-browser', 'pool', 'db', 'session']) {
    fs.mkdirSync(join(folder, 'bin'), { recursive: true });
    fs.writeFileSync(join(folder, 'bin', name), PROGRAM, { mode: 0o755 });
  }
  options = { folder, environment: { PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter) } };
});

/** A skill with commands that print their words. */
function patternOf(commands: Readonly<Record<string, object>>, entities: object[] = []) {
  const name = 'pattern';
  const state = new StateManager({ name, state: { entities }, commands }, options);
  const executor = new CommandExecutor({ name, state: { entities }, commands }, state);
  const execute = async (command: string, args?: Record<string, string>) =>
    (await executor.execute(command, args)).status;
  const valid = async () =>
    Object.entries(await state.getStatus()).flatMap(([key, status]) => (status.valid ? key : []));
  return { state, execute, valid };
}

describe('an entity', () => {
  it('goes through its life: not existing, valid, invalid', async () => {
    const state = new StateManager(SKILL, options);
    const status = async () => (await state.getStatus())['refs'];
    expect(await status()).toEqual(NONE);
    await state.invalidate('refs'); // Nothing leads from "not exist" to "invalid".
    expect(await status()).toEqual(NONE);
    await state.create('refs', ['@e1']); // NotExist -->|create| Valid
    expect(await status()).toEqual({ valid: true, has_value: true });
    await state.invalidate('refs'); // Valid -->|invalidate| Invalid
    expect(await status()).toEqual({ valid: false, has_value: true });
    await state.create('refs'); // Invalid -->|create| Valid
    expect(await status()).toEqual({ valid: true, has_value: false });
    await state.reset(); // Valid -->|reset| NotExist
    expect(await status()).toEqual(NONE);
    await state.create('refs', 1);
    await state.invalidate('refs');
    await state.reset(); // Invalid -->|reset| NotExist
    expect(await status()).toEqual(NONE);
  });

  it('is created and invalidated by what both sides of a skill say', () => {
    const { entities, commands } = readSkill(SKILL);
    expect(Object.keys(entities)).toEqual(['session', 'refs', 'page_state']);
    expect(entities['session']).toMatchObject({ format: '{session_id}', properties: ['id', 'user', 'expires_at'] });
    expect(commands).toMatchObject({
      login: { creates: ['session'], invalidates: [] },
      logout: { syntax: 'agent-browser logout', invalidates: ['session'] },
      snapshot: { creates: ['refs', 'page_state'] },
      click: { requires: ['refs'], invalidates: ['refs', 'page_state'] },
    });
  });

  it.each<[string, unknown, string]>([
    ['a list', [], '/: '],
    ['an entity without a name', { state: { entities: [{}] } }, '/state/entities/0/name'],
    ['a name with /', { commands: { a: { requires: ['x/y'] } } }, '/commands/a/requires'],
  ])('is not read from %s', (_, document, place) => {
    expect(() => readSkill(document)).toThrow(place);
  });
});

describe('StateManager', () => {
  it('does what the page shows', async () => {
    const state = new StateManager(SKILL, options);
    // status = state.get_status()
    expect(await state.getStatus()).toEqual({ session: NONE, refs: NONE, page_state: NONE });
    // state.create("session")
    await state.create('session');
    expect(await state.isValid('session')).toBe(true);
    // state.create("session", {"id": "abc123", "user": "john"})
    await state.create('session', { id: 'abc123', user: 'john' });
    expect(await state.getValue('session')).toEqual({ id: 'abc123', user: 'john' });
    // state.invalidate("refs")
    await state.create('refs', ['@e1']);
    await state.invalidate('refs');
    expect(await state.isValid('refs')).toBe(false);
    expect(await state.getValue('refs')).toEqual(['@e1']); // Still accessible
    // missing = state.check_requires("click")
    expect(await state.checkRequires('click')).toEqual(['refs']);
    await state.create('refs');
    expect(await state.checkRequires('click')).toEqual([]); // Ready to execute
    // apply_effects(cmd, result)
    await state.applyEffects('click');
    expect(await state.isValid('refs')).toBe(false);
    await state.applyEffects('snapshot', ['@e5']);
    expect([await state.isValid('refs'), await state.getValue('page_state')]).toEqual([true, ['@e5']]);
    await expect(state.isValid('nothing')).rejects.toThrow('no entity nothing');
    await expect(state.checkRequires('clik')).rejects.toMatchObject({ hint: 'did you mean `click`?' });
  });

  it('shares its state with every other one of the folder, and not with other skills', async () => {
    await new StateManager(SKILL, options).create('refs', 1);
    expect(await new StateManager(SKILL, options).getValue('refs')).toBe(1);
    expect(await new StateManager({ ...SKILL, name: 'other' }, options).isValid('refs')).toBe(false);
  });
});

describe('CommandExecutor', () => {
  it('updates the state by itself, and refuses what lacks something', async () => {
    const state = new StateManager(SKILL, options);
    const executor = new CommandExecutor(SKILL, state);
    // execute("click", {"ref": "@e1"}): State-->>Executor: ["refs"]; Executor-->>User: InvalidStateError
    await expect(executor.execute('click', { ref: '@e1' })).rejects.toBeInstanceOf(InvalidStateError);
    // result = executor.execute("snapshot")
    expect(await executor.execute('snapshot')).toMatchObject({ status: 'passed', value: ['@e1', '@e2'] });
    expect(await state.getStatus()).toMatchObject({ refs: { valid: true }, page_state: { valid: true } });
    // result = executor.execute("click", {"ref": "@e1"})
    expect(await executor.execute('click', { ref: '@e1' })).toMatchObject({ value: 'click @e1' });
    expect(await state.getStatus()).toMatchObject({ refs: { valid: false }, page_state: { valid: false } });
    // missing = state.check_requires("click")
    expect(await state.checkRequires('click')).toEqual(['refs']);
  });
});

describe('the patterns of the page', () => {
  it('session: connected, authenticated', async () => {
    const { execute, valid } = patternOf({
      connect: { syntax: 'session connect', creates: ['connection'] },
      login: { syntax: 'session login', requires: ['connection'], creates: ['auth_token'] },
      logout: { syntax: 'session logout', requires: ['auth_token'], invalidates: ['auth_token'] },
      disconnect: { syntax: 'session disconnect', requires: ['connection'], invalidates: ['connection', 'auth_token'] },
    });
    await expect(execute('login')).rejects.toThrow("Required state 'connection' is not valid");
    const states = [];
    for (const command of ['connect', 'login', 'logout', 'login', 'disconnect']) {
      await execute(command);
      states.push((await valid()).join(' '));
    }
    expect(states).toEqual(['connection', 'connection auth_token', 'connection', 'connection auth_token', '']);
    await expect(execute('disconnect')).rejects.toBeInstanceOf(InvalidStateError);
  });

  it('resource pool: each resource has a life of its own', async () => {
    const entity = { name: 'resource', format: 'resource_{id}', created_by: ['acquire'], invalidated_by: ['release'] };
    const { execute } = patternOf(
      {
        acquire: { syntax: 'pool acquire <type>', creates: ['resource'], returns: 'resource_id' },
        use: { syntax: 'pool use <resource_id>', requires: ['resource'] },
        release: { syntax: 'pool release <resource_id>', requires: ['resource'], invalidates: ['resource'] },
      },
      [entity],
    );
    await execute('acquire', { type: '1' });
    await execute('acquire', { type: '2' });
    await execute('release', { resource_id: 'resource_1' });
    await expect(execute('use', { resource_id: 'resource_1' })).rejects.toBeInstanceOf(InvalidStateError);
    expect(await execute('use', { resource_id: '2' })).toBe('passed');
    await expect(execute('use', { resource_id: '3' })).rejects.toBeInstanceOf(InvalidStateError);
  });

  it('transaction: ends once', async () => {
    const ends = { requires: ['transaction'], invalidates: ['transaction'] };
    const { execute } = patternOf({
      begin: { syntax: 'db begin', creates: ['transaction'] },
      commit: { syntax: 'db commit', ...ends },
      rollback: { syntax: 'db rollback', ...ends },
    });
    expect(await execute('begin')).toBe('passed');
    expect(await execute('commit')).toBe('passed');
    await expect(execute('rollback')).rejects.toThrow("Required state 'transaction' is not valid");
  });

  it('transitive: what is invalidated with a connection', async () => {
    const all = ['connection', 'session', 'transaction'];
    const { state, execute, valid } = patternOf({ disconnect: { syntax: 'db disconnect', invalidates: all } });
    for (const name of all) await state.create(name);
    await execute('disconnect');
    expect(await valid()).toEqual([]);
  });
});

describe('SkillRuntime', () => {
  async function load(): Promise<SkillRuntime> {
    const path = join(options.folder, 'agent-browser.uasp.yaml');
    fs.writeFileSync(path, stringify({ ...SKILL, name: undefined }));
    const runtime = new SkillRuntime(options);
    expect(await runtime.loadSkill(path)).toBe('agent-browser');
    return runtime;
  }

  it('does what the page shows', async () => {
    const runtime = await load();
    // result = runtime.execute("agent-browser", "snapshot")
    await runtime.execute('agent-browser', 'snapshot');
    // state = runtime.get_state("agent-browser")
    const state = runtime.getState('agent-browser');
    expect(await state.isValid('refs')).toBe(true);
    // manifest = runtime.get_manifest()
    const valid = { valid: true, has_value: true };
    expect(await runtime.getManifest()).toEqual({
      loaded_skills: [{ name: 'agent-browser', state: { session: NONE, refs: valid, page_state: valid } }],
    });
    // result = runtime.execute("agent-browser", "click", {"ref": "@e1"})
    expect(await runtime.execute('agent-browser', 'click', { ref: '@e1' })).toMatchObject({ status: 'passed' });
    // runtime.reset_state("agent-browser")
    await runtime.resetState('agent-browser');
    expect(await state.getStatus()).toEqual({ session: NONE, refs: NONE, page_state: NONE });
    await expect(runtime.execute('browser', 'click')).rejects.toThrow('no skill browser is loaded');
  });

  it('says what is missing, and recovers as the page does', async () => {
    const runtime = await load();
    // except InvalidStateError as e: e.message, e.details['missing']
    const error: unknown = await runtime
      .execute('agent-browser', 'click', { ref: '@e1' })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidStateError);
    expect(error).toMatchObject({ message: "Required state 'refs' is not valid", details: { missing: ['refs'] } });
    // def safe_execute(runtime, skill, command, args=None)
    for (const entity of await runtime.getState('agent-browser').checkRequires('click')) {
      const { commands } = runtime.getState('agent-browser').skill;
      const setUp = Object.keys(commands).find((id) => commands[id]!.creates.includes(entity));
      await runtime.execute('agent-browser', setUp!);
    }
    expect(await runtime.execute('agent-browser', 'click', { ref: '@e1' })).toMatchObject({ value: 'click @e1' });
  });

  it('names what is wrong in a file', async () => {
    const path = join(options.folder, 'x.yaml');
    fs.writeFileSync(path, 'a: [');
    await expect(new SkillRuntime(options).loadSkill(path)).rejects.toThrow(/x\.yaml:1:/);
  });
});
