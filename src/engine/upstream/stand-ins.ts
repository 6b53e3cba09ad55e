import { GatelineError } from '../../errors/gateline-error.ts';
import { firstNames } from '../../errors/first-names.ts';
import { isJsonObject, type JsonValue } from '../../json/json.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { exportsOf } from '../../run/plan/exports.ts';
import type { GivenNeed, StandInProducer } from '../../run/plan/request.ts';
import { needNames, type Unit } from '../../run/records/unit.ts';
import type { CompiledContract } from '../../verdict/compile-contract.ts';
import type { Issue } from '../../verdict/verdict.ts';
import type { Call } from '../call/call.ts';
import type { StandIns } from '../call/guide-files.ts';
import { keepJson } from '../call/content.ts';
import { givenSubject } from '../call/given-subject.ts';
import { redactOutput } from '../call/redact-output.ts';

interface FoundStandIn {
  readonly from: 'file' | 'input';
  /** Where it is, and the pointer of the output there. */
  readonly place: string;
  readonly pointer: string;
  readonly output: JsonValue;
  readonly producer?: StandInProducer;
}

/**
 * What takes the place of each need of a unit that is not done: its state file, else the caller's input. It is judged
 * by the contract of the need; only the score is whatever the file says. Nothing is recorded about the need.
 * @throws GatelineError `STAND_IN_MISSING`, `STAND_IN_REFUSED`, `STATE_FILE_INVALID`; errors of a contract
 */
export async function standInsFor(call: Call, unit: Unit): Promise<ReadonlyMap<UnitKey, GivenNeed>> {
  const { standIn, only } = call.assignment;
  const given = new Map<UnitKey, GivenNeed>();
  if (standIn === undefined || only?.has(unit.key) === false) return given;
  const units = call.journal.state().units;
  const absent: UnitKey[] = [];
  const refused: { readonly found: FoundStandIn; readonly need: Unit; readonly issues: readonly Issue[] }[] = [];
  for (const key of unit.needs.filter((need) => units.get(need)?.done !== true)) {
    const need = call.graph.get(key)!;
    const found = await find(standIn, need, call.assignment.input);
    if (found === undefined) {
      absent.push(key);
      continue;
    }
    const { from } = found;
    const { value, redactor } = await redactOutput(call, need.gate, found.output);
    const producer = found.producer && { ...found.producer, agent: redactor.redactText(found.producer.agent) };
    const compiled = await call.contracts.compile(need.gate);
    const issues = await judgeStandIn(call, compiled, value, producer);
    if (issues.length > 0) refused.push({ found, need, issues });
    const content = await keepJson(call.ports.store, exportsOf(value, compiled.contract.exports ?? ['']));
    given.set(key, { ...content, standIn: from, ...producer });
  }
  if (absent.length > 0) {
    const message = `gate ${unit.key}: no state file of another tool and no input replaces the output of ${needNames(unit, absent).join(', ')}`;
    throw new GatelineError('STAND_IN_MISSING', message);
  }
  if (refused.length > 0) throw refusal(refused);
  return given;
}

/** One line for each need that something takes the place of, for the log. */
export function standInLines(needs: Readonly<Record<UnitKey, GivenNeed | null>>): string[] {
  return Object.entries(needs).flatMap(([key, need]) => {
    if (need?.standIn === undefined) return [];
    const { standIn, status, score, agent } = need;
    const who = status === undefined ? '' : ` from ${agent?.replace(/\s+/g, ' ')}: Status: ${status}, Score: ${score}%`;
    return [`stand-in (${standIn}) for ${key}${who}`];
  });
}

async function find(standIn: StandIns, need: Unit, input: JsonValue): Promise<FoundStandIn | undefined> {
  const file = await standIn.file?.(need);
  if (file !== undefined) {
    const { path, output, producer } = file;
    return { from: 'file', place: path, pointer: '/output', output, producer };
  }
  const needs = isJsonObject(input) ? input['needs'] : undefined;
  if (!isJsonObject(needs))
    return input === null ? undefined : { from: 'input', place: 'the input', pointer: '', output: input };
  const output = Object.hasOwn(needs, need.key) ? needs[need.key] : undefined;
  return output === undefined
    ? undefined
    : { from: 'input', place: 'the input', pointer: `/needs/${need.key}`, output };
}

async function judgeStandIn(
  call: Call,
  { contract, validate, check }: CompiledContract,
  output: JsonValue,
  producer: StandInProducer | undefined,
): Promise<readonly Issue[]> {
  const { readScore } = await import('../../verdict/judge.ts');
  const issues = await validate(output);
  if (issues.length > 0) return issues;
  const read = readScore(output, contract.score);
  // The state guide has it next to the output.
  const score = 'score' in read ? read.score : producer?.score;
  if (score === undefined && 'issue' in read) return [read.issue];
  const { metadata } = call.assignment;
  return check({ subject: givenSubject(call.assignment), metadata, output, score: score ?? 0 });
}

function refusal(
  refused: ReadonlyArray<{ readonly found: FoundStandIn; readonly need: Unit; readonly issues: readonly Issue[] }>,
): GatelineError {
  const lines = refused.map(({ found: { place, pointer }, need, issues }) => {
    const shown = issues.map(({ pointer: at = '', message }) => `${pointer}${at}: ${message}`);
    return `${place}: its output does not meet the contract of gate ${need.key}: ${firstNames(shown, 10)}`;
  });
  const [{ found, issues }] = refused as [(typeof refused)[number]];
  const pointer = `${found.pointer}${issues[0]?.pointer ?? ''}`;
  return new GatelineError('STAND_IN_REFUSED', lines.join('\n').slice(0, 16_384), {
    ...(found.from === 'file' && { place: { file: found.place, pointer } }),
  });
}
