import { claimIn } from '../../run/plan/archive.ts';
import type { Digest } from '../../json/digest.ts';
import type { Request } from '../../run/plan/request.ts';
import type { PreparedUnit, Work } from './prepared-unit.ts';
import { askSource } from './search-work.ts';
import type { Call } from '../call/call.ts';
import type { Unit } from '../../run/records/unit.ts';
import { unitOf, type EndedRecord, type GatelineRecord, type StartedRecord } from '../../run/records/record.ts';
import { missingOf, storedRequest } from '../call/content.ts';
import { rulingOf } from '../../run/plan/reuse.ts';
import { judgeAgain } from '../upstream/judge-again.ts';
import { plannedUnit } from '../../run/plan/plan.ts';
import { isGoodEnough } from '../../run/state/fold-unit.ts';
import { describeDifferences, type Difference, differences } from '../../run/plan/difference.ts';
import type { JsonValue } from '../../json/json.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { actorOf } from '../../run/records/decisions.ts';
import { failureText } from '../../verdict/verdict.ts';
import { documentPath, HANDOFF } from '../../memory/documents.ts';

/** The last good output of a unit that is to be kept although its request changed. */
export async function keepLast(call: Call, unit: Unit, work: Work): Promise<PreparedUnit | undefined> {
  const { keep } = call.assignment;
  if (keep === undefined || !keep.gates.has(unit.gate.id)) return undefined;
  const archive = call.journal.archive();
  const now = call.ports.now().toISOString();
  const last = archive.ended
    .get(unit.key)
    ?.findLast((ended) => ended.value !== undefined && isGoodEnough(unit, ended, rulingOf(unit, ended, archive, now)));
  if (last === undefined || last.fingerprint === work.fingerprint) return undefined;
  if ((await missingOf(call.ports.store, last)).size > 0) return undefined;
  const judged = await judgeAgain(call, unit, last);
  if (!isGoodEnough(unit, judged, { ruling: 'stands' })) return undefined;
  const differences = await differencesTo(call, unit, work);
  if (keep.files !== undefined && !(await areOnly(keep.files, call, { unit, work, last }))) return undefined;
  const changed = describeDifferences(differences);
  const reason = `kept by ${keep.actor} (${changed}): ${keep.reason}`;
  return { planned: plannedUnit(unit, 'adopt', reason, work, last), work, checkpoint: last, judged, adoptedBy: keep };
}

/** Whether the request of an output differs from the present one in these files, and in nothing else. */
async function areOnly(
  files: ReadonlySet<string>,
  call: Call,
  { unit, work, last }: { readonly unit: Unit; readonly work: Work; readonly last: EndedRecord },
): Promise<boolean> {
  const claim = claimIn(call.journal.archive(), unit.key, last);
  const found = claim && (await differencesFrom(call, claim, work));
  return found !== undefined && found.length > 0 && found.every(({ what, name }) => what === 'file' && files.has(name));
}

/**
 * The output that a person named for a unit in the event of a CI run, whatever its request is now. `undefined`: none
 * was named, or this run has adopted it.
 * @throws GatelineError `DECISION_WITHOUT_ATTEMPT`, `ADOPT_REFUSED`
 */
export async function adoptNamed(call: Call, unit: Unit, work: Work): Promise<PreparedUnit | undefined> {
  const { ended, decisions } = call.journal.archive();
  const { runNumber } = call.journal.call;
  const named = decisions
    .get(unit.key)
    ?.decided.findLast((one) => one.decision === 'adopt' && one.fingerprint === null && one.runNumber === runNumber);
  if (named?.output === undefined) return undefined;
  const isNamed = ({ value }: EndedRecord): boolean => value?.digest === named.output;
  const output = ended.get(unit.key)?.findLast(isNamed) ?? (await namedElsewhere(call, unit, named.output));
  if (output?.fingerprint === work.fingerprint && output.runNumber === runNumber) return undefined;
  const where = `gate ${unit.key}: the output ${named.output}`;
  if (output === undefined)
    throw new GatelineError(
      'DECISION_WITHOUT_ATTEMPT',
      `${where} cannot be adopted: the resumed run did not record it`,
    );
  if ((await missingOf(call.ports.store, output)).size > 0)
    throw new GatelineError('ADOPT_REFUSED', `${where} cannot be adopted: its content cannot be read`);
  const judged = await judgeAgain(call, unit, output);
  if (!isGoodEnough(unit, judged, { ruling: 'stands' }))
    throw new GatelineError('ADOPT_REFUSED', `${where} does not meet the contract: ${failureText(judged.verdict)}`);
  const reason = `adopted by ${actorOf(named)}: ${named.reason}`;
  const planned = plannedUnit(unit, 'adopt', reason, work, output);
  return { planned, work, checkpoint: output, judged, adoptedBy: named };
}

/** The output with a digest, of another subject in the run that this one continues. */
async function namedElsewhere(call: Call, unit: Unit, digest: Digest): Promise<EndedRecord | undefined> {
  const { listings } = await askSource(call, unit, (source, place) => source.findOutput?.(place, digest));
  return listings
    .flatMap(({ records }) => records)
    .findLast((record): record is EndedRecord => record.kind === 'ended' && record.value?.digest === digest);
}

/** A record that names the request that it is bound to: a claim, or the decision to use an output. */
type WithRequest = Pick<StartedRecord, 'fingerprint'> &
  Required<Pick<StartedRecord, 'request'>> &
  Partial<Pick<StartedRecord, 'base'>>;

/** Whether a record names a request. */
export function hasRequest(record: GatelineRecord): record is GatelineRecord & WithRequest {
  return record.kind === 'started' || (record.kind === 'decided' && record.request !== undefined);
}

/** Differences from the latest readable request of this unit. */
export async function differencesTo(call: Call, unit: Unit, work: Work): Promise<Difference[]> {
  const last = call.journal.archive().records.findLast((record) => unitOf(record) === unit.key && hasRequest(record));
  if (last === undefined || !hasRequest(last) || last.fingerprint === work.fingerprint) return [];
  const found = (await differencesFrom(call, last, work)) ?? [];
  return Promise.all(found.map((one) => withLines(call, last, one)));
}

/** A changed document with the number of lines added and removed, if the version before is still known. */
async function withLines(call: Call, { base }: Pick<WithRequest, 'base'>, difference: Difference): Promise<Difference> {
  const { what, name, change } = difference;
  if (what !== 'document' || name === HANDOFF || change !== 'changed' || base === undefined) return difference;
  try {
    const { tree } = await call.snapshot();
    const patch = await call.ports.workspace.patch(base, tree, [documentPath(name)]);
    const lines = patch.split('\n').filter((line) => !/^(?:\+\+\+|---) /.test(line));
    const [added, removed] = ['+', '-'].map((sign) => lines.filter((line) => line.startsWith(sign)).length);
    return { ...difference, lines: { added: added!, removed: removed! } };
  } catch (error) {
    if (error instanceof GatelineError) return difference;
    throw error;
  }
}

/** Differences from the request of a claim or a decision; `undefined`: it cannot be read. */
async function differencesFrom(
  call: Call,
  claim: Pick<WithRequest, 'request'>,
  work: Work,
): Promise<Difference[] | undefined> {
  const request = await storedRequest(call, claim.request);
  if (request === undefined) return undefined;
  const redacted = call.redactor.redactJson(work.request as unknown as JsonValue).value;
  return differences(request, redacted as unknown as Request);
}
