import type { AttemptDirectory } from '../../agent/attempt-files.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { attemptIn } from '../../run/plan/archive.ts';
import { canonicalChunks, canonicalJson } from '../../json/canonical-json.ts';
import { unitOf, type EndedRecord, type StartedRecord, type Content } from '../../run/records/record.ts';
import { recordedNeeds, type GivenNeed, type Request } from '../../run/plan/request.ts';
import { handoffText } from '../../run/state/handoff.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { JsonObject, JsonValue } from '../../json/json.ts';
import type { Checkout, TreeId } from '../../workspace/workspace.ts';
import { ATTEMPT_FILES } from './agent-environment.ts';
import { aboutRun, type Call, claimedHint } from '../call/call.ts';
import { databaseAtStart } from '../snapshots/database.ts';
import { copierOf, missingContent, readJson, keepJson } from '../call/content.ts';
import { usesOf } from '../entities/gate-entities.ts';
import { writePlace, type AttemptPlace } from './place.ts';
import { prepareStateFiles } from './state-file.ts';
import type { Work } from '../plan/prepared-unit.ts';
import { standInLines } from '../upstream/stand-ins.ts';
import { startFiles, versionFor } from '../plan/current-inputs.ts';
import type { ReworkStart } from './rework-start.ts';

/** Exports up to this size are included in the request itself; larger ones are only in their file. */
export const INLINE_LIMIT = 1024 * 1024;

/** An attempt that holds its claim and whose agent can be started. */
export interface BegunAttempt {
  readonly unit: Unit;
  readonly started: StartedRecord;
  readonly directory: AttemptDirectory;
  readonly checkout: Checkout;
  readonly hasFeedback: boolean;
  readonly hasHandoff: boolean;
  /** Where work that was sent back starts, if a step before has found it out. */
  readonly rework?: ReworkStart | undefined;
}

/** Fields of a claim besides the work itself. */
export interface ClaimDetails {
  /** Where an agent will work; absent if none is started. */
  readonly place?: AttemptPlace['place'];
  /** For an agent that runs by itself: when the claim expires. */
  readonly deadline?: string;
}

/**
 * Claims a unit's next attempt. The claim is durable before anything else happens.
 * @throws GatelineError `GATE_CLAIMED` if another process has it; `STATE_INVALID`, `ENTITY_BUSY`
 */
export async function claim(call: Call, unit: Unit, work: Work, details: ClaimDetails = {}): Promise<StartedRecord> {
  const { exclusively } = call.ports;
  const isAlone = exclusively === undefined || unit.gate.entities === undefined;
  return isAlone ? claimNow(call, unit, work, details) : exclusively(() => claimNow(call, unit, work, details));
}

async function claimNow(call: Call, unit: Unit, work: Work, { place, deadline }: ClaimDetails): Promise<StartedRecord> {
  const { store } = call.ports;
  const database = place === undefined ? undefined : await databaseAtStart(call);
  const entities = place === undefined ? undefined : await usesOf(call, unit, work.request.entities);
  await store.put(canonicalJson(work.contract.contract as unknown as JsonValue));
  const kept = await keepJson(store, call.redactor.redactJson(work.request as unknown as JsonValue).value);
  const started: StartedRecord = {
    kind: 'started',
    ...call.journal.identity(unit, call.journal.nextAttempt(unit.key)),
    fingerprint: work.fingerprint,
    contract: work.contract.digest,
    ...recordedNeeds(work.request),
    ...(work.rework && { rework: work.rework }),
    ...aboutRun(call),
    request: kept.digest,
    holder: deadline === undefined ? call.holder : 'open',
    ...(deadline !== undefined && { deadline }),
    ...(place !== undefined && { place, base: (await call.snapshot()).tree }),
    ...(database && { database }),
    ...(entities && { entities }),
  };
  if ((await call.journal.write(started)) === 'taken') throw await takenBy(call, unit, started);
  return started;
}

/**
 * The error for a name that is taken although no holder is visible: GitHub's answer to an upload was lost, or an upload
 * broke off.
 */
