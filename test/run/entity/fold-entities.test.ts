import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/json/json.ts';
import type { Entity, EntityUse } from '../../../src/pipeline/entities/entities.ts';
import { entityKey, isValidAt, type EntityStates } from '../../../src/run/entity/entity-state.ts';
import { placesIn } from '../../../src/run/entity/call-places.ts';
import { foldEntities } from '../../../src/run/entity/fold-entities.ts';
import { instancesGiven, instancesOf } from '../../../src/run/entity/instances.ts';
import { conflictWith, openUses, requiredState, resolveUse } from '../../../src/run/entity/resolve-use.ts';
import type { GatelineRecord } from '../../../src/run/records/record.ts';
import type { ReadProblem } from '../../../src/run/records/reading.ts';
import { contentOf, decided, ended, FAILED, listing, NOW, started } from '../../support/records.ts';

const now = Date.parse(NOW);

function entity(name: string, more: Partial<Entity> = {}): Entity {
  return { name, format: undefined, properties: [], dependsOn: [], lifetime: undefined, margin: 0, ...more };
}

function use(more: Partial<EntityUse>): EntityUse {
  return { requires: [], creates: [], invalidates: [], onInvalid: 'fail', leaves: false, ...more };
}

/** A command that passed and created something. */
function creates(call: number, name: string, value?: string, instance = ''): GatelineRecord[] {
  const one = { entity: name, instance, ...(value !== undefined && { value: contentOf(value) }) };
  return [
    started({
      gate: `make-${name}`,
      call,
      command: true,
      entities: { requires: [], invalidates: [], creates: [name] },
    }),
    ended({ gate: `make-${name}`, call, command: true, effects: { creates: [one], invalidates: [] } }),
  ];
}

function invalidates(call: number, name: string, instance = ''): GatelineRecord {
  const uses = { requires: [], invalidates: [{ entity: name, instance }], creates: [] };
  return started({ gate: `end-${name}`, call, command: true, entities: uses });
}

function statesOf(
  entities: readonly Entity[],
  records: readonly GatelineRecord[],
  { problems = [], values = {} }: { problems?: readonly ReadProblem[]; values?: Record<string, JsonValue> } = {},
): EntityStates {
  const known = new Map(Object.entries(values).map(([text, value]) => [contentOf(text).digest, value]));
  return foldEntities(entities, listing(records, problems), { values: known });
}

function validIn(states: EntityStates): string[] {
  return [...states.values()].filter((state) => isValidAt(state, now)).map(entityKey);
}

