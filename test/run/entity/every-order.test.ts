import { describe, expect, it } from 'vitest';
import type { Entity, EntityUse } from '../../../src/pipeline/entities/entities.ts';
import { isValidAt, type EntityStates } from '../../../src/run/entity/entity-state.ts';
import { foldEntities } from '../../../src/run/entity/fold-entities.ts';
import { conflictWith, openUses, resolveUse } from '../../../src/run/entity/resolve-use.ts';
import type { GatelineRecord, StartedRecord } from '../../../src/run/records/record.ts';
import { ended, FAILED, started } from '../../support/records.ts';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const MINUTE = 60_000;

type Name = 'a' | 'b' | 'c';
/** Which of three entities each of four commands requires, creates and invalidates, and on what entities depend. */
interface Skill {
  readonly dependsOn: Partial<Record<Name, Name>>;
  readonly commands: readonly [requires: string, creates: string, invalidates: string][];
}

/** The first command is a gate of the run: it is recorded in the call of the run. */
const SKILLS: readonly Skill[] = [
  // A browser, the references of its page, and a session: a click uses them up, and close ends everything.
  {
    dependsOn: { b: 'a' },
    commands: [
      ['', 'a', ''],
      ['a', 'b', 'b'],
      ['b', 'c', 'b'],
      ['c', '', 'a'],
    ],
  },
  // Two that only require, one that changes, one that creates from what it requires.
  {
    dependsOn: {},
    commands: [
      ['', 'ab', ''],
      ['a', '', ''],
      ['ab', 'c', ''],
      ['', '', 'b'],
    ],
  },
  // Two that have nothing to do with each other, and what needs both.
  {
    dependsOn: {},
    commands: [
      ['', 'a', ''],
      ['', 'b', ''],
      ['ab', 'c', ''],
      ['', '', 'a'],
    ],
  },
  // What a command requires, it also creates again; a chain of dependencies.
  {
    dependsOn: { b: 'a', c: 'b' },
    commands: [
      ['', 'a', 'a'],
      ['a', 'b', ''],
      ['a', 'c', ''],
      ['c', 'c', 'c'],
    ],
  },
];

interface Life {
  readonly until: number;
  readonly from: string;
}

/** A command that has not ended, or whose process is gone. */
interface Open {
  readonly command: number;
  readonly claim: StartedRecord;
  readonly isLost: boolean;
}

/** What is true, written down as it happens, and what was recorded of it. */
interface World {
  readonly now: number;
  readonly lives: ReadonlyMap<string, Life>;
  readonly open: readonly Open[];
  readonly records: readonly GatelineRecord[];
  /** The call of the run that works, if one began. */
  readonly run: number;
  readonly trace: readonly string[];
}

const seen = { worlds: 0, starts: 0, missing: 0, conflicts: 0, overlaps: 0, expired: 0 };

class Search {
  readonly #skill: Skill;
  readonly #entities: readonly Entity[];
  readonly #uses: readonly EntityUse[];

