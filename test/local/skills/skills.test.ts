import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { InvalidStateError, localPorts, SkillRuntime, StateManager } from '../../../src/index.ts';
import { plainEnvironment } from '../../support/command-line.ts';
import { ScratchWorkspace } from '../../support/scratch-workspace.ts';

const SKILL = `
const [verb, ...rest] = process.argv.slice(2);
const values = { login: { id: 's1', user: 'john', expires_at: 0 }, snapshot: ['@e1', '@e2'] };
if (values[verb]) console.log(JSON.stringify(values[verb]));
`;

async function runtimeIn(workspace: ScratchWorkspace): Promise<SkillRuntime> {
  await writeFile(join(workspace.root, 'skill.mjs'), SKILL);
  const environment = plainEnvironment(workspace.variables());
  const runtime = new SkillRuntime((pipeline) =>
    localPorts({ place: { root: workspace.root, pipeline, isDefault: false }, environment }),
  );
  for (const name of ['agent-browser', 'authentication']) {
    const path = join(workspace.root, `${name}.uasp.yaml`);
    await copyFile(new URL(`../../fixtures/uasp/${name}.uasp.yaml`, import.meta.url), path);
    await runtime.loadSkill(path);
  }
  return runtime;
}

describe("UASP's API", () => {
  it('StateManager: create, is_valid, get_value, invalidate, reset, get_status', async () => {
    await using workspace = await ScratchWorkspace.create({ x: '' });
    const state = (await runtimeIn(workspace)).getState('agent-browser');
    expect(state).toBeInstanceOf(StateManager);
    const none = { valid: false, has_value: false };
    expect(await state.getStatus()).toEqual({ session: none, refs: none, page_state: none });
    await state.create('session');
    expect(await state.isValid('session')).toBe(true);
    await state.create('session', { id: 'abc123', user: 'john' });
    expect(await state.getValue('session')).toEqual({ id: 'abc123', user: 'john' });
    await state.create('refs', ['@e1']);
    await state.invalidate('refs');
    expect(await state.isValid('refs')).toBe(false);
    // The value is preserved.
    expect(await state.getValue('refs')).toEqual(['@e1']);
    expect(await state.getStatus()).toMatchObject({
      session: { valid: true, has_value: true },
      refs: { valid: false, has_value: true },
    });
    await state.reset();
    expect(await state.getStatus()).toEqual({ session: none, refs: none, page_state: none });
    await expect(state.create('nothing')).rejects.toMatchObject({ code: 'ENTITY_NOT_DEFINED' });
  });

  it('StateManager: check_requires and apply_effects', async () => {
    await using workspace = await ScratchWorkspace.create({ x: '' });
    const state = (await runtimeIn(workspace)).getState('agent-browser');
    expect(await state.checkRequires('click')).toEqual(['refs']);
    await state.applyEffects('snapshot', ['@e1']);
    expect(await state.checkRequires('click')).toEqual([]);
    expect(await state.isValid('page_state')).toBe(true);
    await state.applyEffects('click');
    expect(await state.isValid('refs')).toBe(false);
    expect(await state.isValid('page_state')).toBe(false);
  });

  it('SkillRuntime: execute, get_state, reset_state, get_manifest', async () => {
    await using workspace = await ScratchWorkspace.create({ x: '' });
    const runtime = await runtimeIn(workspace);
    const failed = runtime.execute('agent-browser', 'click', { ref: '@e1' });
    const error = await failed.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidStateError);
    expect(error).toMatchObject({ message: "Required state 'refs' is not valid", details: { missing: ['refs'] } });
    const result = await runtime.execute('agent-browser', 'snapshot');
    expect(result.value).toEqual(['@e1', '@e2']);
    expect(await runtime.getState('agent-browser').isValid('refs')).toBe(true);
    expect((await runtime.execute('agent-browser', 'click', { ref: '@e1' })).ended.verdict.status).toBe('passed');
    // Click again would fail: the references are those of another page now.
    expect(await runtime.getState('agent-browser').checkRequires('click')).toEqual(['refs']);
    await runtime.execute('agent-browser', 'login');
    const none = { valid: false, has_value: false };
    const gone = { valid: false, has_value: true };
    expect(await runtime.getManifest()).toEqual({
      loaded_skills: [
        {
          name: 'agent-browser',
          state: {
            session: { valid: true, has_value: true },
            refs: gone,
            page_state: gone,
          },
        },
        { name: 'authentication', state: { connection: none, auth_token: none } },
      ],
    });
    await runtime.resetState('agent-browser');
    expect(await runtime.getState('agent-browser').checkRequires('click')).toEqual(['refs']);
    expect(() => runtime.getState('other')).toThrow(expect.objectContaining({ code: 'SKILL_NOT_LOADED' }));
  });

  it('refuses by name what JavaScript lets through', async () => {
    await using workspace = await ScratchWorkspace.create({ x: '' });
    const runtime = await runtimeIn(workspace);
    const state = runtime.getState('agent-browser');
    const refused = async (work: Promise<unknown>): Promise<unknown> => work.catch((thrown: unknown) => thrown);
    const number = { ref: 5 } as unknown as Record<string, string>;
    const date = { allocated_at: new Date() } as unknown as string;
    for (const work of [
      runtime.execute('agent-browser', 'click', number),
      state.checkRequires('click', number),
      state.applyEffects('click', null, number),
    ])
      expect(await refused(work)).toMatchObject({
        code: 'LIBRARY_ARGUMENT_REFUSED',
        message: expect.stringContaining('args/ref: expected a text, found the number 5') as string,
      });
    for (const work of [state.create('session', date), state.applyEffects('snapshot', date)])
      expect(await refused(work)).toMatchObject({
        message: expect.stringContaining(': expected a JSON value') as string,
      });
    expect(await refused(runtime.loadSkill('absent.uasp.yaml'))).toMatchObject({ code: 'INPUT_INVALID' });
    expect(await state.getStatus()).toMatchObject({ session: { valid: false, has_value: false } });
  });

  it('keeps its state in records: another process sees it', async () => {
    await using workspace = await ScratchWorkspace.create({ x: '' });
    await (await runtimeIn(workspace)).getState('authentication').create('connection');
    expect(await (await runtimeIn(workspace)).getState('authentication').isValid('connection')).toBe(true);
  });

  it('keeps the state of two skills apart whose names become one id', async () => {
    await using workspace = await ScratchWorkspace.create({ x: '' });
    const runtime = await runtimeIn(workspace);
    for (const name of ['a.b', 'a_b', 'A b']) {
      const path = join(workspace.root, `${name}.uasp.yaml`);
      await writeFile(path, `state: {entities: [{name: session, created_by: [login]}]}\ncommands: {login: {}}\n`);
      await runtime.loadSkill(path);
    }
    await runtime.getState('a.b').create('session');
    const valid = ['a.b', 'a_b', 'A b'].map((name) => runtime.getState(name).isValid('session'));
    expect(await Promise.all(valid)).toEqual([true, false, false]);
  });
});