describe('a life', () => {
  const session = [entity('session')];

  it('is absent, valid, invalid and valid again; its value stays', () => {
    expect(statesOf(session, []).size).toBe(0);
    const created = creates(1, 'session', 'v');
    expect(validIn(statesOf(session, created))).toEqual(['session']);
    const gone = statesOf(session, [...created, invalidates(2, 'session')]).get('session');
    expect(gone).toMatchObject({ valid: false, value: contentOf('v'), reason: 'end-session made it invalid' });
    expect(validIn(statesOf(session, [...created, invalidates(2, 'session'), ...creates(3, 'session')]))).toEqual([
      'session',
    ]);
  });

  it('does not begin with an attempt that failed, or whose output was reused', () => {
    const effects = { creates: [{ entity: 'session', instance: '' }], invalidates: [] };
    expect(statesOf(session, [ended({ gate: 'login', effects, verdict: FAILED })]).size).toBe(0);
    expect(statesOf(session, [ended({ gate: 'login', effects, how: 'reused' })]).size).toBe(0);
  });

  it('ends by decision, and a reset leaves nothing', () => {
    const about = (action: 'create' | 'invalidate' | 'reset') => ({ entity: 'session', instance: '', action });
    const create = decided({ gate: '-', call: 1, decision: 'entity', entity: about('create') });
    const end = decided({ gate: '-', call: 2, decision: 'entity', entity: about('invalidate') });
    expect(statesOf(session, [create, end]).get('session')).toMatchObject({
      valid: false,
      reason: 'somebody made it invalid: because',
    });
    expect(statesOf(session, [create, decided({ ...end, call: 2, entity: about('reset') })]).size).toBe(0);
  });

  it('comes before another of a later run, whatever its call', () => {
    const later = [...creates(1, 'session')].map((record) => ({ ...record, runNumber: 2 }));
    expect(validIn(statesOf(session, [...later, invalidates(7, 'session')]))).toEqual(['session']);
  });

  it('within a call follows the order in which gates began, and the needs where none is recorded', () => {
    const uses = (order: number | undefined, name: 'invalidates' | 'creates') => ({
      ...(order !== undefined && { order }),
      requires: [],
      invalidates: name === 'invalidates' ? [{ entity: 'session', instance: '' }] : [],
      creates: name === 'creates' ? ['session'] : [],
    });
    const effects = { creates: [{ entity: 'session', instance: '' }], invalidates: [] };
    const make = (n: number, order?: number) => [
      started({ gate: 'make', n, entities: uses(order, 'creates') }),
      ended({ gate: 'make', n, effects }),
    ];
    const end = (order?: number) => started({ gate: 'end', n: 1, entities: uses(order, 'invalidates') });
    expect(validIn(statesOf(session, [...make(1, 1), end(2), ...make(2, 3)]))).toEqual(['session']);
    expect(validIn(statesOf(session, [...make(1, 1), ...make(2, 2), end(3)]))).toEqual([]);
    const ranked = (first: string, second: string) =>
      foldEntities(session, listing([...make(1), end()]), {
        values: new Map(),
        rank: new Map([
          [first, 0],
          [second, 1],
        ]),
      });
    expect(validIn(ranked('make', 'end'))).toEqual([]);
    expect(validIn(ranked('end', 'make'))).toEqual(['session']);
  });

  it('is not trusted after a record that cannot be read, or may be missing', () => {
    const names = { gate: 'x', leg: '', runNumber: 1, runAttempt: 2, n: 1, kind: 'started' };
    const unread = { code: 'CORRUPT', where: 'x', message: 'is torn', names } as const;
    const created = creates(1, 'session');
    expect(statesOf(session, created, { problems: [unread] }).get('session')).toMatchObject({
      valid: false,
      reason: 'a record cannot be read: x: is torn',
    });
    expect(validIn(statesOf(session, creates(3, 'session'), { problems: [unread] }))).toEqual(['session']);
    const blind = { code: 'OUTAGE', where: 'list', message: 'no answer' } as const;
    expect(validIn(statesOf(session, created, { problems: [blind] }))).toEqual([]);
  });

  it('is trusted again once somebody who saw that a record cannot be read has recorded something', () => {
    const at = (gate: string, order: number) => [
      started({ gate, n: 1, entities: { order, requires: [], invalidates: [], creates: [gate] } }),
      ended({ gate, n: 1, effects: { creates: [{ entity: gate, instance: '' }], invalidates: [] } }),
    ];
    const torn = ['x', 'y'].map((gate) => {
      const names = { gate, leg: '', runNumber: 1, runAttempt: 1, n: 1, kind: 'started' };
      return { code: 'CORRUPT', where: gate, message: 'is torn', names } as const;
    });
    const next = (records: GatelineRecord[], problems: ReadProblem[]): number =>
      placesIn(listing(records, problems), { runNumber: 1, runAttempt: 1 }).next;
    const both = [entity('a'), entity('b')];
    // `x` may have been the first, the second or the third.
    expect(next(at('a', 1), torn.slice(0, 1))).toBe(3);
    expect(validIn(statesOf(both, at('a', 1), { problems: torn.slice(0, 1) }))).toEqual([]);
    const later = [...at('a', 1), ...at('b', 3)];
    expect(validIn(statesOf(both, later, { problems: torn.slice(0, 1) }))).toEqual(['b']);
    expect(next(later, torn.slice(0, 1))).toBe(4);
    // A second one became unreadable: it may be any of them.
    expect(validIn(statesOf(both, later, { problems: torn }))).toEqual([]);
    expect(next(later, torn)).toBe(5);
    expect(validIn(statesOf([...both, entity('c')], [...later, ...at('c', 5)], { problems: torn }))).toEqual(['c']);
  });

  it('is found soon among thousands of instances that come and go', () => {
    const refs = [entity('refs', { format: '@e{n}' })];
    const pages = Array.from({ length: 100 }, (_, page) => {
      const n = page + 1;
      const creates = Array.from({ length: 1_000 }, (_item, at) => ({
        entity: 'refs',
        instance: `@e${page % 5}-${at}`,
      }));
      const uses = { order: n * 2, requires: [], invalidates: [], creates: ['refs'] };
      const click = { order: n * 2 + 1, requires: [], invalidates: [{ entity: 'refs', instance: '' }], creates: [] };
      return [
        started({ gate: 'snapshot', n, entities: uses }),
        ended({ gate: 'snapshot', n, effects: { creates, invalidates: [] } }),
        ...(n < 100 ? [started({ gate: 'click', n, entities: click })] : []),
      ];
    });
    const began = process.cpuUsage();
    expect(validIn(statesOf(refs, pages.flat()))).toHaveLength(1_000);
    expect(process.cpuUsage(began).user / 1_000).toBeLessThan(5_000);
  });

  it('of the seed: what depends on an entity, and what was made from it, ends with it', () => {
    const entities = [entity('connection'), entity('token', { dependsOn: ['connection'] }), entity('lease')];
    const from = { requires: [{ entity: 'token', instance: '' }], invalidates: [], creates: ['lease'] };
    const lease = [
      started({ gate: 'lease', call: 3, entities: from }),
      ended({ gate: 'lease', call: 3, effects: { creates: [{ entity: 'lease', instance: '' }], invalidates: [] } }),
    ];
    const all = [...creates(1, 'connection'), ...creates(2, 'token'), ...lease];
    expect(validIn(statesOf(entities, all))).toEqual(['connection', 'token', 'lease']);
    const gone = statesOf(entities, [...all, invalidates(4, 'connection')]);
    expect(validIn(gone)).toEqual([]);
    expect(gone.get('lease')!.reason).toBe('token is no longer valid');
  });
});