  constructor(skill: Skill) {
    this.#skill = skill;
    this.#entities = ['a', 'b', 'c'].map((name) => ({
      name,
      format: undefined,
      properties: [],
      dependsOn: lettersOf(skill.dependsOn[name as Name]),
      lifetime: name === 'b' ? 10 * MINUTE : undefined,
      margin: name === 'b' ? 2 * MINUTE : 0,
    }));
    const use = { onInvalid: 'fail' as const, leaves: false };
    this.#uses = skill.commands.map(([requires, creates, invalidates]) => ({
      ...use,
      requires: lettersOf(requires),
      creates: lettersOf(creates),
      invalidates: lettersOf(invalidates),
    }));
  }

  explore(world: World, depth: number): void {
    seen.worlds += 1;
    this.#check(world);
    if (depth === 0) return;
    for (const next of this.#next(world)) this.explore(next, depth - 1);
  }

  #next(world: World): World[] {
    const { open, trace, now } = world;
    const said = (what: string): readonly string[] => [...trace, what];
    const living = open.filter(({ isLost }) => !isLost);
    return [
      ...this.#uses.flatMap((_, command) => this.#start({ ...world, trace: said(`start ${command}`) }, command) ?? []),
      ...living.map((one) => this.#end({ ...world, trace: said(`pass ${one.command}`) }, one, true)),
      ...living.map((one) => this.#end({ ...world, trace: said(`fail ${one.command}`) }, one, false)),
      ...living.map((one) => ({
        ...world,
        open: open.map((other) => (other === one ? { ...one, isLost: true } : other)),
        trace: said(`lose ${one.command}`),
      })),
      { ...world, now: now + 9 * MINUTE, trace: said('wait') },
      ...(world.run === 0 ? [{ ...world, run: 2, trace: said('run') }] : []),
    ];
  }

  /** Asks as an engine does, and compares the answer with what is true. `undefined`: it does not start. */
  #start(world: World, command: number): World | undefined {
    const { open, records, now, trace } = world;
    const use = this.#uses[command]!;
    const states = this.#fold(records);
    const resolved = resolveUse(use, { entities: this.#entities, states, now });
    const missing = use.requires.filter((name) => !this.#isValid(world, name));
    if (String(resolved.missing) !== String(missing))
      throw wrong(trace, `missing ${String(resolved.missing)}, not ${String(missing)}`);
    if (missing.length > 0) {
      seen.missing += 1;
      return undefined;
    }
    const lost = new Set(open.flatMap((one) => (one.isLost ? [one.claim] : [])));
    const uses = openUses({ records, problems: [] }, (claim) => lost.has(claim));
    const conflict = conflictWith(resolved, uses, { entities: this.#entities, states });
    const sharing = open.find((one) => !one.isLost && this.#isShared(command, one.command));
    if (sharing !== undefined && conflict === undefined) throw wrong(trace, `overlaps ${sharing.command}`);
    if (conflict !== undefined) {
      seen.conflicts += 1;
      return undefined;
    }
    seen.starts += 1;
    if (open.some(({ isLost }) => !isLost)) seen.overlaps += 1;
    // A command is in the newest call that has records, a gate in that of its run.
    const newest = Math.max(1, ...records.map(({ runAttempt }) => runAttempt));
    const call = command === 0 && world.run > 0 ? world.run : newest;
    const claims = records.filter((one) => one.kind === 'started' && one.runAttempt === call);
    const named = (names: readonly string[]): { entity: string; instance: string }[] =>
      names.map((entity) => ({ entity, instance: '' }));
    const claim = started({
      gate: `do${command}`,
      call,
      n: claims.filter(({ gate }) => gate === `do${command}`).length + 1,
      at: new Date(now).toISOString(),
      command: true,
      entities: {
        order: claims.length + 1,
        requires: named(use.requires),
        invalidates: named(use.invalidates),
        creates: [...use.creates],
      },
    });
    const lives = new Map(world.lives);
    for (const name of use.invalidates) kill(this.#skill, lives, name);
    return { ...world, lives, open: [...open, { command, claim, isLost: false }], records: [...records, claim] };
  }

  #end(world: World, one: Open, hasPassed: boolean): World {
    const { now, open } = world;
    const use = this.#uses[one.command]!;
    const { gate, runAttempt: call, n } = one.claim;
    const creates = hasPassed ? use.creates.map((entity) => ({ entity, instance: '' })) : [];
    const verdict = hasPassed ? {} : { verdict: FAILED };
    const at = new Date(now).toISOString();
    const record = ended({ gate, call, n, at, command: true, effects: { creates, invalidates: [] }, ...verdict });
    const lives = new Map(world.lives);
    const from = use.requires.filter((name) => !use.invalidates.includes(name));
    for (const { entity } of creates) {
      const own = entity === 'b' ? now + 10 * MINUTE : Infinity;
      const endsOf = (names: readonly string[]): number[] => names.flatMap((name) => lives.get(name)?.until ?? []);
      // What it depends on may have ended before, and is then another one.
      const depended = endsOf(lettersOf(this.#skill.dependsOn[entity as Name])).filter((end) => end > now);
      const until = Math.min(own, ...endsOf(from.filter((name) => name !== entity)), ...depended);
      lives.set(entity, { until, from: from.filter((name) => name !== entity).join('') });
      shorten(this.#skill, lives, entity, until);
    }
    return { ...world, lives, open: open.filter((other) => other !== one), records: [...world.records, record] };
  }

  /** What holds at every moment, in whatever order the records are read. */
  #check(world: World): void {
    const { open, now, records, trace } = world;
    for (const some of [records, records.toReversed()]) {
      const states = this.#fold(some);
      for (const { name, margin } of this.#entities)
        if (isValidAt(states.get(name), now, margin) !== this.#isValid(world, name)) throw wrong(trace, name);
    }
    for (const { command, isLost } of open) {
      const { requires, invalidates } = this.#uses[command]!;
      const taken = requires.find((name) => !isLost && !invalidates.includes(name) && !world.lives.has(name));
      if (taken !== undefined) throw wrong(trace, `${taken} was taken from ${command}, which is running`);
    }
    if ((world.lives.get('b')?.until ?? Infinity) <= now) seen.expired += 1;
  }

  #fold(records: readonly GatelineRecord[]): EntityStates {
    return foldEntities(this.#entities, { records, problems: [] }, { values: new Map() });
  }

  #isValid({ lives, now }: World, name: string): boolean {
    const life = lives.get(name);
    const margin = name === 'b' ? 2 * MINUTE : 0;
    return life !== undefined && now < life.until - margin;
  }

  /** Whether two commands touch one entity, and one of them changes it. */
  #isShared(one: number, other: number): boolean {
    const [a, b] = [this.#skill.commands[one]!, this.#skill.commands[other]!];
    const changes = ([, creates, invalidates]: typeof a): string => creates + invalidates;
    return (
      lettersOf(changes(a)).some((name) => b.join('').includes(name)) ||
      lettersOf(changes(b)).some((name) => a[0].includes(name))
    );
  }
}

function kill({ dependsOn }: Skill, lives: Map<string, Life>, name: string): void {
  if (!lives.delete(name)) return;
  for (const other of ['a', 'b', 'c'] as const)
    if (dependsOn[other] === name || lives.get(other)?.from.includes(name))
      kill({ dependsOn, commands: [] }, lives, other);
}

/** What depends on an entity that was created again ends with it at the latest. */
function shorten({ dependsOn }: Pick<Skill, 'dependsOn'>, lives: Map<string, Life>, name: string, until: number): void {
  for (const other of ['a', 'b', 'c'] as const) {
    const life = lives.get(other);
    if (life === undefined || life.until <= until || !(dependsOn[other] === name || life.from.includes(name))) continue;
    lives.set(other, { ...life, until });
    shorten({ dependsOn }, lives, other, until);
  }
}

/** The names in a text: `ab` is `a` and `b`. */
function lettersOf(text = ''): string[] {
  return text.split('');
}

function wrong(trace: readonly string[], what: string): Error {
  return new Error(`${what}: ${trace.join(', ')}`);
}

describe('commands that start, pass, fail, are lost and overlap in every order', () => {
  it.each(SKILLS)('start only with what they require, and never touch what another one changes: %j', (skill) => {
    const begin: World = { now: START, lives: new Map(), open: [], records: [], run: 0, trace: [] };
    new Search(skill).explore(begin, 6);
  });

  it('do all of that in this test', () => {
    for (const [what, count] of Object.entries(seen)) expect([what, count > 50]).toEqual([what, true]);
  });
});
