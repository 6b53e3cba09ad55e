import { isJsonObject, type JsonObject } from '../../json/json.ts';
import { isSetUp, setUpOrder, type Command } from '../entities/entities.ts';
import { gatesIn, mapAt, pointerTo, textsAt, type Located } from '../file/parts.ts';
import { wordsOf } from '../entities/command-syntax.ts';
import { pointerOf } from '../../json/pointer.ts';
import { quoted, suggester, type Problem } from '../problem.ts';
import type { DefinitionSource } from '../source.ts';
import { checkOrder, USES, type EntityUser, type UseKey } from './check-entity-order.ts';
import { cyclesOf } from './cycles.ts';

/** Problems of entities and commands: names, circles, order, and what cannot be recovered. */
export function checkEntities(source: DefinitionSource): Problem[] {
  const known = Object.keys(mapAt(source.value, 'entities'));
  const gates = gatesIn(source).map((part) => userOf(part.id, part));
  const commands = entriesAt(source, 'commands').map(({ id, part }) => userOf(id, part));
  const users = [...gates, ...commands];
  const dependsOn = new Map(
    entriesAt(source, 'entities').map(({ id, part }) => [id, textsAt(part, 'depends-on').map(({ value }) => value)]),
  );
  return [
    ...checkNames(known, users, source),
    ...checkDependsOn(known, source),
    ...checkUnused(known, users, source),
    ...checkCreated(known, users, source),
    ...checkIds(gates, commands, source),
    ...checkOrder(gates, commands, dependsOn, source),
    ...checkRecovery(users, commands, source),
    ...checkMachine(gates, commands, source),
  ];
}

function userOf(id: string, part: Located<JsonObject>): EntityUser {
  const [requires, creates, invalidates] = USES.map((key) => textsAt(part, key)) as [
    Located<string>[],
    Located<string>[],
    Located<string>[],
  ];
  return { id, part, uses: { requires, creates, invalidates } };
}

/** The entries of a map at the top of the file; one that is not a map is treated as empty. */
function entriesAt(source: DefinitionSource, key: string): { id: string; part: Located<JsonObject> }[] {
  const map = mapAt(source.value, key);
  return Object.keys(map).map((id) => ({ id, part: { value: mapAt(map, id), path: [key, id] } }));
}

function checkNames(known: readonly string[], users: readonly EntityUser[], source: DefinitionSource): Problem[] {
  const names = new Set(known);
  const suggest = suggester(known);
  const named = [
    ...users.flatMap(({ uses }) => USES.flatMap((key) => uses[key].map((name) => ({ key: key as string, name })))),
    ...entriesAt(source, 'entities').flatMap(({ part }) =>
      textsAt(part, 'depends-on').map((name) => ({ key: 'depends-on', name })),
    ),
  ];
  return named.flatMap(({ key, name }) => {
    if (names.has(name.value)) return [];
    const hint = suggest(name.value) ?? 'add it under `entities`';
    const message = `${quoted(name.value)}: no such entity`;
    return [source.at(pointerTo(name), { code: 'ENTITY_UNKNOWN', label: key, message, hint })];
  });
}

function checkDependsOn(known: readonly string[], source: DefinitionSource): Problem[] {
  const nodes = entriesAt(source, 'entities').map(({ id, part }) => ({ id, needs: textsAt(part, 'depends-on') }));
  const at = (id: string, on: string, message: string): Problem => {
    const place = nodes.find((node) => node.id === id)!.needs.find(({ value }) => value === on)!;
    return source.at(pointerTo(place), { code: 'ENTITY_CYCLE', label: 'depends-on', message });
  };
  const selves = nodes.flatMap(({ id, needs }) =>
    needs.some(({ value }) => value === id) ? [at(id, id, `${quoted(id)} cannot depend on itself`)] : [],
  );
  const names = nodes.map(({ id, needs }) => ({ id, needs: needs.map(({ value }) => value) }));
  const circles = cyclesOf(names.filter(({ id }) => known.includes(id))).map(({ path }) =>
    at(path[0]!, path[1]!, `these entities depend on each other: ${[...path, path[0]!].join(' → ')}`),
  );
  return [...selves, ...circles];
}

function checkUnused(known: readonly string[], users: readonly EntityUser[], source: DefinitionSource): Problem[] {
  const used = new Set(users.flatMap(({ uses }) => USES.flatMap((key) => uses[key].map(({ value }) => value))));
  return known
    .filter((name) => !used.has(name))
    .map((name) => {
      const message = `${quoted(name)}: nothing creates, requires or invalidates it`;
      const details = { severity: 'warning', code: 'ENTITY_UNUSED', label: 'entities', message, of: 'key' } as const;
      return source.at(pointerOf(['entities', name]), details);
    });
}

/** What is required is created by a gate or a command, or a warning says that only a person can make it valid. */
function checkCreated(known: readonly string[], users: readonly EntityUser[], source: DefinitionSource): Problem[] {
  const created = new Set(users.flatMap(({ uses }) => uses.creates.map(({ value }) => value)));
  // Where recovery is asked for, that it is impossible is an error.
  const asking = users.filter(({ part }) => part.value['on-invalid'] !== 'recover');
  const first = new Map<string, Located<string>>();
  for (const name of asking.flatMap(({ uses }) => uses.requires))
    if (!first.has(name.value)) first.set(name.value, name);
  return [...first.values()]
    .filter(({ value }) => known.includes(value) && !created.has(value))
    .map((name) => {
      const message = `${quoted(name.value)}: no gate and no command creates it`;
      const details = { severity: 'warning', code: 'ENTITY_NEVER_CREATED', label: 'requires', message } as const;
      const hint = `add \`creates: ${name.value}\` where it is made; otherwise only \`gateline entities create ${name.value}\` makes it valid`;
      return source.at(pointerTo(name), { ...details, hint });
    });
}

