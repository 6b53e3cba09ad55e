import { openCall, type Call } from '../../engine/call.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { Digest } from '../../run/digest.ts';
import { comparePositions, unitOf, type GatelineRecord, type StartedRecord } from '../../run/record.ts';
import type { UnitState } from '../../run/run-state.ts';
import { resultOf } from '../../report/wording.ts';
import { verdictText } from '../../report/verdict-text.ts';
import { forTerminal } from '../../untrusted/escape.ts';
import { assignmentOf } from '../assignment.ts';
import { textOption, type Invocation } from '../command.ts';
import { constructPorts } from '../construct.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { loadPipeline } from '../load-pipeline.ts';
import { paintFor } from '../paint.ts';
import type { CliWorld } from '../world.ts';

const PARTS = ['verdict', 'request', 'output', 'exports', 'record', 'stdout', 'stderr', 'learnings', 'contract'] as const;
type Part = (typeof PARTS)[number];

/** `gateline show GATE [PART]`: one thing that is kept of a gate. */
export async function execute({ world, options, positionals }: Invocation): Promise<ExitCode> {
  const [key, part = 'verdict'] = positionals as [string, string?];
  if (!isPart(part)) throw new GatelineError('user', 'PART_UNKNOWN', `there is no part ${part} of a gate`, { hint: `Parts: ${PARTS.join(', ')}.` });
  const loaded = await loadPipeline(world.workingDirectory, textOption(options, 'file'));
  const ports = await constructPorts(world, loaded, { readOnly: true });
  const assignment = await assignmentOf(options, loaded, ports.workspace, world.workingDirectory);
  const call = await openCall(ports, assignment, () => undefined, { runNumber: Number(textOption(options, 'run') ?? 0) || 0 });
  const unit = call.journal.state().units.get(key);
  if (unit === undefined) throw new GatelineError('user', 'GATE_UNKNOWN', `there is no gate ${key}`, { hint: `Gates: ${[...call.graph.keys()].join(', ')}.` });
  if (part === 'verdict') return showVerdict(world, call, unit, options['json'] === true);
  if (part === 'record') return showRecords(world, call, unit);
  return showContent(world, call, unit, part);
}

function isPart(text: string): text is Part {
  return (PARTS as readonly string[]).includes(text);
}

function showVerdict(world: CliWorld, call: Call, unit: UnitState, json: boolean): ExitCode {
  const ended = latest(call, unit);
  if (json) {
    world.out.write(`${JSON.stringify({ format: 'gateline-verdict/1', gate: unit.key, status: unit.status, reason: unit.reason, verdict: ended?.verdict ?? null }, null, 2)}\n`);
    return EXIT_CODES.ok;
  }
  world.out.write(`${forTerminal(unit.key)}: ${unit.status}: ${forTerminal(unit.reason)}\n`);
  if (ended !== undefined) world.out.write(`${verdictText(ended, { paint: paintFor(world.out, world.environment) }).trimEnd()}\n`);
  return EXIT_CODES.ok;
}

function showRecords(world: CliWorld, call: Call, unit: UnitState): ExitCode {
  const { runNumber } = call.journal.state();
  const records: GatelineRecord[] = call.journal.archive().records.filter((record) => unitOf(record) === unit.key && record.runNumber === runNumber);
  world.out.write(`${JSON.stringify(records, null, 2)}\n`);
  return EXIT_CODES.ok;
}

async function showContent(world: CliWorld, call: Call, unit: UnitState, part: Exclude<Part, 'verdict' | 'record'>): Promise<ExitCode> {
  const digest = digestOf(call, unit, part);
  if (digest === undefined) throw new GatelineError('user', 'PART_ABSENT', `gate ${unit.key} has no ${part} yet`, { hint: 'gateline status tells how far it is.' });
  const read = await call.ports.store.get(digest);
  if (read.state !== 'present') {
    const why = read.state === 'unknown' ? read.problem.message : 'it is not in the store any more';
    throw new GatelineError('platform', 'CONTENT_MISSING', `the ${part} of gate ${unit.key} cannot be read: ${why}`);
  }
  const text = new TextDecoder().decode(read.value);
  const isJson = part !== 'stdout' && part !== 'stderr' && part !== 'learnings';
  if (isJson) world.out.write(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
  else world.out.write(world.out.interactive ? text.split('\n').map(forTerminal).join('\n') : text);
  return EXIT_CODES.ok;
}

function digestOf(call: Call, unit: UnitState, part: Exclude<Part, 'verdict' | 'record'>): Digest | undefined {
  const ended = latest(call, unit);
  switch (part) {
    case 'request':
      return claimOf(call, unit)?.request;
    case 'contract':
      return ended?.contract ?? unit.started?.contract;
    case 'output':
      return ended?.value?.digest;
    case 'exports':
      return ended?.exports?.digest;
    case 'stdout':
      return ended?.logs.stdout?.digest;
    case 'stderr':
      return ended?.logs.stderr?.digest;
    case 'learnings':
      return ended?.learnings?.digest;
  }
}

/** The claim of the attempt that the status is about; of a reused one, the claim of the attempt that stands in. */
function claimOf(call: Call, unit: UnitState): StartedRecord | undefined {
  const ended = latest(call, unit);
  const at = ended?.source ?? ended;
  const claims = call.journal.archive().records.filter((record): record is StartedRecord => record.kind === 'started' && unitOf(record) === unit.key);
  return (at && claims.find((record) => comparePositions(record, at) === 0)) ?? unit.started;
}

/** The attempt that the status is about, else the latest that ended in this run. */
function latest(call: Call, unit: UnitState): ReturnType<typeof resultOf> {
  const { runNumber } = call.journal.state();
  const ended = call.journal.archive().ended.get(unit.key) ?? [];
  return unit.ended ?? ended.findLast((one) => one.runNumber === runNumber);
}
