import type { Call } from '../../engine/call.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { didYouMean } from '../../pipeline/problem.ts';
import { oneLine } from '../../report/text.ts';
import { verdictText } from '../../report/verdict-text.ts';
import { unitOf, type GatelineRecord } from '../../run/record.ts';
import type { UnitState } from '../../run/run-state.ts';
import { forTerminal } from '../../untrusted/escape.ts';
import type { Invocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { openToLook } from '../open.ts';
import { paintFor } from '../paint.ts';
import { printJson } from '../print-json.ts';
import type { CliWorld } from '../world.ts';
import { contentOf, latestOf, PARTS, TEXT_PARTS, whyAbsent, type Part } from './show-parts.ts';

/** `gateline show GATE [PART]`: one thing that is kept of a gate. */
export async function execute(invocation: Invocation): Promise<ExitCode> {
  const { world, options, positionals } = invocation;
  const [key, name = 'verdict'] = positionals as [string, string?];
  const part = partNamed(name);
  const { call } = await openToLook(invocation);
  const units = call.journal.state().units;
  const unit = units.get(key);
  if (unit === undefined) throw unknownGate(key, [...units.keys()]);
  const json = options['json'] === true;
  if (part === 'verdict') showVerdict(world, call, unit, json);
  else if (part === 'record') printJson(world, recordsOf(call, unit));
  else await showContent(world, call, unit, part, json);
  return EXIT_CODES.ok;
}

function partNamed(name: string): Part {
  const found = PARTS.find((part) => part === name);
  if (found !== undefined) return found;
  const meant = didYouMean(name, PARTS);
  const suggestion = meant === undefined ? '' : `; ${meant}`;
  throw new GatelineError('user', 'PART_UNKNOWN', `there is no part ${name} of a gate${suggestion}`, {
    hint: `Parts: ${PARTS.join(', ')}.`,
  });
}

function unknownGate(key: string, known: readonly string[]): GatelineError {
  const legs = known.filter((one) => one.startsWith(`${key}/`));
  const meant = didYouMean(key, known);
  const suggestion = legs.length > 0 ? '; name one of its legs' : meant === undefined ? '' : `; ${meant}`;
  return new GatelineError('user', 'GATE_UNKNOWN', `there is no gate ${key}${suggestion}`, {
    hint: legs.length > 0 ? `Legs: ${legs.join(', ')}.` : `Gates: ${known.join(', ')}.`,
  });
}

function showVerdict(world: CliWorld, call: Call, unit: UnitState, json: boolean): void {
  const ended = latestOf(call, unit);
  const { key: gate, status, reason } = unit;
  if (json) {
    printJson(world, { format: 'gateline-verdict/1', gate, status, reason, verdict: ended?.verdict ?? null });
    return;
  }
  if (ended === undefined || unit.status !== ended.verdict.status || unit.reused)
    world.out.write(`${oneLine(gate)}: ${status}: ${oneLine(reason)}\n`);
  if (ended === undefined) return;
  world.out.write(verdictText(ended, { paint: paintFor(world.out, world.environment) }));
  const kept = (['output', 'stdout', 'stderr'] as const).filter((part) => contentOf(call, unit, part) !== undefined);
  for (const part of kept) world.out.write(`  ${part}: gateline show ${oneLine(gate)} ${part}\n`);
}

function recordsOf(call: Call, unit: UnitState): GatelineRecord[] {
  const { runNumber } = call.journal.state();
  return call.journal
    .archive()
    .records.filter((record) => unitOf(record) === unit.key && record.runNumber === runNumber);
}

async function showContent(
  world: CliWorld,
  call: Call,
  unit: UnitState,
  part: Exclude<Part, 'verdict' | 'record'>,
  json: boolean,
): Promise<void> {
  const digest = contentOf(call, unit, part);
  if (digest === undefined) {
    throw new GatelineError('user', 'PART_ABSENT', `gate ${unit.key} has no ${part}: ${whyAbsent(call, unit, part)}`, {
      hint: `\`gateline show ${unit.key}\` tells how it ended.`,
    });
  }
  const read = await call.ports.store.get(digest);
  if (read.state !== 'present') {
    const why = read.state === 'unknown' ? read.problem.message : 'it is not in the store any more';
    throw new GatelineError('platform', 'CONTENT_MISSING', `the ${part} of gate ${unit.key} cannot be read: ${why}`, {
      hint: `Make it anew: \`gateline run --force ${unit.key} --reason TEXT\`.`,
    });
  }
  const text = new TextDecoder().decode(read.value);
  if (!TEXT_PARTS.has(part)) printJson(world, JSON.parse(text));
  else if (json) printJson(world, { format: 'gateline-text/1', gate: unit.key, part, text });
  else world.out.write(world.out.interactive ? forTerminal(text) : text);
}