function checkIds(gates: readonly EntityUser[], commands: readonly EntityUser[], source: DefinitionSource): Problem[] {
  const taken = new Set(gates.map(({ id }) => id));
  return commands
    .filter(({ id }) => taken.has(id))
    .map(({ id, part }) => {
      const details = { label: 'commands', message: `${quoted(id)} is the id of a gate`, of: 'key' } as const;
      return source.at(pointerOf(part.path), { code: 'COMMAND_ID_TAKEN', ...details });
    });
}

/** What lives in processes is created by what leaves some, and is in no other job of a workflow. */
function checkMachine(
  gates: readonly EntityUser[],
  commands: readonly EntityUser[],
  source: DefinitionSource,
): Problem[] {
  const entities = entriesAt(source, 'entities');
  const ofMachine = new Set(entities.flatMap(({ id, part }) => (part.value['lifetime'] === 'machine' ? [id] : [])));
  const isOfMachine = ({ value }: Located<string>): boolean => ofMachine.has(value);
  const wrong = [...gates, ...commands].flatMap(({ part, uses }) => {
    const created = uses.creates.find(isOfMachine);
    const leaves = part.value['leaves'] === 'processes';
    if (leaves === (created !== undefined) && (!leaves || isStartedByUs(part))) return [];
    const message = !leaves
      ? `${quoted(created!.value)} lives in processes, and only \`leaves: processes\` leaves any`
      : created === undefined
        ? 'it creates no entity with `lifetime: machine`, so nothing would end the processes that it leaves'
        : 'its agent runs by itself, so Gateline does not know which processes it leaves';
    const [place, label] = leaves ? [[...part.path, 'leaves'], 'leaves'] : [created!.path, 'creates'];
    return [source.at(pointerOf(place), { code: 'LEAVES_MISMATCH', label, message })];
  });
  const recoverable = new Set(commands.flatMap(({ uses }) => uses.creates.map(({ value }) => value)));
  const unreachable = gates.flatMap(({ part, uses }) => {
    const isLost = ({ value }: Located<string>): boolean =>
      part.value['on-invalid'] !== 'recover' || !recoverable.has(value);
    return uses.requires.filter((name) => isOfMachine(name) && isLost(name));
  });
  return [
    ...wrong,
    ...unreachable.map((name) => {
      const message = `${quoted(name.value)} lives in processes of one machine: in a job on GitHub it is never valid`;
      const details = { severity: 'warning', code: 'ENTITY_UNREACHABLE', label: 'requires', message } as const;
      return source.at(pointerTo(name), {
        ...details,
        hint: 'add `on-invalid: recover`, and a command that creates it',
      });
    }),
  ];
}

/** Of an action or a person, a job on GitHub sees no processes; `local` is a command all the same. */
function isStartedByUs({ path, value }: Located<JsonObject>): boolean {
  return path[0] === 'commands' || ['run', 'local'].some((key) => value[key] !== undefined);
}

/** What recovers can recover: some order of commands creates each entity that it requires. */
function checkRecovery(
  users: readonly EntityUser[],
  commands: readonly EntityUser[],
  source: DefinitionSource,
): Problem[] {
  const makers = commands.map(({ id, part, uses }): Command => {
    const syntax = part.value['syntax'];
    const read = wordsOf(typeof syntax === 'string' ? syntax : '');
    const named = (key: UseKey): string[] => uses[key].map(({ value }) => value);
    return {
      id,
      words: 'words' in read ? read.words : [],
      requires: named('requires'),
      creates: named('creates'),
      invalidates: named('invalidates'),
      onInvalid: 'fail',
      returns: undefined,
      setup: part.value['setup'] !== false,
      leaves: false,
      timeoutMinutes: 60,
    };
  });
  const gateMade = new Set(
    users.filter((one) => !commands.includes(one)).flatMap(({ uses }) => uses.creates.map(({ value }) => value)),
  );
  const known = new Set(Object.keys(mapAt(source.value, 'entities')));
  return users.flatMap(({ part, uses }) => {
    if (!isJsonObject(part.value) || part.value['on-invalid'] !== 'recover') return [];
    const wanted = uses.requires.filter(({ value }) => known.has(value) && !gateMade.has(value));
    const { unreachable } = setUpOrder(
      makers,
      wanted.map(({ value }) => value),
      (name) => gateMade.has(name),
    );
    return wanted
      .filter(({ value }) => unreachable.includes(value))
      .map((name) => {
        const creators = makers.filter(({ creates }) => creates.includes(name.value));
        const why = creators.length === 0 ? 'no command creates it' : whyNot(creators);
        const message = `${quoted(name.value)} cannot be recovered: ${why}`;
        return source.at(pointerTo(name), { code: 'ENTITY_UNRECOVERABLE', label: 'requires', message });
      });
  });
}

function whyNot(creators: readonly Command[]): string {
  const { usable = [], other = [] } = Object.groupBy(creators, (one) => (isSetUp(one) ? 'usable' : 'other'));
  const named = (some: readonly Command[], why: string): string[] =>
    some.length === 0 ? [] : [`${some.map(({ id }) => quoted(id)).join(', ')} ${why}`];
  return [
    ...named(usable, 'requires what cannot be recovered, or waits for itself'),
    ...named(other, 'needs an argument, or has `setup: false`'),
  ].join('; ');
}