describe('the end of a life', () => {
  const made = creates(1, 'session', 'v');
  const isValid = (more: Partial<Entity>, value: JsonValue | undefined, after: number): boolean => {
    const entities = [entity('session', more)];
    const states = statesOf(entities, made, value === undefined ? {} : { values: { v: value } });
    return resolveUse(use({ requires: ['session'] }), { entities, states, now: now + after }).missing.length === 0;
  };

  it.each([
    ['its lifetime', { lifetime: 1_000 }, undefined, 999, true],
    ['its lifetime is over', { lifetime: 1_000 }, undefined, 1_000, false],
    ['a margin before that', { lifetime: 1_000, margin: 500 }, undefined, 500, false],
    ['a time', { lifetime: '/at' }, { at: new Date(now + 10).toISOString() }, 9, true],
    ['a time that is over', { lifetime: '/at' }, { at: new Date(now + 10).toISOString() }, 10, false],
    ['milliseconds', { lifetime: '/at' }, { at: now + 10 }, 9, true],
    ['milliseconds that are over', { lifetime: '/at' }, { at: now + 10 }, 10, false],
    ['seconds', { lifetime: '/at' }, { at: Math.floor(now / 1_000) + 5 }, 1_000, true],
    ['milliseconds', { lifetime: '/at' }, { at: now + 5 }, 4, true],
    ['milliseconds that are over', { lifetime: '/at' }, { at: now + 5 }, 5, false],
    ['no such value', { lifetime: '/at' }, {}, 0, false],
    ['a value that is no time', { lifetime: '/at' }, { at: 'tomorrow' }, 0, false],
    ['a value that cannot be read', { lifetime: '/at' }, undefined, 0, false],
    ['null', { lifetime: '/at' }, { at: null }, 0, false],
    ['microseconds', { lifetime: '/at' }, { at: now * 1_000 }, 0, false],
    ['the last second that there is', { lifetime: '/at' }, { at: '9999-12-31T23:59:59Z' }, 0, true],
    ['a day that there is not', { lifetime: '/at' }, { at: '2026-02-30T00:00:00Z' }, 0, false],
    ['a clock that is a little behind', { lifetime: 1_000 }, undefined, -60_000, true],
    ['a clock that was set back', { lifetime: 1_000 }, undefined, -60_001, false],
    ['a clock that was set back, and a time', { lifetime: '/at' }, { at: now + 10 }, -60_001, false],
    ['a clock that was set back, and no limit', {}, undefined, -60_001, true],
    ['a number that is no time', { lifetime: '/at' }, { at: 9e99 }, 0, false],
  ] as const)('is %s', (_, more, value, after, expected) => {
    expect(isValid(more, value as JsonValue | undefined, after)).toBe(expected);
  });
});

