import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/json/json.ts';
import type { CommandDefinition, EntityDefinition } from '../../../src/pipeline/pipeline.ts';
import { entityKey, type EntityChange, type EntityTarget } from '../../../src/run/entity/change.ts';
import { EntityEffects, findConflict, findSetupCommands } from '../../../src/run/entity/effects.ts';
import { compactEntries, EntityStates, type EntityEntry } from '../../../src/run/entity/entity-log.ts';
import { findInvalidName, instanceNamed, namesIn } from '../../../src/run/entity/instances.ts';

const entity = (over: Partial<EntityDefinition> = {}): EntityDefinition => ({
  format: undefined,
  properties: [],
  dependsOn: [],
  expiresAt: undefined,
  ...over,
});
const DEFINITIONS = {
  browser: entity(),
  page: entity({ dependsOn: ['browser'] }),
  refs: entity({ format: '@e{n}', dependsOn: ['page'] }),
  resource: entity({ format: 'resource_{id}' }),
  session: entity({ expiresAt: '/expires_at' }),
  cart: entity({ dependsOn: ['session'] }),
};
const NOW = '2026-01-02T03:00:00.000Z';
const by = { actor: 'octocat', reason: 'test' };

const entryOf = (changes: readonly EntityChange[], over: object = {}): EntityEntry => ({
  v: 1,
  kind: 'changed',
  pipeline: 'p',
  at: NOW,
  by,
  changes: [...changes],
  ...over,
});

/** The effects of steps on states that earlier effects left. */
function after(...steps: readonly ((effects: EntityEffects) => void)[]): EntityEffects {
  let effects = new EntityEffects(DEFINITIONS, new Map(), NOW);
  for (const step of steps) {
    step(effects);
    effects = new EntityEffects(DEFINITIONS, effects.states, NOW);
  }
  return effects;
}

const valid = ({ states }: EntityEffects): string[] =>
  [...states.values()]
    .filter(({ to }) => to === 'valid')
    .map(entityKey)
    .toSorted();

