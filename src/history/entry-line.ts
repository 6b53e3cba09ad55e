import { truncateBytes } from '../untrusted/escape.ts';
import { jsonBytes, type GateOutcome, type GatesEntry, type HistoryEntry } from './entry.ts';

/** Maximum size of the line of a run, in UTF-8 bytes, line break included. */
export const ENTRY_BYTES = 500;

/** Maximum size of the line of a run's gates. */
export const GATES_BYTES = 64 * 1_024;

/** The order in which the fields of a too large entry are shortened, and the bytes that remain. */
const LISTS = ['tools', 'plugins', 'mcps', 'models'] as const;
const TEXTS = [
  ['task', 60],
  ['branch', 20],
  ['workflowFile', 20],
  ['task', 0],
  ['trust', 0],
  ['actor', 0],
  ['closedBy', 10],
  ['set', 20],
  ['branch', 0],
  ['workflowFile', 0],
  ['event', 0],
] as const;

/**
 * An entry whose line has at most {@link ENTRY_BYTES}: sets lose their last members, then texts are cut, then left out.
 * What identifies a run, its status, its times and its numbers always fit.
 */
export function fitEntry(entry: HistoryEntry): HistoryEntry {
  let fitted = withoutNothing(entry);
  const excess = (): number => jsonBytes(fitted) + 1 - ENTRY_BYTES;
  for (const name of LISTS) {
    for (let list = fitted[name]; list !== undefined && excess() > 0; list = fitted[name]) {
      fitted = withoutNothing({ ...fitted, [name]: list.slice(0, -1) });
    }
  }
  if (excess() > 0) fitted = withMessage(fitted, excess(), 60);
  for (const [name, least] of TEXTS) {
    if (excess() <= 0) return fitted;
    const text = fitted[name];
    if (text !== undefined) fitted = withoutNothing({ ...fitted, [name]: shortened(text, excess(), least) });
  }
  if (excess() > 0) fitted = withMessage(fitted, excess(), 0);
  if (excess() > 0) fitted = withoutNothing({ ...fitted, closedBy: undefined, set: undefined });
  const { failure } = fitted;
  if (excess() > 0 && failure !== undefined)
    fitted = { ...fitted, failure: { gate: shortened(failure.gate, excess(), 20) } };
  return excess() > 0
    ? withoutNothing({ ...fitted, iteration: undefined, cost: undefined, tokens: undefined })
    : fitted;
}

function withMessage(entry: HistoryEntry, excess: number, least: number): HistoryEntry {
  const { failure } = entry;
  if (failure?.message === undefined) return entry;
  const { message, ...others } = failure;
  const short = shortened(message, excess, least);
  return { ...entry, failure: short === '' ? others : { ...others, message: short } };
}

/** A text that takes so many bytes less as JSON, but not less than so many bytes. */
function shortened(text: string, excess: number, least: number): string {
  const target = Math.max(least + 2, jsonBytes(text) - excess);
  let cut = truncateBytes(text, Math.max(0, target - 2));
  // What JSON escapes has more bytes than the text.
  while (cut !== '' && jsonBytes(cut) > target) cut = truncateBytes(cut, new TextEncoder().encode(cut).length - 1);
  return cut;
}

/** Without the fields that have their default value: a line does not repeat it. */
function withoutNothing(entry: {
  readonly [name in keyof HistoryEntry]: HistoryEntry[name] | undefined;
}): HistoryEntry {
  const kept = Object.entries(entry).filter(
    ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(kept) as unknown as HistoryEntry;
}

/** An entry as a line of a file, without the line break. Numbers that are 0 and have a default are left out. */
export function entryLine(entry: HistoryEntry): string {
  const { passed, failed, skipped, reused } = entry;
  return JSON.stringify({
    ...entry,
    passed: passed || undefined,
    failed: failed || undefined,
    skipped: skipped || undefined,
    reused: reused || undefined,
  });
}

/** An entry about gates of at most {@link GATES_BYTES}: gates that passed are left out first, and counted. */
export function fitGates(entry: GatesEntry): GatesEntry {
  let room = GATES_BYTES - jsonBytes({ ...entry, gates: [], left: 1_000_000 }) - 1;
  const kept = new Set<GateOutcome>();
  const well = ({ status }: GateOutcome): boolean => status === 'passed' || status === 'not-applicable';
  for (const gate of [...entry.gates.filter((one) => !well(one)), ...entry.gates.filter(well)]) {
    room -= jsonBytes(gate) + 1;
    if (room < 0) break;
    kept.add(gate);
  }
  return { ...entry, gates: entry.gates.filter((gate) => kept.has(gate)), left: entry.gates.length - kept.size };
}

/** An entry about gates as a line of a file, without the line break. */
export function gatesLine(entry: GatesEntry): string {
  const gates = entry.gates.map((gate) => ({
    ...gate,
    leg: gate.leg || undefined,
    attempts: gate.attempts || undefined,
  }));
  return JSON.stringify({ ...entry, gates, left: entry.left || undefined });
}
