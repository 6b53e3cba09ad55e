import { expect } from 'vitest';
import type { importSkills } from '../../../src/formats/uasp/import-skills.ts';
import { CommandExecutor, InvalidStateError, SkillRuntime, StateManager } from '../../../src/index.ts';

const NONE = { valid: false, has_value: false };

/** The objects of the seed's examples, and their variables. */
export interface World {
  readonly runtime: SkillRuntime;
  readonly state: StateManager;
  readonly executor: CommandExecutor;
  /** A connection, a session in it, and a transaction in that; all valid. */
  readonly chain: StateManager;
  readonly imported: ReturnType<typeof importSkills>;
  value?: unknown;
  missing?: readonly string[];
  error?: unknown;
}

/** A line of the seed, and what it means here; without that it only belongs to the lines around it. */
type Line = readonly [line: string, means?: (world: World) => unknown];

const has =
  (name: keyof StateManager) =>
  ({ state }: World): void =>
    expect(state[name]).toBeTypeOf('function');
const refs =
  (valid: boolean) =>
  async ({ state }: World): Promise<void> =>
    expect(await state.isValid('refs')).toBe(valid);
const clicks = ({ executor }: World): Promise<unknown> => executor.execute('click', { ref: '@e1' });
const absent = async ({ state }: World): Promise<void> => expect((await state.getStatus())['refs']).toEqual(NONE);
const snapshots = ({ executor }: World): Promise<unknown> => executor.execute('snapshot');
const then =
  (act: NonNullable<Line[1]>, seen: NonNullable<Line[1]>) =>
  async (world: World): Promise<void> => {
    await act(world);
    await seen(world);
  };
const refused = async (world: World): Promise<void> => {
  world.error = await world.runtime.execute('agent-browser', 'click', { ref: '@e1' }).catch((error: unknown) => error);
  expect(world.error).toBeInstanceOf(InvalidStateError);
};