describe('the effects of a change', () => {
  const create =
    (name: string, value?: JsonValue, args = {}) =>
    (effects: EntityEffects) =>
      effects.create(name, value, { args });
  const all = [create('browser'), create('page'), create('refs', ['@e1']), create('resource', { id: 7 })];

  it.each<[string, (effects: EntityEffects) => void, string[]]>([
    [
      'invalidates what depends on it, transitively',
      (e) => e.invalidate({ entity: 'browser' }, 'x'),
      ['resource/resource_7'],
    ],
    [
      'leaves what it depends on',
      (e) => e.invalidate({ entity: 'refs' }, 'x'),
      ['browser', 'page', 'resource/resource_7'],
    ],
    ['invalidates all instances', (e) => e.invalidate({ entity: 'resource' }, 'x'), ['browser', 'page', 'refs']],
    [
      'leaves other instances',
      (e) => e.invalidate({ entity: 'resource', instance: 'resource_8' }, 'x'),
      ['browser', 'page', 'refs', 'resource/resource_7'],
    ],
    ['takes dependents along when it is reset', (e) => e.reset({ entity: 'page' }), ['browser', 'resource/resource_7']],
    [
      'leaves other instances when one is reset',
      (e) => e.reset({ entity: 'resource', instance: 'resource_8' }),
      ['browser', 'page', 'refs', 'resource/resource_7'],
    ],
    [
      'takes along what a killed call would have made',
      (e) => e.kill({ targets: [{ entity: 'page' }], changes: [] }, 'x'),
      ['browser', 'resource/resource_7'],
    ],
    ['creates beside what it depends on', create('browser', 1), ['browser', 'page', 'refs', 'resource/resource_7']],
    [
      'creates another instance',
      create('resource', 'resource_9'),
      ['browser', 'page', 'refs', 'resource/resource_7', 'resource/resource_9'],
    ],
  ])('%s', (_, step, expected) => {
    expect(valid(after(...all, step))).toEqual(expected);
  });

  it('keeps the value of an entity that became invalid, but not of one that was reset', () => {
    const effects = after(...all, (e) => e.invalidate({ entity: 'browser' }, 'closed'));
    expect(effects.states.get('refs')).toMatchObject({
      to: 'invalid',
      value: ['@e1'],
      cause: 'page is not valid any more',
    });
    const reset = after(...all, (e) => e.reset({ entity: 'refs' })).states.get('refs');
    expect([reset?.to, reset?.value]).toEqual(['absent', undefined]);
  });

  it('forgets what is reset, and nothing else', () => {
    const states = (step: (effects: EntityEffects) => void) =>
      [...after(...all, create('resource', { id: 8 }), step).states.values()].flatMap((state) =>
        state.to === 'absent' ? [entityKey(state)] : [],
      );
    expect(states((e) => e.reset({ entity: 'resource' }))).toEqual(['resource/resource_7', 'resource/resource_8']);
    expect(states((e) => e.reset({ entity: 'resource', instance: 'resource_7' }))).toEqual(['resource/resource_7']);
    expect(states((e) => e.reset({ entity: 'refs' }))).toEqual(['refs']);
  });

  it('of a killed call: what it would have made is invalid, why, and known even if it never existed', () => {
    const change = (name: string): EntityChange => ({ entity: name, instance: '', to: 'invalid', cause: 'open began' });
    const targets = [{ entity: 'page', instance: '' }];
    const killed = (...steps: ((effects: EntityEffects) => void)[]) =>
      [
        ...after(...steps, (e) =>
          e.kill({ targets, changes: [change('page'), change('cart')] }, 'killed'),
        ).states.values(),
      ]
        .map((state) => `${state.entity} ${state.to}${state.cause === undefined ? '' : `: ${state.cause}`}`)
        .toSorted();
    expect(killed()).toEqual(['page invalid: killed']);
    expect(killed(create('browser'), create('page'))).toEqual(['browser valid', 'page invalid: killed']);
    const invalidated = (e: EntityEffects) => {
      for (const name of ['page', 'cart']) e.invalidate({ entity: name }, 'open began');
    };
    expect(killed(create('page'), create('cart'), invalidated)).toEqual([
      'cart invalid: open began',
      'page invalid: killed',
    ]);
    const reset = (e: EntityEffects) => e.reset({ entity: 'page' });
    expect(killed(create('page'), reset)).toEqual(['page invalid: killed']);
  });

  it('names its targets: of one with instances, whichever the result names', () => {
    const effects = after(...all);
    const uses = { requires: [], creates: ['resource', 'page'], invalidates: ['resource', 'refs'] };
    expect(effects.targets(uses, { id: '7' })).toEqual([
      { entity: 'resource' },
      { entity: 'page', instance: '' },
      { entity: 'resource', instance: 'resource_7' },
      { entity: 'refs' },
    ]);
  });

  it('gives each entity the part of a value with its name, else the whole value', () => {
    const effects = after(create('browser', { browser: 1, page: 2 }), create('page', { browser: 1, page: 2 }));
    expect(effects.states.get('browser')?.value).toBe(1);
    expect(after(create('page', { x: 1 })).states.get('page')?.value).toEqual({ x: 1 });
  });

  it.each<[JsonValue, 'valid' | 'invalid', string?]>([
    [{ expires_at: '2026-01-02T03:00:01Z' }, 'valid'],
    [{ expires_at: '2026-01-02T04:00:01+01:00' }, 'valid'],
    [{ expires_at: Date.parse(NOW) / 1_000 + 1 }, 'valid'],
    [{ expires_at: Date.parse(NOW) + 1 }, 'valid'],
    [{ expires_at: '2026-01-02T02:59:59Z' }, 'invalid', 'it expired at 2026-01-02T02:59:59.000Z'],
    [{ expires_at: NOW }, 'invalid', `it expired at ${NOW}`],
    [{ expires_at: '2026-01-02T04:00:01+0100' }, 'valid'],
    [{ expires_at: 'at 2026-01-02T03:00:01Z' }, 'invalid', 'its value has no time at /expires_at'],
    [{ expires_at: '2026-01-02' }, 'invalid', 'its value has no time at /expires_at'],
    [{ expires_at: 'tomorrow' }, 'invalid', 'its value has no time at /expires_at'],
    [{ expires_at: 1e30 }, 'invalid', 'its value has no time at /expires_at'],
    ['text', 'invalid', 'its value has no time at /expires_at'],
  ])('reads when it expires: %j', (value, to, cause) => {
    expect(after(create('session', value)).states.get('session')).toMatchObject({ to, value, ...(cause && { cause }) });
  });

  it('make an entity invalid from the moment it expires, and all that depend on it', () => {
    const { states } = after(create('session', { expires_at: '2026-01-02T03:00:01Z' }), create('cart'));
    expect(valid(new EntityEffects(DEFINITIONS, states, NOW))).toEqual(['cart', 'session']);
    const later = new EntityEffects(DEFINITIONS, states, '2026-01-02T03:00:01.000Z');
    expect([valid(later), later.changes.length]).toEqual([[], 2]);
  });

  it('requires the instance that an argument names, or any', () => {
    const effects = after(create('resource', { id: 7 }), create('refs', ['@e1']));
    const missing = (name: string, args = {}) => effects.missing([name], args);
    expect(missing('resource')).toEqual([]);
    expect(missing('resource', { resource_id: '7' })).toEqual([]);
    expect(missing('resource', { resource_id: 'resource_8' })).toEqual(['resource']);
    // Created as a whole: every reference is meant.
    expect(missing('refs', { ref: '@e5' })).toEqual([]);
    expect(missing('page')).toEqual(['page']);
  });
});

