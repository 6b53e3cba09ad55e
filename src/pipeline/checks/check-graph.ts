import { cyclesOf } from './cycles.ts';
import { GATES, MAX_GATES } from '../file/gateline-file.ts';
import { gatesIn, mapAt, pointerTo, textsAt, type GatePart, type Located } from '../file/parts.ts';
import { isJsonObject, type JsonObject } from '../../json/json.ts';
import { pointerOf } from '../../json/pointer.ts';
import { quoted, suggester, type Problem } from '../problem.ts';
import type { DefinitionSource } from '../source.ts';
import type { ProblemCode } from '../../errors/error-codes.ts';

/** Problems between gates: their number, needs, cycles, numbers, groups. */
export function checkGraph(source: DefinitionSource): Problem[] {
  const gates = gatesIn(source);
  const ids = { known: new Set(gates.map(({ id }) => id)), suggest: suggester(gates.map(({ id }) => id)) };
  return [
    ...checkCount(gates, source),
    ...gates.flatMap((gate) => checkNeeds(gate, ids, source)),
    ...checkCycles(gates, source),
    ...checkNumbers(gates, source),
    ...checkGroups(ids, source),
    ...checkLoops(gates, ids, source),
    ...checkDelivery(gates, ids, source),
  ];
}

/** `deliver`: its gates exist, and have files and one leg. GitHub keeps the outputs of one leg only. */
function checkDelivery(gates: readonly GatePart[], { known, suggest }: Ids, source: DefinitionSource): Problem[] {
  const part = { value: mapAt(source.value, 'deliver'), path: ['deliver'] };
  const byId = new Map(gates.map((gate) => [gate.id, gate.value]));
  return textsAt(part, 'gates').flatMap((named) => {
    const name = quoted(named.value);
    const problem = (code: ProblemCode, message: string, hint?: string): Problem[] => [
      source.at(pointerTo(named), { code, label: 'deliver', message: `${name}: ${message}`, hint }),
    ];
    if (!known.has(named.value)) return problem('DELIVER_UNKNOWN', 'no such gate', suggest(named.value));
    const { files, strategy } = byId.get(named.value)!;
    if (strategy !== undefined) {
      const hint = 'name a gate after it that puts the files together';
      return problem('DELIVER_MATRIX', 'a gate with a matrix delivers no files', hint);
    }
    const hasNone = files === undefined || (Array.isArray(files) && files.length === 0);
    return hasNone ? problem('DELIVER_WITHOUT_FILES', 'it hands on no files', 'add `files: changed` to it') : [];
  });
}

/**
 * `on-fail`: the gate to go back to exists, is upstream of every gate that may send work back, and hands on its work.
 */
function checkLoops(gates: readonly GatePart[], { known, suggest }: Ids, source: DefinitionSource): Problem[] {
  const needs = new Map(gates.map((gate) => [gate.id, textsAt(gate, 'needs').map(({ value }) => value)]));
  const upstream = (of: string): Set<string> => {
    const found = new Set(needs.get(of));
    // A set also visits what is added to it meanwhile.
    for (const id of found) for (const need of needs.get(id) ?? []) found.add(need);
    return found;
  };
  const groups = mapAt(source.value, 'groups');
  const loops = [
    ...gates.map((gate) => ({ part: gate as Located<JsonObject>, members: [gate.id] })),
    ...Object.keys(groups).map((id) => {
      const part = { value: mapAt(groups, id), path: ['groups', id] };
      return { part, members: textsAt(part, 'gates').map(({ value }) => value) };
    }),
  ];
  return loops.flatMap(({ part, members }) =>
    textsAt(part, 'on-fail', 'goto').flatMap((target) => {
      const name = quoted(target.value);
      const problem = (code: ProblemCode, message: string, hint?: string): Problem[] => [
        source.at(pointerTo(target), { code, message: `on-fail: goto: ${message}`, hint }),
      ];
      if (!known.has(target.value)) return problem('GOTO_UNKNOWN', `${name}: no such gate`, suggest(target.value));
      const stranger = members.find((id) => known.has(id) && !upstream(id).has(target.value));
      if (stranger === undefined) return startsAnew(target, source);
      const message = `${name} is not upstream of ${quoted(stranger)}`;
      return problem('GOTO_NOT_UPSTREAM', message, 'work can only be sent back to a gate that it came from');
    }),
  );
}

/** A gate that says nothing about files has none to start its next iteration from. In the user's folder they stay. */
function startsAnew(target: Located<string>, source: DefinitionSource): Problem[] {
  const { files, workspace } = mapAt(source.value, 'gates', target.value);
  if (files !== undefined || workspace === 'in-place') return [];
  const name = quoted(target.value);
  const message = `on-fail: goto: ${name} has no \`files\`, so its next iteration starts without the work of the last one`;
  const hint = `add \`files: changed\` to ${name}, or \`files: []\` if its output is all of its work`;
  return [source.at(pointerTo(target), { severity: 'warning', code: 'GOTO_WITHOUT_FILES', message, hint })];
}

/** The ids of all gates, and suggestions for unknown ids. */
interface Ids {
  readonly known: ReadonlySet<string>;
  readonly suggest: (text: string) => string | undefined;
}

