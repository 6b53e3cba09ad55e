import { firstNames } from '../../errors/first-names.ts';
import { documentPath, HANDOFF } from '../../memory/documents.ts';
import { attemptOf, howOf, shortDigest } from '../wording.ts';
import { resultOf, type RunState, type UnitState } from '../../run/state/run-state.ts';
import type { Unit } from '../../run/records/unit.ts';
import { code } from './markdown.ts';

const SHOWN_NAMES = 20;

/**
 * The state guide's self-audit of a gate: whether its state is written, what it was given and how that was judged, and
 * which documents it read. '' for a gate without an attempt.
 */
export function selfAuditSection(unit: Unit, own: UnitState, state: RunState): string {
  if (attemptOf(own) === undefined) return '';
  const items = [stateItem(own), needsItem(unit, own, state), memoryItem(unit), learningsItem(own)];
  const lines = items.filter((item) => item !== undefined).map(([isDone, text]) => `- [${isDone ? 'x' : ' '}] ${text}`);
  return `## Self-audit\n\n${lines.join('\n')}`;
}

type Item = readonly [isDone: boolean, text: string];

function stateItem(own: UnitState): Item {
  const ended = resultOf(own);
  if (ended?.value === undefined) return [false, 'State written: no output'];
  const how = howOf(own) === 'reused' ? ', from an earlier attempt' : '';
  return [true, `State written: output ${code(shortDigest(ended.value.digest))}${how}`];
}

function needsItem({ needs }: Unit, own: UnitState, { units }: RunState): Item {
  if (needs.length === 0) return [true, 'Outputs of earlier gates loaded: it needs none'];
  // What replaced an output was judged by the contract of its gate, too.
  const replaced = new Map(Object.entries(resultOf(own)?.standIns ?? {}));
  const given = (key: string): string => {
    const standIn = replaced.get(key);
    return standIn === undefined ? (units.get(key)?.status ?? 'unknown') : `stand-in: ${standIn}`;
  };
  const judged = needs.map((key) => `${code(key)} (${given(key)})`);
  const isAll = needs.every((key) => replaced.has(key) || units.get(key)?.done === true);
  return [isAll, `Outputs of earlier gates loaded and checked: ${firstNames(judged, SHOWN_NAMES)}`];
}

function memoryItem({ gate }: Unit): Item | undefined {
  if (gate.memory.length === 0) return undefined;
  const names = gate.memory.map((name) => code(name === HANDOFF ? name : documentPath(name)));
  return [true, `Documents given, where they exist: ${firstNames(names, SHOWN_NAMES)}`];
}

function learningsItem(own: UnitState): Item | undefined {
  return resultOf(own)?.learnings === undefined ? undefined : [true, 'Learnings kept'];
}
