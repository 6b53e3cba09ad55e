import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Entity, EntityUse } from '../../../src/pipeline/entities/entities.ts';
import { isValidAt, type EntityStates } from '../../../src/run/entity/entity-state.ts';
import { foldEntities } from '../../../src/run/entity/fold-entities.ts';
import { resolveUse } from '../../../src/run/entity/resolve-use.ts';
import type { GatelineRecord } from '../../../src/run/records/record.ts';
import { drawn } from '../../support/samples.ts';
import { decided, ended, FAILED, started } from '../../support/records.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'] as const;
const START = Date.parse('2026-01-01T00:00:00.000Z');
const MINUTE = 60_000;

/** A skill: some entities, each depending on earlier ones only, and commands that use them. */
interface Skill {
  readonly entities: readonly Entity[];
  readonly commands: readonly EntityUse[];
}

type Step =
  | { readonly kind: 'do'; readonly command: number; readonly outcome: 'passes' | 'fails' | 'is lost' }
  | { readonly kind: 'apply'; readonly command: number }
  | { readonly kind: 'decide'; readonly action: 'create' | 'invalidate' | 'reset'; readonly entity: number }
  | { readonly kind: 'wait'; readonly minutes: number };

const subset = fc.subarray([...NAMES], { maxLength: 3 });
const skills: fc.Arbitrary<Skill> = fc.record({
  entities: fc
    .tuple(
      ...NAMES.map((name, index) =>
        fc.tuple(fc.subarray(NAMES.slice(0, index), { maxLength: Math.min(index, 2) }), fc.boolean()),
      ),
    )
    .map((all) =>
      all.map(([dependsOn, isShort], index) => ({
        name: NAMES[index]!,
        format: undefined,
        properties: [],
        dependsOn,
        lifetime: isShort ? 10 * MINUTE : undefined,
        margin: isShort ? 2 * MINUTE : 0,
      })),
    ),
  commands: fc.array(
    fc.record({
      requires: subset,
      creates: subset,
      invalidates: subset,
      onInvalid: fc.constant('fail' as const),
      leaves: fc.constant(false),
    }),
    { minLength: 1, maxLength: 6 },
  ),
});
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('do'),
        command: fc.nat(5),
        outcome: fc.constantFrom('passes', 'passes', 'fails', 'is lost'),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('decide'),
        action: fc.constantFrom('create', 'create', 'invalidate', 'reset'),
        entity: fc.nat(4),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('apply'), command: fc.nat(5) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait'), minutes: fc.integer({ min: 1, max: 12 }) }) },
  ),
  { maxLength: 25 },
);

/** What is true after each step, written down as it happens: no records, no order, one entity after another. */
class Reference {
  readonly valid = new Map<string, { until: number; readonly from: ReadonlySet<string> }>();
  readonly #skill: Skill;

  constructor(skill: Skill) {
    this.#skill = skill;
  }

  isValid(name: string, now: number): boolean {
    const margin = this.#skill.entities.find((one) => one.name === name)!.margin;
    return this.valid.has(name) && now < this.valid.get(name)!.until - margin;
  }

  kill(name: string): void {
    if (!this.valid.delete(name)) return;
    for (const other of NAMES) {
      const { dependsOn } = this.#skill.entities.find((one) => one.name === other)!;
      if (dependsOn.includes(name) || this.valid.get(other)?.from.has(name)) this.kill(other);
    }
  }

  bear(name: string, now: number, requires: readonly string[]): void {
    const { lifetime, dependsOn } = this.#skill.entities.find((one) => one.name === name)!;
    const from = new Set(requires.filter((one) => one !== name));
    const living = [...from].flatMap((one) => this.ends.get(one) ?? []);
    // As in UASP, what is created is valid, whatever became invalid or ended before.
    const depended = dependsOn.flatMap((one) => this.valid.get(one)?.until ?? []).filter((end) => end > now);
    const until = Math.min(lifetime === undefined ? Infinity : now + Number(lifetime), ...living, ...depended);
    this.valid.set(name, { until, from });
    this.ends.set(name, until);
    this.#shorten(name, until);
  }

  /** What depends on it ends with the new one at the latest. */
  #shorten(name: string, until: number): void {
    for (const other of NAMES) {
      const life = this.valid.get(other);
      const { dependsOn } = this.#skill.entities.find((one) => one.name === other)!;
      if (life === undefined || life.until <= until || !(dependsOn.includes(name) || life.from.has(name))) continue;
      this.valid.set(other, { ...life, until });
      this.ends.set(other, until);
      this.#shorten(other, until);
    }
  }

  /** The end of each life so far, also of what is no longer valid. */
  readonly ends = new Map<string, number>();
}

