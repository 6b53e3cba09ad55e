import type { Random } from '../random.ts';

/** A command, as a page about skills describes it: what it needs, and what is valid or invalid after it. */
export interface ModelCommand {
  readonly requires: readonly string[];
  readonly creates: readonly string[];
  readonly invalidates: readonly string[];
}

/** A skill with random entities and commands. `pool` has instances: `acquire` makes one, `use` and `release` name it. */
export interface ModelSkill {
  readonly entities: readonly string[];
  readonly commands: Readonly<Record<string, ModelCommand>>;
}

/** @param isStrict what a command requires it changes too: then nobody else changes it meanwhile */
export function randomSkill(random: Random, isStrict: boolean): ModelSkill {
  const entities = ['a', 'b', 'c', 'd'].slice(0, 2 + random.int(3));
  const commands: Record<string, ModelCommand> = {};
  for (let n = 0; n < 6; n += 1) {
    const creates = random.some(entities, 0.35);
    const others = entities.filter((name) => !creates.includes(name));
    const invalidates = random.some(others, 0.35);
    const requires = random.some(isStrict ? [...creates, ...invalidates] : entities, 0.4);
    commands[`c${n}`] = { requires, creates, invalidates };
  }
  // Something must begin.
  commands['first'] = { requires: [], creates: entities, invalidates: [] };
  return { entities, commands };
}

/** The document of a skill. `work.sh` does what a command is told in its environment. */
export function documentOf({ entities, commands }: ModelSkill) {
  const pool = { name: 'pool', format: 'pool_{id}' };
  const list = Object.entries(commands).map(([id, use]) => [id, { syntax: `sh work.sh ${id}`, ...use }] as const);
  return {
    name: 'random',
    state: { entities: [...entities.map((name) => ({ name })), pool] },
    commands: {
      ...Object.fromEntries(list),
      acquire: { syntax: 'sh work.sh acquire <n>', creates: ['pool'], returns: 'id' },
      use: { syntax: 'sh work.sh use <pool>', requires: ['pool'] },
      release: { syntax: 'sh work.sh release <pool>', requires: ['pool'], invalidates: ['pool'] },
    },
  };
}

/** A state manager as the page draws it: `valid` and `values` by name, and nothing else. */
export class Model {
  readonly valid = new Map<string, boolean>();
  readonly values = new Map<string, unknown>();

  create(name: string, value?: unknown): void {
    this.valid.set(name, true);
    if (value === undefined) this.values.delete(name);
    else this.values.set(name, value);
  }

  invalidate(name: string): void {
    if (this.valid.has(name)) this.valid.set(name, false);
  }

  isValid(name: string): boolean {
    return this.valid.get(name) === true;
  }

  missing({ requires }: ModelCommand): string[] {
    return requires.filter((name) => !this.isValid(name));
  }

  /** @param hasPassed a command that failed has invalidated, and created nothing */
  apply({ creates, invalidates }: ModelCommand, hasPassed: boolean, value?: unknown): void {
    for (const name of invalidates) this.invalidate(name);
    if (hasPassed) for (const name of creates) this.create(name, value);
  }

  reset(): void {
    this.valid.clear();
    this.values.clear();
  }
}

/** What the programs of commands wrote, in the order in which they did: `start c1 worker`, `end`, `fail`; `kill`: of a worker. */
export interface Event {
  readonly type: string;
  readonly command: string;
  readonly worker: string;
}

/**
 * Replays what commands did side by side. An entity is valid, invalid, or, after a kill that may have come before or after
 * the end of its command was recorded, either.
 * @returns what no order of whole commands explains, and the states that are certain
 */
export function replay({ entities, commands }: ModelSkill, events: readonly Event[], killed: ReadonlySet<string>) {
  const states = new Map<string, boolean | undefined>(entities.map((name) => [name, false]));
  const open = new Map<string, string>();
  const faults: string[] = [];
  const changes = (id: string) => [...commands[id]!.creates, ...commands[id]!.invalidates];
  const last = new Map(events.flatMap(({ type, worker }, index) => (type === 'kill' ? [] : [[worker, index]])));
  const dead = new Set<string>();
  const end = (worker: string, type: string, isLast: boolean): void => {
    const { creates, invalidates } = commands[open.get(worker)!]!;
    open.delete(worker);
    for (const name of creates)
      if (dead.has(worker)) states.set(name, false);
      else if (isLast && killed.has(worker)) states.set(name, undefined);
      else if (type === 'end') states.set(name, true);
    for (const name of invalidates) states.set(name, false);
  };
  for (const [index, { type, command, worker }] of events.entries()) {
    if (type === 'kill') dead.add(worker);
    if (type === 'kill') continue;
    if (type !== 'start') {
      end(worker, type, last.get(worker) === index);
      continue;
    }
    for (const running of open.values()) {
      const shared = changes(running).find((name) => changes(command).includes(name));
      // A killed worker leaves a program that works on: what it changes is nobody else's until it has ended.
      if (shared !== undefined) faults.push(`event ${index}: ${command} and ${running} change ${shared} at once`);
    }
    for (const name of commands[command]!.requires)
      if (states.get(name) === false) faults.push(`event ${index}: ${command} began without ${name}`);
    open.set(worker, command);
  }
  for (const [worker, command] of open) faults.push(`${command} of ${worker} has no end`);
  return { faults, states };
}