describe('the instance that texts name', () => {
  it.each<[string, string | undefined, Record<string, string>, string | undefined]>([
    ['resource', 'resource_{id}', { id: '7' }, 'resource_7'],
    ['resource', 'resource_{id}', { resource_id: 'resource_7' }, 'resource_7'],
    ['resource', 'resource_{id}', { resource: '7' }, 'resource_7'],
    ['resource', 'resource_{id}', { type: 'gpu', which: 'resource_7' }, 'resource_7'],
    ['resource', 'resource_{id}', { type: 'gpu' }, undefined],
    ['resource', 'resource_{id}', { id: '' }, undefined],
    ['resource', 'resource_{id}', { id: 'x'.repeat(200) }, undefined],
    ['resource', 'resource_{id}', { id: '$&' }, 'resource_$&'],
    ['refs', '@e{n}', { ref: '@e1' }, '@e1'],
    ['refs', '@e{n}', { ref: '@e' }, undefined],
    ['vm', '{zone}-{n}', { zone: 'eu', n: '3' }, 'eu-3'],
    ['vm', '{zone}-{n}', { vm: 'eu-3' }, 'eu-3'],
    ['vm', '{zone}-{n}', { zone: 'eu' }, undefined],
    ['session', '{session_id}', { session_id: 'abc' }, 'abc'],
    ['session', '{session_id}', { user: 'john' }, undefined],
    ['session', undefined, { session: 'abc' }, undefined],
    ['session', 'a name', { session: 'a name' }, undefined],
  ])('%s %s %j', (name, format, names, expected) => {
    expect(instanceNamed(name, entity({ format }), names)).toBe(expected);
  });

  it('comes from a value: its keys, or the name of what is returned', () => {
    expect(namesIn({ id: 7, list: [1] }, undefined)).toEqual({ id: '7' });
    expect(namesIn('7', 'resource_id')).toEqual({ resource_id: '7' });
    expect([namesIn(['@e1'], 'refs'), namesIn(undefined, 'refs')]).toEqual([{}, {}]);
  });

  it('is rejected where it would mean all instances', () => {
    const { resource, browser } = DEFINITIONS;
    expect(findInvalidName('resource', resource, { resource_id: '' })).toBe('resource_id');
    expect(findInvalidName('resource', resource, { id: 'x'.repeat(201) })).toBe('id');
    expect(findInvalidName('resource', resource, { id: '7', type: '' })).toBeUndefined();
    expect(findInvalidName('browser', browser, { browser: '' })).toBeUndefined();
  });
});

