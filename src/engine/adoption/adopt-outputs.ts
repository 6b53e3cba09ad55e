import { GatelineError } from '../../errors/gateline-error.ts';
import { digestOfJson } from '../../json/canonical-json.ts';
import type { JsonValue } from '../../json/json.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { unitNamed } from '../../run/records/named-units.ts';
import type { Unit } from '../../run/records/unit.ts';
import { adoptOutput, type SuppliedOutput } from '../attempt/record-planned.ts';
import type { Decider } from '../attempt/record-decision.ts';
import { keepJson } from '../call/content.ts';
import { openCall, type Assignment, type Call } from '../call/call.ts';
import { keepHistory, noteRun } from '../call/keep-history.ts';
import { redactOutput } from '../call/redact-output.ts';
import { dryRunPorts } from '../plan/dry-run.ts';
import { pinContracts } from '../plan/pin-contracts.ts';
import { planUnit } from '../plan/plan-unit.ts';
import type { EnginePorts } from '../ports.ts';
import { refuseUnfinished } from '../snapshots/unfinished-rollback.ts';
import { judgeValue } from '../upstream/judge-again.ts';

/** The output of a gate, from outside. */
export interface OutsideOutput extends SuppliedOutput {
  /** Id of a gate without a matrix, or the key of a leg. */
  readonly gate: string;
}

/** Why an output cannot be used. */
export interface AdoptionProblem {
  readonly gate: string;
  /** JSON pointer into the output. */
  readonly pointer: string;
  readonly message: string;
}

/** The result of using outputs from outside. With problems, nothing was recorded. */
export interface Adoption {
  readonly problems: readonly AdoptionProblem[];
  readonly adopted: readonly UnitKey[];
  /** Gates that have the same output already. */
  readonly kept: readonly UnitKey[];
}

/**
 * Uses several outputs from outside, all or none: each is judged by its gate's contract and bound to its current
 * request. A call that was killed half-way is completed by the same call again.
 * @param outputs each gate after those that it needs
 * @param options.dryRun records nothing
 * @throws GatelineError `GATE_UNKNOWN`, `ROLLBACK_UNFINISHED`, and those of contracts and of git
 */
export async function adoptOutputs(
  ports: EnginePorts,
  assignment: Assignment,
  outputs: readonly OutsideOutput[],
  by: Decider,
  options: { readonly dryRun: boolean },
): Promise<Adoption> {
  await refuseUnfinished(ports);
  const reading = dryRunPorts(ports);
  const newest = await openCall(reading, assignment, () => undefined, { runNumber: 0 });
  const units = outputs.map(({ gate }) => unitNamed(newest.graph, gate));
  // Of a run that is completed, nothing is adopted again: a second import changes nothing.
  if (newest.journal.state().runNumber > 0 && (await areAllKept(newest, units, outputs)))
    return { problems: [], adopted: [], kept: units.map(({ key }) => key) };
  const rehearsed = await adoptEach(await openCall(reading, assignment, () => undefined), outputs, by);
  if (options.dryRun || rehearsed.problems.length > 0) return rehearsed;
  const call = await openCall(ports, assignment, () => undefined);
  await noteRun(call);
  const adoption = await adoptEach(call, outputs, by);
  await keepHistory(call);
  return adoption;
}

async function adoptEach(call: Call, outputs: readonly OutsideOutput[], by: Decider): Promise<Adoption> {
  await pinContracts(call);
  const problems: AdoptionProblem[] = [];
  const adopted: UnitKey[] = [];
  const kept: UnitKey[] = [];
  for (const { gate, output, issues } of outputs) {
    const unit = unitNamed(call.graph, gate);
    const found = await problemsOf(call, unit, output);
    problems.push(...found.map((problem) => ({ gate, ...problem })));
    // What comes after it depends on its output.
    if (problems.length > 0) continue;
    const now = await keptNow(call, unit);
    if (now !== undefined && now === (await digestNow(call, unit, output))) {
      kept.push(unit.key);
    } else if (now !== undefined) {
      problems.push({ gate, pointer: '', message: 'the gate is done already, with another output' });
    } else {
      try {
        await adoptOutput(call, unit, { output, issues }, by);
        adopted.push(unit.key);
      } catch (error) {
        if (!(error instanceof GatelineError) || error.code !== 'ADOPT_TOO_EARLY') throw error;
        problems.push({
          gate,
          pointer: '',
          message: openNeed(call, unit) ?? error.message.replace(`gate ${gate}: `, ''),
        });
      }
    }
  }
  return { problems, adopted, kept };
}

/** Why a gate cannot be done yet, if it is because of one that it needs. */
function openNeed({ journal }: Call, { needs }: Unit): string | undefined {
  const { units } = journal.state();
  const open = needs.find((key) => units.get(key)?.done !== true);
  return open === undefined ? undefined : `it is completed, and ${open}, which it needs, is not`;
}

/** What the contract says against an output. */
async function problemsOf(
  call: Call,
  unit: Unit,
  output: JsonValue,
): Promise<{ readonly pointer: string; readonly message: string }[]> {
  const { value } = await redactOutput(call, unit.gate, output);
  const { verdict } = await judgeValue(call, unit, value, await keepJson(call.ports.store, value));
  if (verdict.status === 'passed') return [];
  const { issues, kind, advice } = verdict;
  if (issues.length === 0) return [{ pointer: '', message: `${kind}: ${advice}` }];
  return issues.map(({ pointer = '', message }) => ({ pointer, message: `${kind}: ${message}` }));
}

async function areAllKept(call: Call, units: readonly Unit[], outputs: readonly OutsideOutput[]): Promise<boolean> {
  for (const [index, unit] of units.entries())
    if ((await keptNow(call, unit)) !== (await digestNow(call, unit, outputs[index]!.output))) return false;
  return true;
}

/** The digest of the output that a gate has in the run, if its request is still the same. */
async function keptNow(call: Call, unit: Unit): Promise<string | undefined> {
  if (call.journal.state().units.get(unit.key)?.done !== true) return undefined;
  const { planned, checkpoint } = await planUnit(call, unit);
  return planned.choice === 'keep' ? checkpoint?.value?.digest : undefined;
}

async function digestNow(call: Call, { gate }: Unit, output: JsonValue): Promise<string> {
  return digestOfJson((await redactOutput(call, gate, output)).value);
}