/** The lines of the seed, in its order. */
export const SECTIONS: Readonly<Record<string, readonly Line[]>> = {
  'the lifecycle': [
    ['NotExist[Not Exist] -->|create| Valid[Valid]', then(({ state }) => state.create('refs'), refs(true))],
    ['Valid -->|invalidate| Invalid[Invalid]', then(({ state }) => state.invalidate('refs'), refs(false))],
    ['Invalid -->|create| Valid', then(({ state }) => state.create('refs', ['@e1']), refs(true))],
    ['Valid -->|reset| NotExist', then(({ state }) => state.reset(), absent)],
    [
      'Invalid -->|reset| NotExist',
      then(
        ({ state }) =>
          state
            .create('refs')
            .then(() => state.invalidate('refs'))
            .then(() => state.reset()),
        absent,
      ),
    ],
    ['C1[Command A] -->|creates| E1[Entity X]', then(snapshots, refs(true))],
    ['C2[Command B] -->|requires| E1', async ({ state }) => expect(await state.checkRequires('click')).toEqual([])],
    ['C3[Command C] -->|invalidates| E1', then(clicks, refs(false))],
  ],
  'the properties of an entity': [
    [
      '| `name` | string | Unique entity identifier |',
      ({ imported }) => expect(Object.keys(imported.entities)).toEqual(['session', 'refs', 'page_state']),
    ],
    [
      '| `format` | string | Display format pattern |',
      ({ imported }) => expect(imported.entities['refs']).toEqual({ format: '@e{n}' }),
    ],
    [
      '| `created_by` | list | Commands that create this entity |',
      ({ imported }) => expect(imported.commands['login']).toMatchObject({ creates: ['session'] }),
    ],
    [
      '| `invalidated_by` | list | Commands that invalidate this entity |',
      ({ imported }) => expect(imported.commands['logout']).toMatchObject({ invalidates: ['session'] }),
    ],
    [
      '| `properties` | list | Data properties stored with entity |',
      ({ imported }) =>
        expect(imported.entities['session']).toMatchObject({ properties: ['id', 'user', 'expires_at'] }),
    ],
  ],
  'the class StateManager': [
    ['-entities: dict', async ({ state }) => expect(Object.keys(await state.getStatus())).toContain('refs')],
    ['-valid: dict', async ({ state }) => expect(await state.getStatus()).toMatchObject({ refs: { valid: false } })],
    [
      '-values: dict',
      async ({ state }) => expect(await state.getStatus()).toMatchObject({ refs: { has_value: false } }),
    ],
    ['+create(name, value) None', has('create')],
    ['+invalidate(name) None', has('invalidate')],
    ['+is_valid(name) bool', has('isValid')],
    ['+get_value(name) Any', has('getValue')],
    ['+check_requires(cmd) list[str]', has('checkRequires')],
    ['+apply_effects(cmd, result) None', has('applyEffects')],
    ['+get_status() dict', has('getStatus')],
    ['+reset() None', has('reset')],
  ],
  'a state manager of its own': [
    ['from uasp import StateManager'],
    ['state = StateManager(skill_dict)', ({ state }) => expect(state).toBeInstanceOf(StateManager)],
    ['# All entities start as not existing (invalid, no value)'],
    ['status = state.get_status()', async (one) => (one.value = await one.state.getStatus())],
    [
      '# {"session": {"valid": False, "has_value": False}, ...}',
      ({ value }) => expect(value).toEqual({ session: NONE, refs: NONE, page_state: NONE }),
    ],
    ['state.create("session")', ({ state }) => state.create('session')],
    ['assert state.is_valid("session")', async ({ state }) => expect(await state.isValid('session')).toBe(true)],
    [
      'state.create("session", {"id": "abc123", "user": "john"})',
      ({ state }) => state.create('session', { id: 'abc123', user: 'john' }),
    ],
    ['value = state.get_value("session")', async (one) => (one.value = await one.state.getValue('session'))],
    ['# {"id": "abc123", "user": "john"}', ({ value }) => expect(value).toEqual({ id: 'abc123', user: 'john' })],
    ['state.invalidate("refs")', ({ state }) => state.create('refs', ['@e1']).then(() => state.invalidate('refs'))],
    ['assert not state.is_valid("refs")', refs(false)],
    [
      'value = state.get_value("refs")  # Still accessible',
      async ({ state }) => expect(await state.getValue('refs')).toEqual(['@e1']),
    ],
    ['missing = state.check_requires("click")', async (one) => (one.missing = await one.state.checkRequires('click'))],
    ['if missing:'],
    ['    print(f"Missing requirements: {missing}")', ({ missing }) => expect(missing).toEqual(['refs'])],
    ['else:', ({ state }) => state.create('refs', ['@e1'])],
    ['    print("Ready to execute")', async ({ state }) => expect(await state.checkRequires('click')).toEqual([])],
  ],
  'the effects of a command': [
    [
      '| `creates` | Entity becomes valid after execution |',
      then(({ state }) => state.applyEffects('snapshot', ['@e1']), refs(true)),
    ],
    [
      '| `requires` | Entity must be valid before execution |',
      then(clicks, (one) => expect(clicks(one)).rejects.toBeInstanceOf(InvalidStateError)),
    ],
    ['| `invalidates` | Entity becomes invalid after execution |', refs(false)],
  ],
  'the flow of an execution': [
    ['User->>Executor: execute("click", {"ref": "@e1"})', refused],
    ['Executor->>State: check_requires("click")'],
    [
      'State-->>Executor: ["refs"] (if missing)',
      ({ error }) => expect(error).toHaveProperty('details.missing', ['refs']),
    ],
    ['Executor-->>User: InvalidStateError', ({ error }) => expect(error).toHaveProperty('code', 'STATE_INVALID')],
    ['Executor->>Executor: run command', then(snapshots, clicks)],
    [
      'Executor->>State: apply_effects("click", result)',
      async ({ state }) => expect(await state.checkRequires('click')).toEqual(['refs']),
    ],
    ['State->>State: invalidate("refs")', refs(false)],
    [
      'State->>State: invalidate("page_state")',
      async ({ state }) =>
        expect(await state.getStatus()).toMatchObject({ page_state: { valid: false, has_value: true } }),
    ],
    [
      'Executor-->>User: ExecutionResult',
      async ({ executor }) => expect((await executor.execute('snapshot')).ended.verdict.status).toBe('passed'),
    ],
  ],
  'an executor': [
    ['from uasp import CommandExecutor, StateManager'],
    ['state = StateManager(skill_dict)'],
    [
      'executor = CommandExecutor(skill_dict, state)',
      ({ executor }) => expect(executor).toBeInstanceOf(CommandExecutor),
    ],
    ['result = executor.execute("snapshot")', ({ executor }) => executor.execute('snapshot')],
    [
      '# State automatically updated: refs=valid, page_state=valid',
      async ({ state }) =>
        expect(await state.getStatus()).toMatchObject({ refs: { valid: true }, page_state: { valid: true } }),
    ],
    ['result = executor.execute("click", {"ref": "@e1"})', clicks],
    [
      '# State automatically updated: refs=invalid, page_state=invalid',
      async ({ state }) =>
        expect(await state.getStatus()).toMatchObject({ refs: { valid: false }, page_state: { valid: false } }),
    ],
    ['missing = state.check_requires("click")', async (one) => (one.missing = await one.state.checkRequires('click'))],
    ['# ["refs"] - need to snapshot again', ({ missing }) => expect(missing).toEqual(['refs'])],
  ],
  'a runtime': [
    ['from uasp import SkillRuntime'],
    ['runtime = SkillRuntime()', ({ runtime }) => expect(runtime).toBeInstanceOf(SkillRuntime)],
    ['runtime.load_skill("agent-browser.uasp.yaml")'],
    [
      'result = runtime.execute("agent-browser", "snapshot")',
      async ({ runtime }) => expect((await runtime.execute('agent-browser', 'snapshot')).value).toEqual(['@e1', '@e2']),
    ],
    [
      'state = runtime.get_state("agent-browser")',
      ({ runtime }) => expect(runtime.getState('agent-browser')).toBeInstanceOf(StateManager),
    ],
    [
      'print(state.is_valid("refs"))  # True',
      async ({ runtime }) => expect(await runtime.getState('agent-browser').isValid('refs')).toBe(true),
    ],
    [
      'result = runtime.execute("agent-browser", "click", {"ref": "@e1"})',
      ({ runtime }) => runtime.execute('agent-browser', 'click', { ref: '@e1' }),
    ],
    [
      'runtime.reset_state("agent-browser")',
      async ({ runtime }) => {
        await runtime.resetState('agent-browser');
        expect(await runtime.getState('agent-browser').getStatus()).toMatchObject({ refs: NONE });
        await runtime.execute('agent-browser', 'snapshot');
      },
    ],
    ['manifest = runtime.get_manifest()', async (one) => (one.value = await one.runtime.getManifest())],
    ['# {'],
    ['#     "loaded_skills": ['],
    ['#         {'],
    ['#             "name": "agent-browser",'],
    ['#             "state": {'],
    ['#                 "refs": {"valid": True, "has_value": True},'],
    [
      '#                 "session": {"valid": False, "has_value": False}',
      ({ value }) => {
        const state = {
          session: NONE,
          refs: { valid: true, has_value: true },
          page_state: { valid: true, has_value: true },
        };
        expect(value).toEqual({ loaded_skills: [{ name: 'agent-browser', state }] });
      },
    ],
    ['#             }'],
    ['#         }'],
    ['#     ]'],
    ['# }'],
  ],
  'what depends on something': [
    ['A[connection] --> B[session]', ({ chain }) => chain.invalidate('connection')],
    [
      'B --> C[transaction]',
      async ({ chain }) => {
        const gone = { valid: false, has_value: false };
        expect(await chain.getStatus()).toEqual({ connection: gone, session: gone, transaction: gone });
      },
    ],
  ],
  'the recovery from an error': [
    ['def safe_execute(runtime, skill, command, args=None):'],
    ['    state = runtime.get_state(skill)'],
    [
      '    missing = state.check_requires(command)',
      async (one) => (one.missing = await one.state.checkRequires('click')),
    ],
    ['    if missing:', ({ missing }) => expect(missing).toEqual(['refs'])],
    ['        for entity in missing:', refused],
    [
      '            setup_command = find_setup_command(skill, entity)',
      ({ error }) => expect(error).toHaveProperty('details.setup', ['snapshot']),
    ],
    ['            if setup_command:'],
    [
      '                runtime.execute(skill, setup_command)',
      ({ runtime }) => runtime.execute('agent-browser', 'snapshot'),
    ],
    [
      '    return runtime.execute(skill, command, args)',
      async ({ runtime }) => {
        const { ended } = await runtime.execute('agent-browser', 'click', { ref: '@e1' });
        expect(ended.verdict.status).toBe('passed');
      },
    ],
    ['from uasp.core.errors import InvalidStateError'],
    ['try:'],
    ['    result = runtime.execute("agent-browser", "click", {"ref": "@e1"})', refused],
    ['except InvalidStateError as e:'],
    [
      '    print(f"Error: {e.message}")',
      ({ error }) => expect(error).toHaveProperty('message', "Required state 'refs' is not valid"),
    ],
    [
      `    print(f"Missing: {e.details['missing']}")`,
      ({ error }) => expect(error).toHaveProperty('details.missing', ['refs']),
    ],
    [`    # Error: Required state 'refs' is not valid`],
    [`    # Missing: ['refs']`],
  ],
};
