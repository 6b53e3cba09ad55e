import { claimIn } from '../../run/plan/archive.ts';
import { firstNames } from '../../errors/first-names.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { JsonValue } from '../../json/json.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { changedNeeds, withDefinitionNow, type Request } from '../../run/plan/request.ts';
import { describeDifferences, differences, type Difference } from '../../run/plan/difference.ts';
import { RUN_GATE, unitOf, type GatelineRecord } from '../../run/records/record.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { RunProblem } from '../../run/state/run-state.ts';
import type { Call } from '../call/call.ts';
import { storedRequest } from '../call/content.ts';

/** The most changes that one error lists. */
const LISTED = 20;

/** The records of the run that belong to no gate of the pipeline. */
export function removedUnits({ journal }: Pick<Call, 'journal'>): RunProblem[] {
  return journal.state().problems.filter(({ code }) => code === 'UNKNOWN_UNIT');
}

/**
 * Refuses to continue a run whose definition changed since its gates ran: a gate was removed, has another request, or
 * has another contract. New gates are allowed.
 * @throws GatelineError `DEFINITION_CHANGED`
 */
export async function refuseChanges(call: Call): Promise<void> {
  const { runNumber, continues } = call.journal.call;
  const removed = continues ? removedUnits(call).map(({ unit }) => unit!) : removedOpen(call);
  const changes = removed.map((key) => `gate ${key} was removed`);
  if (continues) for (const unit of call.graph.values()) changes.push(...(await changesOf(call, unit)));
  if (changes.length === 0) return;
  const run = `run ${continues ? runNumber : runNumber - 1} of ${call.assignment.subject}`;
  throw new GatelineError(
    'DEFINITION_CHANGED',
    `the definition changed since ${run} began: ${firstNames(changes, LISTED)}`,
  );
}

/** Gates without which the previous run is completed, although they did not pass: their removal ended the run. */
function removedOpen({ journal, graph }: Call): UnitKey[] {
  const ofRun = journal.archive().records.filter(({ runNumber }) => runNumber === journal.call.runNumber - 1);
  const units = Map.groupBy(ofRun, unitOf);
  const decided = units.get(RUN_GATE)?.flatMap((record) => (record.kind === 'decided' ? [record.decision] : [])) ?? [];
  if (decided.includes('close') || decided.includes('rollback')) return [];
  const open = [...units].filter(([key, records]) => key !== RUN_GATE && !graph.has(key) && !isSettled(records));
  return open.map(([key]) => key).sort();
}

function isSettled(records: readonly GatelineRecord[]): boolean {
  const last = records.findLast((record) => record.kind !== 'started');
  if (last?.kind === 'decided') return last.decision === 'skip' || last.decision === 'approve';
  return last?.verdict.status === 'passed' || last?.verdict.status === 'not-applicable';
}

async function changesOf(call: Call, unit: Unit): Promise<string[]> {
  const { begun, ended } = call.journal.state().units.get(unit.key)!;
  const source = ended?.source;
  // The claim of another subject is not among our records.
  const at = source?.subject === undefined ? (source ?? ended) : undefined;
  const claim = begun.at(-1) ?? (at && claimIn(call.journal.archive(), unit.key, at));
  // Like `claim.contract`, but also known of an output that was reused from elsewhere.
  const contract = claim?.contract ?? ended?.contract;
  if (contract === undefined) return [];
  const changes: string[] = [];
  const request = claim && (await storedRequest(call, claim.request));
  if (request !== undefined) {
    changes.push(...changedNeeds(unit, request));
    const found = definitionDifferences(call, unit, request);
    if (found.length > 0) changes.push(describeDifferences(found));
  }
  if ((await contractDigest(call, unit)) !== contract) changes.push('its contract changed');
  return changes.length === 0 ? [] : [`gate ${unit.key}: ${changes.join('; ')}`];
}

function definitionDifferences(call: Call, unit: Unit, request: Request): Difference[] {
  const now = call.redactor.redactJson(withDefinitionNow(unit, request) as unknown as JsonValue).value;
  return differences(request, now as unknown as Request);
}

/** `undefined` if the contract cannot be read, which is a change, too. */
async function contractDigest(call: Call, { gate }: Unit): Promise<string | undefined> {
  try {
    return (await call.contracts.load(gate)).digest;
  } catch (error) {
    if (error instanceof GatelineError) return undefined;
    throw error;
  }
}