describe('uses that must not run at the same time', () => {
  const use = (requires: EntityTarget[], changes: EntityTarget[] = []) => ({ requires, changes });
  const [page, browser, one, two] = [
    { entity: 'page' },
    { entity: 'browser' },
    { entity: 'resource', instance: 'resource_1' },
    { entity: 'resource', instance: 'resource_2' },
  ];
  it.each([
    ['two that only require', use([page]), use([page]), undefined],
    ['one that changes what the other requires', use([], [page]), use([page]), 'page'],
    ['one that changes what the other depends on', use([], [browser]), use([{ entity: 'refs' }]), 'refs'],
    ['two that change the same', use([], [page]), use([], [page]), 'page'],
    ['two that change what both lead to', use([], [page]), use([], [browser]), 'page'],
    ['two instances', use([one], [one]), use([two], [two]), undefined],
    ['an instance and all of them', use([], [one]), use([{ entity: 'resource' }]), 'resource'],
  ])('%s', (_, a, b, expected) => {
    expect([findConflict(DEFINITIONS, a, b), findConflict(DEFINITIONS, b, a)]).toEqual([expected, expected]);
  });
});

describe('commands that set up', () => {
  const command = (creates: string[], requires: string[] = [], over: Partial<CommandDefinition> = {}) =>
    ({
      syntax: 'x',
      requires,
      creates,
      invalidates: [],
      onInvalid: 'fail',
      returns: undefined,
      setup: true,
      timeoutMinutes: 1,
      ...over,
    }) as CommandDefinition;
  const commands = {
    open: command(['browser', 'page']),
    snapshot: command(['refs'], ['page']),
    acquire: command(['resource'], [], { syntax: 'acquire <type>' }),
    login: command(['session'], [], { setup: false }),
    chicken: command(['cart'], ['egg']),
    egg: command(['egg'], ['cart']),
  };
  it.each<[string[], string[], string[] | undefined]>([
    [['refs'], ['page'], ['snapshot']],
    [['refs'], [], ['open', 'snapshot']],
    [['page', 'refs'], [], ['open', 'snapshot']],
    [['resource'], [], undefined],
    [['session'], [], undefined],
    [['cart'], [], undefined],
  ])('for %j with %j: %j', (missing, existing, expected) => {
    expect(findSetupCommands(commands, missing, (name) => existing.includes(name))).toEqual(expected);
  });
});

describe('the log of entities', () => {
  const change = fc.record({
    entity: fc.constantFrom('a', 'b'),
    instance: fc.constantFrom('', 'x'),
    to: fc.constantFrom('valid', 'invalid', 'absent'),
    value: fc.option(fc.jsonValue(), { nil: undefined }),
  });
  const step = fc.tuple(
    fc.constantFrom('p', 'q'),
    fc.constantFrom(undefined, '1', '2'),
    fc.boolean(),
    fc.array(change),
  );
  const entries = fc.array(step).map((steps) =>
    steps.map(([pipeline, id, isBegin, changes]) => {
      const clean = changes.map(({ value, ...rest }) => (rest.to === 'valid' ? { ...rest, value } : rest));
      const kind = isBegin && id ? { kind: 'began', targets: [], processes: [] } : {};
      return entryOf(clean as EntityChange[], { pipeline, id, ...kind });
    }),
  );

  it('gives the same state after it is compacted, also with later entries', () => {
    fc.assert(
      fc.property(entries, entries, (before, more) => {
        for (const pipeline of ['p', 'q']) {
          const [whole, short] = [
            [...before, ...more],
            [...compactEntries(before), ...more],
          ].map((list) => new EntityStates(pipeline, list));
          const shown = ({ states }: EntityStates) => [...states].filter(([, { to }]) => to !== 'absent');
          expect(shown(short!)).toEqual(shown(whole!));
          expect([...short!.open.keys()].toSorted()).toEqual([...whole!.open.keys()].toSorted());
        }
      }),
    );
  });

  it('ends a use only once', () => {
    const begun = entryOf([], { kind: 'began', id: '1', targets: [], processes: [] });
    const create = entryOf([{ entity: 'a', instance: '', to: 'valid' }]);
    const killed = entryOf([{ entity: 'a', instance: '', to: 'invalid' }], { id: '1' });
    const { states, open } = new EntityStates('p', [begun, killed, create, killed]);
    expect([states.get('a')?.to, open.size]).toEqual(['valid', 0]);
  });
});