/** Carries out the steps, as an engine would: a command starts only if it may. Returns what was recorded. */
function live(skill: Skill, todo: readonly Step[]): { records: GatelineRecord[]; now: number; reference: Reference } {
  const reference = new Reference(skill);
  const records: GatelineRecord[] = [];
  let now = START;
  let call = 0;
  let order = 1;
  for (const step of todo) {
    now += 1_000;
    const at = new Date(now).toISOString();
    call += 1;
    if (step.kind === 'wait') now += step.minutes * MINUTE;
    else if (step.kind === 'decide') {
      const entity = NAMES[step.entity]!;
      const about = { entity, instance: '', action: step.action, order: 1 };
      records.push(decided({ gate: '-', call, at, decision: 'entity', entity: about, fingerprint: null }));
      if (step.action === 'create') reference.bear(entity, now, []);
      else reference.kill(entity);
      if (step.action === 'reset') reference.ends.delete(entity);
    } else if (step.kind === 'apply') {
      // It ran elsewhere: whether it could is not asked. All in the call before, after what that recorded.
      const use = skill.commands[step.command % skill.commands.length]!;
      call -= 1;
      order += 1;
      const from = use.requires.filter((name) => reference.isValid(name, now) && !use.invalidates.includes(name));
      const one = (entity: string, n: number, more: object) =>
        decided({
          gate: '-',
          call,
          n: order * 10 + n,
          at,
          decision: 'entity',
          fingerprint: null,
          entity: { entity, instance: '', order, action: 'invalidate', ...more },
        });
      const names = from.map((entity) => ({ entity, instance: '' }));
      for (const [n, name] of use.invalidates.entries()) records.push(one(name, n, {}));
      for (const [n, name] of use.creates.entries()) records.push(one(name, 5 + n, { action: 'create', from: names }));
      for (const name of use.invalidates) reference.kill(name);
      for (const name of use.creates) reference.bear(name, now, from);
    } else {
      const use = skill.commands[step.command % skill.commands.length]!;
      const gate = `do${String(step.command % skill.commands.length)}`;
      const asking = { entities: skill.entities, states: foldAll(skill, records), now };
      const resolved = resolveUse(use, asking);
      const missing = use.requires.filter((name) => !reference.isValid(name, now));
      expect(resolved.missing).toEqual(missing);
      if (missing.length > 0) continue;
      const named = (names: readonly string[]) => names.map((entity) => ({ entity, instance: '' }));
      const entities = {
        requires: named(use.requires),
        invalidates: named(use.invalidates),
        creates: [...use.creates],
        order: 1,
      };
      records.push(started({ gate, call, at, command: true, entities }));
      for (const name of use.invalidates) reference.kill(name);
      if (step.outcome === 'is lost') continue;
      const verdict = step.outcome === 'fails' ? { verdict: FAILED } : {};
      const effects = { creates: step.outcome === 'fails' ? [] : named(use.creates), invalidates: [] };
      records.push(ended({ gate, call, at, command: true, effects, ...verdict }));
      if (step.outcome === 'fails') continue;
      const kept = use.requires.filter((name) => !use.invalidates.includes(name));
      for (const name of use.creates) reference.bear(name, now, kept);
    }
  }
  return { records, now, reference };
}

function foldAll(skill: Skill, records: readonly GatelineRecord[]): EntityStates {
  return foldEntities(skill.entities, { records, problems: [] }, { values: new Map() });
}

describe('the state of entities', () => {
  it('is what a reference says, for random skills and whatever order the records come in', () => {
    fc.assert(
      fc.property(skills, steps, fc.infiniteStream(fc.nat()), (skill, todo, numbers) => {
        const { records, now, reference } = live(skill, todo);
        const shuffled = [...records, ...records.slice(0, 2)]
          .map((record) => ({ record, place: numbers.next().value as number }))
          .sort((a, b) => a.place - b.place)
          .map(({ record }) => record);
        const states = foldAll(skill, shuffled);
        for (const { name, margin } of skill.entities)
          expect([name, isValidAt(states.get(name), now, margin)]).toEqual([name, reference.isValid(name, now)]);
      }),
      drawn(10_000),
    );
  });
});
