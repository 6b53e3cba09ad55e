import type { Request } from '../../run/plan/request.ts';
import { runText } from '../../run/records/attempt-text.ts';
import type { PreparedUnit, Work } from './prepared-unit.ts';
import type { Call } from '../call/call.ts';
import type { Unit } from '../../run/records/unit.ts';
import { unitOf, type EndedRecord } from '../../run/records/record.ts';
import { findCheckpoint } from '../../run/plan/reuse.ts';
import { missingOf } from '../call/content.ts';
import { rulingOn } from '../../run/records/decisions.ts';
import { isBorneOut, judgeAgain } from '../upstream/judge-again.ts';
import { plannedUnit } from '../../run/plan/plan.ts';
import { isGoodEnough } from '../../run/state/fold-unit.ts';
import { describeDifferences, type Difference, asRequest, differences } from '../../run/plan/difference.ts';
import type { JsonValue } from '../../json/json.ts';
/** The newest earlier attempt that is valid: its content exists and the contract is met. `undefined`: none. */
export async function findWork(call: Call, unit: Unit, work: Work): Promise<PreparedUnit | undefined> {
  const { journal } = call;
  const { runNumber } = journal.call;
  const except = new Set<EndedRecord>();
  for (;;) {
    const query = {
      fingerprint: work.fingerprint,
      contract: work.contract.digest,
      runNumber,
      now: call.ports.now().toISOString(),
      except,
    };
    const found = findCheckpoint(unit, journal.archive(), query);
    if (found.choice === 'none') return undefined;
    const missing = await missingOf(call.ports.store, found.ended);
    const ruling = rulingOn(
      found.ended,
      journal.archive().decisions.get(unit.key) ?? { decided: [], unknownAt: undefined },
      query.now,
      unit.gate.approval,
    );
    if (missing.size > 0) {
      journal.setMissing(missing);
    } else if (found.choice === 'usable') {
      // Locally only the engine writes records; jobs of a CI run share theirs.
      if (call.holder === 'job' && !(await isBorneOut(call, unit, found.ended, ruling))) {
        except.add(found.ended);
        continue;
      }
      const kept = journal.state().units.get(unit.key)!;
      const choice = kept.done && kept.ended === found.ended ? 'keep' : 'reuse';
      const { how, source } = found.ended;
      const from =
        source === undefined && found.ended.runNumber === runNumber
          ? found.reason
          : runText(source ?? found.ended, found.ended);
      const planned = plannedUnit(
        unit,
        choice,
        `inputs unchanged${choice === 'keep' && how === 'ran' ? ` since ${found.reason}` : `; reused from ${from}`}`,
        work,
        found.ended,
      );
      return { planned, work, checkpoint: found.ended };
    } else {
      const judged = await judgeAgain(call, unit, found.ended);
      if (isGoodEnough(unit, judged, ruling)) {
        const planned = plannedUnit(
          unit,
          'reuse',
          `the output of ${found.reason} meets the current contract`,
          work,
          found.ended,
        );
        return { planned, work, checkpoint: found.ended, judged };
      }
    }
    except.add(found.ended);
  }
}

/** The last good output of a unit that is to be kept although its request changed. */
export async function keepLast(call: Call, unit: Unit, work: Work): Promise<PreparedUnit | undefined> {
  const { keep } = call.assignment;
  if (keep === undefined || !keep.gates.has(unit.gate.id)) return undefined;
  const archive = call.journal.archive();
  const decisions = archive.decisions.get(unit.key) ?? { decided: [], unknownAt: undefined };
  const now = call.ports.now().toISOString();
  const last = archive.ended
    .get(unit.key)
    ?.findLast(
      (ended) =>
        ended.value !== undefined && isGoodEnough(unit, ended, rulingOn(ended, decisions, now, unit.gate.approval)),
    );
  if (last === undefined || last.fingerprint === work.fingerprint) return undefined;
  if ((await missingOf(call.ports.store, last)).size > 0) return undefined;
  const judged = await judgeAgain(call, unit, last);
  if (!isGoodEnough(unit, judged, { ruling: 'stands' })) return undefined;
  const changed = describeDifferences(await differencesTo(call, unit, work));
  const reason = `kept by ${keep.actor} (${changed}): ${keep.reason}`;
  return { planned: plannedUnit(unit, 'adopt', reason, work, last), work, checkpoint: last, judged };
}

/** The result of searching for checkpoints elsewhere. */
interface Elsewhere {
  readonly found?: PreparedUnit | undefined;
  /** Errors of the search. Empty: there is no checkpoint. */
  readonly notices: readonly string[];
}

/** Searches other sources for checkpoints by fingerprint, if no listed record can be reused. */
export async function findElsewhere(call: Call, unit: Unit, work: Work): Promise<Elsewhere> {
  const { journal, ports, assignment } = call;
  // Without all records nothing is reused, and with `reuse: never` outputs of other runs are ignored.
  const useless = journal.archive().blind || (unit.gate.reuse === 'never' && journal.call.runAttempt <= 1);
  if (ports.checkpoints === undefined || useless) return { notices: [] };
  const { id: pipeline } = assignment.pipeline;
  const place = { pipeline, subject: assignment.subject, gate: unit.gate.id, leg: unit.leg.id };
  const { records, notices } = await ports.checkpoints.find(place, work.fingerprint);
  for (const message of notices) await call.observe({ type: 'notice', unit: unit.key, message });
  if (records.length === 0) return { notices };
  journal.include(records);
  return { found: await findWork(call, unit, work), notices };
}

/** Differences from the latest readable request of this unit. */
export async function differencesTo(call: Call, unit: Unit, work: Work): Promise<Difference[]> {
  const claim = call.journal
    .archive()
    .records.findLast((record) => record.kind === 'started' && unitOf(record) === unit.key);
  if (claim?.kind !== 'started' || claim.fingerprint === work.fingerprint) return [];
  const read = await call.ports.store.get(claim.request);
  if (read.state !== 'present') return [];
  const request = asRequest(JSON.parse(new TextDecoder().decode(read.value)) as JsonValue);
  if (request === undefined) return [];
  const redacted = call.redactor.redactJson(work.request as unknown as JsonValue).value;
  return differences(request, redacted as unknown as Request);
}