function checkCount(gates: readonly GatePart[], source: DefinitionSource): Problem[] {
  const { gates: found } = mapAt(source.value);
  // Skills have commands only.
  const hasOther = ['commands', 'entities'].some((key) => Object.keys(mapAt(source.value, key)).length > 0);
  if (hasOther && (found === undefined || (isJsonObject(found) && gates.length === 0))) return [];
  if (found === undefined && isJsonObject(source.value))
    return [source.at('', { code: 'KEY_MISSING', label: 'gates', message: `this key is missing: expected ${GATES}` })];
  const isMap = typeof found === 'object' && found !== null && !Array.isArray(found);
  if (!isMap || (gates.length >= 1 && gates.length <= MAX_GATES)) return [];
  const message = gates.length === 0 ? 'there is no gate' : `${gates.length} gates are more than ${MAX_GATES}`;
  const hint = gates.length === 0 ? 'a pipeline needs at least one gate' : 'split it into several pipelines';
  return [source.at('/gates', { code: 'GATES_COUNT', label: 'gates', message, hint, of: 'key' })];
}

function checkNeeds(gate: GatePart, { known, suggest }: Ids, source: DefinitionSource): Problem[] {
  const seen = new Set<string>();
  return textsAt(gate, 'needs').flatMap((need) => {
    const name = quoted(need.value);
    const isRepeated = seen.has(need.value);
    seen.add(need.value);
    const problem = (code: ProblemCode, message: string, hint?: string): Problem[] => [
      source.at(pointerTo(need), { code, label: 'needs', message: `${name}: ${message}`, hint }),
    ];
    if (isRepeated) return problem('NEED_DUPLICATE', 'named twice');
    if (need.value === gate.id) return problem('NEED_SELF', 'a gate cannot need itself');
    if (known.has(need.value)) return [];
    return problem('NEED_UNKNOWN', 'no such gate', suggest(need.value));
  });
}

function checkCycles(gates: readonly GatePart[], source: DefinitionSource): Problem[] {
  const nodes = gates.map((gate) => ({ id: gate.id, needs: textsAt(gate, 'needs').map(({ value }) => value) }));
  const byId = new Map(gates.map((gate) => [gate.id, gate]));
  return cyclesOf(nodes).map(({ path, size }) => {
    const first = byId.get(path[0]!)!;
    const place = textsAt(first, 'needs').find(({ value }) => value === path[1]) ?? first;
    const message = `these gates wait for each other: ${quoted(path[0]!).slice(1, -1)}`;
    const rest = [...path.slice(1), path[0]!].map((id) => quoted(id).slice(1, -1)).join(' → ');
    const more = size > path.length ? ` (${size} gates form cycles; this is the shortest)` : '';
    const hint = 'each needs the next; remove one of these needs';
    return source.at(pointerTo(place), {
      code: 'NEEDS_CYCLE',
      label: 'needs',
      message: `${message} → ${rest}${more}`,
      hint,
    });
  });
}

function checkNumbers(gates: readonly GatePart[], source: DefinitionSource): Problem[] {
  const owner = new Map<unknown, GatePart>();
  const problems: Problem[] = [];
  const numberOf = (gate: GatePart): unknown => gate.value['number'] ?? gate.index;
  for (const gate of gates) {
    const number = numberOf(gate);
    const other = owner.get(number);
    owner.set(number, other ?? gate);
    if (other === undefined || typeof number !== 'number') continue;
    const isDefault = gate.value['number'] === undefined;
    const kind = isDefault ? 'its place in the file' : 'its number';
    const message = `${kind}, ${number}, is already the number of ${quoted(other.id)}`;
    const path = isDefault ? gate.path : [...gate.path, 'number'];
    const hint = 'give every gate a `number` of its own, or none';
    problems.push(
      source.at(pointerOf(path), {
        code: 'NUMBER_DUPLICATE',
        label: 'number',
        message,
        hint,
        of: isDefault ? 'key' : 'value',
      }),
    );
  }
  return problems;
}

function checkGroups({ known, suggest }: Ids, source: DefinitionSource): Problem[] {
  const groupOf = new Map<string, string>();
  const groups = { value: mapAt(source.value, 'groups'), path: ['groups'] };
  return Object.keys(groups.value).flatMap((group) => {
    const problems: Problem[] = [];
    if (known.has(group)) {
      const message = `${quoted(group)} is the id of a gate`;
      problems.push(
        source.at(pointerOf(['groups', group]), { code: 'GROUP_ID_TAKEN', label: 'groups', message, of: 'key' }),
      );
    }
    const part = { value: mapAt(groups.value, group), path: ['groups', group] };
    const members = Array.isArray(groups.value[group]) ? textsAt(groups, group) : textsAt(part, 'gates');
    for (const member of members) {
      const name = quoted(member.value);
      const before = groupOf.get(member.value);
      groupOf.set(member.value, before ?? group);
      const report = (code: ProblemCode, message: string, hint?: string): void =>
        void problems.push(
          source.at(pointerTo(member), { code, label: 'groups', message: `${name}: ${message}`, hint }),
        );
      if (!known.has(member.value)) report('GROUP_GATE_UNKNOWN', 'no such gate', suggest(member.value));
      else if (before === group) report('GROUP_GATE_DUPLICATE', 'named twice');
      else if (before !== undefined) report('GROUP_GATE_DUPLICATE', `is in the group ${quoted(before)} already`);
    }
    return problems;
  });
}