async function takenBy(call: Call, unit: Unit, claim: StartedRecord): Promise<GatelineError> {
  const what = attemptIn(call.journal.archive(), claim);
  if (call.holder === 'job' && !(await isSeen(call, unit, claim))) {
    const message = `gate ${unit.key}: ${what} is already claimed, but its record is not listed: probably left by an interrupted upload`;
    return new GatelineError('CLAIM_UNSEEN', message);
  }
  return new GatelineError('GATE_CLAIMED', `gate ${unit.key}: another process has claimed ${what}`, {
    hint: claimedHint(call.holder),
  });
}

async function isSeen(call: Call, unit: Unit, at: Pick<StartedRecord, 'n' | 'runAttempt'>): Promise<boolean> {
  const { pipeline, subject } = call.assignment;
  const only = (one: Pick<StartedRecord, 'gate' | 'leg'>): boolean => unitOf(one) === unit.key;
  const { records, problems } = await call.ports.store.list(pipeline.id, subject, { only });
  const claims = [...records, ...problems.flatMap(({ names }) => names ?? [])];
  const { runNumber } = call.journal.call;
  return claims.some(
    (one) => only(one) && one.runNumber === runNumber && one.runAttempt === at.runAttempt && one.n === at.n,
  );
}

/** Optional details for preparing an attempt. */
export interface Preparation {
  /** Aborted if the attempt is no longer wanted. */
  readonly signal?: AbortSignal;
  /** The previous attempt of the same call. */
  readonly before?: EndedRecord | undefined;
}

/** Prepares everything that the agent is promised: its files, its directory, the request and the feedback. */
export async function prepareAttempt(
  call: Call,
  unit: Unit,
  work: Work,
  started: StartedRecord,
  preparation: Preparation = {},
): Promise<BegunAttempt> {
  for (const message of standInLines(work.request.needs))
    await call.observe({ type: 'notice', unit: unit.key, message, isRoutine: true });
  const directory = await call.ports.attempts.create(started);
  await directory.write(ATTEMPT_FILES.request, canonicalChunks(await agentView(call, unit, work, started, directory)));
  const feedback = preparation.before ?? lastAttempt(call, unit, started);
  if (feedback !== undefined)
    await directory.write(ATTEMPT_FILES.feedback, [JSON.stringify(feedback.verdict, null, 2), '\n']);
  const { handoff: given } = work.request;
  const handoff = given && call.redactor.redactText(handoffText(given));
  if (handoff !== undefined) await directory.write(ATTEMPT_FILES.handoff, [handoff]);
  const checkout = await checkOut(call, unit, started, directory, { ...preparation, handoff });
  const has = { hasFeedback: feedback !== undefined, hasHandoff: handoff !== undefined };
  return { unit, started, directory, checkout, ...has };
}

/** Checks out the attempt's version of the workspace where the agent will work. */
async function checkOut(
  call: Call,
  unit: Unit,
  started: StartedRecord,
  directory: AttemptDirectory,
  { signal = new AbortController().signal, before, handoff }: Preparation & { readonly handoff: string | undefined },
): Promise<Checkout> {
  const { workspace } = call.ports;
  const { place = 'tree', deadline: until } = started;
  const kept = { ...(await versionsFor(call, unit, before, place)), place, ...(until !== undefined && { until }) };
  const onLine = (stream: 'stdout' | 'stderr', line: string): void =>
    void call.observe({ type: 'line', unit: unit.key, stream, line });
  const of = { unit: unit.key, subject: started.subject };
  const setup = { signal, onLine, redact: call.redactor.redactText };
  const checkout = await workspace.checkOut({ ...kept, attempt: directory.path, files: unit.gate.files, setup, of });
  try {
    for (const message of checkout.notices) await call.observe({ type: 'notice', unit: unit.key, message });
    await writePlace(directory, { ...kept, from: checkout.from });
    await prepareStateFiles(call, { unit, started, checkout, handoff });
    return checkout;
  } catch (error) {
    await checkout.release(false);
    throw error;
  }
}

/** The user's version, and the version that the agent works on. */
async function versionsFor(
  call: Call,
  unit: Unit,
  before: EndedRecord | undefined,
  place: StartedRecord['place'],
): Promise<{ readonly base: TreeId; readonly tree: TreeId }> {
  // All attempts of a job share its checkout: the previous attempt's changes are undone.
  if (call.holder === 'job' && before?.snapshot !== undefined)
    return { base: before.snapshot.tree, tree: before.snapshot.from };
  const { tree: start, checkedOut: base = start } = await call.snapshot();
  return { base, tree: await versionFor(call, unit, start, { files: startFiles(call, unit), place }) };
}