describe('what one command creates', () => {
  it('ends with what it depends on, in whatever order it names them', () => {
    const entities = [
      entity('connection', { lifetime: 1_000 }),
      entity('session', { dependsOn: ['connection'] }),
      entity('tx', { dependsOn: ['session'] }),
    ];
    const named = ['tx', 'session', 'connection'].map((name) => ({ entity: name, instance: '' }));
    const record = ended({ gate: 'login', call: 1, command: true, effects: { creates: named, invalidates: [] } });
    const states = statesOf(entities, [record]);
    expect([...states.values()].map(({ until }) => until)).toEqual([now + 1_000, now + 1_000, now + 1_000]);
  });
});

describe('instances', () => {
  const pool = entity('resource', { format: 'resource_{id}' });
  const refs = entity('refs', { format: '@e{n}' });

  it.each<[Entity, JsonValue | undefined, string[]]>([
    [pool, { id: 7, type: 'x' }, ['resource_7']],
    [pool, 'resource_7', ['resource_7']],
    [pool, { id: 'resource_7' }, ['resource_7']],
    [refs, ['@e1', '@e2', '@e1'], ['@e1', '@e2']],
    [refs, ['@e1', 'other'], ['']],
    [refs, [], []],
    [entity('plain'), [], ['']],
    [pool, { name: 'x' }, ['']],
    [pool, { id: '' }, ['resource_']],
    [pool, { id: 'x'.repeat(200) }, ['']],
    [pool, 'resource_', ['']],
    [entity('plain', { format: 'x' }), { id: 1 }, ['']],
    [entity('plain'), { id: 1 }, ['']],
    [entity('two', { format: '{a}-{b}' }), { a: 1, b: 2 }, ['1-2']],
  ])('of %o with %j are %j', (one, value, expected) => {
    expect(instancesOf(one, value, {})).toEqual(expected);
  });

  it.each<[Entity, Record<string, string>, string | undefined]>([
    [refs, { ref: '@e1' }, '@e1'],
    [refs, { text: 'hello' }, undefined],
    [pool, { resource_id: 'resource_3' }, 'resource_3'],
    [pool, { resource_id: '3' }, 'resource_3'],
    [pool, { id: '3' }, 'resource_3'],
    [pool, { other: 'resource_3' }, 'resource_3'],
    [entity('lease', { format: 'resource_{id}' }), { resource_id: '3' }, 'resource_3'],
    [pool, { note: 'resource_3', id: '4' }, 'resource_4'],
    [entity('seat', { format: '{row}-{place}' }), { row: 'a', place: '7' }, 'a-7'],
    [entity('seat', { format: '{row}-{place}' }), { row: 'a' }, undefined],
    [entity('session', { format: '{session_id}' }), { text: 'hello' }, undefined],
    [entity('session', { format: '{session_id}' }), { session_id: 'abc' }, 'abc'],
    [entity('plain'), { plain: 'x' }, undefined],
  ])('of %o are named by %j: %s', (one, given, expected) => {
    expect(instancesGiven(one, given)).toEqual(expected === undefined ? [] : [expected]);
  });

  it('are all required and invalidated that arguments name, and each is missing alone', () => {
    const all = [...creates(1, 'resource', 'a', 'resource_1'), ...creates(2, 'resource', 'b', 'resource_2')];
    const asking = { entities: [pool], states: statesOf([pool], all), now };
    const move = use({ requires: ['resource'], invalidates: ['resource'] });
    const both = resolveUse(move, { ...asking, given: { from: 'resource_1', to: 'resource_2' } });
    expect(both.missing).toEqual([]);
    expect(both.requires.map(entityKey)).toEqual(['resource/resource_1', 'resource/resource_2']);
    expect(both.invalidates.map(({ instance }) => instance)).toEqual(['resource_1', 'resource_2']);
    const one = resolveUse(move, { ...asking, given: { from: 'resource_1', to: 'resource_9' } });
    expect(one.missing).toEqual(['resource']);
  });

  it('are required by argument, else the newest', () => {
    const all = [...creates(1, 'resource', 'a', 'resource_1'), ...creates(2, 'resource', 'b', 'resource_2')];
    const states = statesOf([pool], all);
    const asking = { entities: [pool], states, now };
    const key = (given?: Record<string, string>, valid = true) => {
      const found = requiredState('resource', { ...asking, ...(given && { given }) }, valid);
      return found && entityKey(found);
    };
    expect(key()).toBe('resource/resource_2');
    expect(key({ id: '1' })).toBe('resource/resource_1');
    expect(key({ id: '3' })).toBeUndefined();
    expect(resolveUse(use({ invalidates: ['resource'] }), { ...asking, given: { id: '1' } }).invalidates).toEqual([
      { entity: 'resource', instance: 'resource_1' },
    ]);
    const released = statesOf([pool], [...all, invalidates(3, 'resource', 'resource_1')]);
    expect(validIn(released)).toEqual(['resource/resource_2']);
    expect(validIn(statesOf([pool], [...all, invalidates(3, 'resource')]))).toEqual([]);
  });

  it('of a leg are its own, or what was created for all', () => {
    const states = statesOf([pool], [...creates(1, 'resource', 'a', ''), ...creates(2, 'resource', 'b', 'chrome')]);
    const asking = { entities: [pool], states, now };
    expect(requiredState('resource', { ...asking, leg: 'chrome' }, true)!.instance).toBe('chrome');
    expect(requiredState('resource', { ...asking, leg: 'firefox' }, true)!.instance).toBe('');
  });
});