/** The request as the agent reads it: with its needs' exports, the attempt's number, and readable names. */
async function agentView(
  call: Call,
  unit: Unit,
  work: Work,
  started: StartedRecord,
  directory: AttemptDirectory,
): Promise<JsonObject> {
  const needs: JsonObject = {};
  if (unit.gate.legsFrom !== undefined) await keepJson(call.ports.store, unit.leg.matrix);
  for (const [key, content] of Object.entries(work.request.needs)) {
    const view =
      content === null
        ? { digest: null, bytes: 0 }
        : {
            ...(await outputView(call, directory, `need-${key}`, content, `exports of ${key}`)),
            ...standInOf(content),
          };
    addNeed(needs, key, view);
  }
  const request = work.request as unknown as JsonObject;
  const entities: JsonObject = {};
  for (const [name, { instance, value }] of Object.entries(work.request.entities ?? {})) {
    const view = value && (await outputView(call, directory, `entity-${name}`, value, `value of ${name}`));
    entities[name] = { instance, ...(view ?? { digest: null, bytes: 0 }) };
  }
  const rework = work.request.rework && (await reworkView(call, unit, work.request.rework, directory));
  return {
    ...request,
    needs,
    ...(work.request.entities && { entities }),
    ...(rework && { rework }),
    agent: unit.gate.agent,
    number: unit.gate.number,
    attempt: started.n,
    fingerprint: work.fingerprint,
  };
}

/** The outputs that sent the work back, as files and, if they are not large, in the request itself. */
async function reworkView(
  call: Call,
  { gate: { id } }: Unit,
  { iteration, from }: NonNullable<Request['rework']>,
  directory: AttemptDirectory,
): Promise<JsonObject> {
  // The gate whose output is missing needs this one: it could not run again.
  const hint = `Begin the loop again: \`gateline run --force ${id} --reason TEXT\`.`;
  const views = from.map(async ({ gate, verdict, output }): Promise<JsonObject> => {
    const view = { gate, verdict: verdict as unknown as JsonObject };
    return output === null
      ? { ...view, digest: null, bytes: 0 }
      : { ...view, ...(await outputView(call, directory, `rework-${gate}`, output, `output of ${gate}`, hint)) };
  });
  return { iteration, from: await Promise.all(views) };
}

/** An output for an agent: digest, size, file, and the value itself if it is not large. */
async function outputView(
  call: Call,
  directory: AttemptDirectory,
  name: string,
  content: Content,
  what: string,
  hint?: string,
): Promise<JsonObject> {
  const file = `${name.replaceAll('/', '.')}.json`;
  const placed = await directory.place(file, content.digest, copierOf(call));
  if (placed.state !== 'present')
    throw missingContent(
      what,
      content.digest,
      placed.state === 'unknown' ? placed.problem.message : 'it is missing',
      hint,
    );
  const view: JsonObject = { digest: content.digest, bytes: content.bytes, file: directory.pathOf(file) };
  if (content.bytes <= INLINE_LIMIT) view['output'] = await readJson(call.ports.store, content, { what, hint });
  return view;
}

function standInOf({ digest: _, bytes: __, ...about }: GivenNeed): JsonObject {
  return { ...about };
}

/** `needs.<gate>`, or `needs.<gate>.legs.<leg>` for a leg of a matrix gate. */
function addNeed(needs: JsonObject, key: string, view: JsonObject): void {
  const slash = key.indexOf('/');
  if (slash < 0) {
    needs[key] = view;
    return;
  }
  const gate = (needs[key.slice(0, slash)] ??= { legs: {} }) as { legs: JsonObject };
  gate.legs[key.slice(slash + 1)] = view;
}

/** The previous ended attempt with the same request: its verdict is the feedback. */
function lastAttempt(call: Call, unit: Unit, started: StartedRecord): EndedRecord | undefined {
  const earlier = (call.journal.archive().ended.get(unit.key) ?? []).filter(
    (one) => one.fingerprint === started.fingerprint && one.how === 'ran',
  );
  const last = earlier.at(-1);
  return last !== undefined && last.runNumber === started.runNumber && last.verdict.status !== 'passed'
    ? last
    : undefined;
}