describe('what is being used', () => {
  const entities = [entity('connection'), entity('session', { dependsOn: ['connection'] }), entity('other')];
  const none = { requires: [], missing: [], invalidates: [], creates: [] };
  const requires = [{ entity: 'session', instance: '' }];
  const reader = started({ gate: 'read', call: 1, entities: { requires, invalidates: [], creates: [] } });
  const states = statesOf(entities, [...creates(1, 'connection'), ...creates(1, 'session')]);
  const open = openUses(listing([reader, ...creates(2, 'other')]), () => false);

  it('is what began and has not ended, unless its holder is gone', () => {
    expect(open.map(({ by }) => by)).toEqual(['read']);
    expect(openUses(listing([reader]), () => true)).toEqual([]);
  });

  it('is required by others, too, and changed by none', () => {
    const session = states.get('session')!;
    expect(conflictWith({ ...none, requires: [session] }, open, { entities, states })).toBeUndefined();
    expect(conflictWith({ ...none, creates: ['session'] }, open, { entities, states })).toMatchObject({
      by: 'read',
      entity: 'session',
    });
    const connection = [{ entity: 'connection', instance: '' }];
    expect(conflictWith({ ...none, invalidates: connection }, open, { entities, states })).toMatchObject({
      by: 'read',
    });
    expect(conflictWith({ ...none, creates: ['other'] }, open, { entities, states })).toBeUndefined();
  });

  it('does not concern another instance', () => {
    const releases = { requires: [], invalidates: [{ entity: 'session', instance: 's1' }], creates: [] };
    const running = openUses(listing([started({ gate: 'x', entities: releases })]), () => false);
    const session = { ...states.get('session')!, instance: 's2' };
    expect(conflictWith({ ...none, requires: [session] }, running, { entities, states })).toBeUndefined();
    const same = { ...session, instance: 's1' };
    expect(conflictWith({ ...none, requires: [same] }, running, { entities, states })).toMatchObject({ by: 'x' });
  });
});
