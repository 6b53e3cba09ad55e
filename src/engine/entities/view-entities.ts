import type { Digest } from '../../json/digest.ts';
import type { JsonValue } from '../../json/json.ts';
import { isSetUp, type Command, type Entity } from '../../pipeline/entities/entities.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { isChangeAfter } from '../../run/entity/change-after.ts';
import { processKey } from '../../run/entity/entity-state.ts';
import { foldEntities } from '../../run/entity/fold-entities.ts';
import { isJobCommand, legOfCommands } from '../../run/entity/job-commands.ts';
import { openUses, type Asking, type OpenUse } from '../../run/entity/resolve-use.ts';
import {
  comparePositions,
  RUN_GATE,
  unitOf,
  type Content,
  type EndedRecord,
  type GatelineRecord,
  type StartedRecord,
} from '../../run/records/record.ts';
import { VOIDING } from '../../run/records/decisions.ts';
import { parseJson } from '../../json/parse-json.ts';
import type { Call } from '../call/call.ts';

/** The largest value of an entity that is read, in bytes. */
export const VALUE_LIMIT = 16 * 1024 * 1024;

/** The entities and commands of a call's pipeline. */
export function resourcesOf({ assignment: { pipeline } }: Pick<Call, 'assignment'>): {
  readonly entities: readonly Entity[];
  readonly commands: readonly Command[];
} {
  return pipeline.resources ?? { entities: [], commands: [] };
}

/** The state of all entities now. */
export async function viewEntities(call: Call): Promise<Asking> {
  const { entities } = resourcesOf(call);
  await learnCommands(call);
  const facts = {
    values: await datedValues(call, entities),
    running: await runningProcesses(call),
    rank: ranksIn(call),
  };
  const listing = call.journal.listing();
  const isPossible = call.holder === 'job' ? possibleInJobs(call) : () => true;
  const states = foldEntities(entities, { ...listing, records: listing.records.filter(isPossible) }, facts);
  return { entities, states, now: call.ports.now().getTime() };
}

/**
 * Whether a record is of a gate, or of a set-up command that a job may have run. In CI, any code that runs in a job may
 * have written it: as a command, nothing that is known of a gate's output would say otherwise.
 */
function possibleInJobs(call: Call): (record: GatelineRecord) => boolean {
  const { commands } = resourcesOf(call);
  const makers = new Map(commands.filter(isSetUp).map((command) => [command.id, command]));
  const units = [...call.graph.values()].filter(({ gate }) => gate.entities?.onInvalid === 'recover');
  const legs = new Set(units.map(({ key }) => legOfCommands(key)));
  return (record) => {
    if (record.kind === 'decided' || record.command !== true) return true;
    const command = makers.get(record.gate);
    const created = record.kind === 'ended' ? (record.effects?.creates ?? []) : [];
    return (
      command !== undefined && legs.has(record.leg) && created.every(({ entity }) => command.creates.includes(entity))
    );
  };
}

/** The place of each unit, and of the commands that jobs ran for it. */
function ranksIn({ graph, journal }: Call): ReadonlyMap<UnitKey, number> {
  const units = [...graph.keys()];
  const rank = new Map(units.map((key, index) => [key, index]));
  const byLeg = new Map(units.map((key, index) => [legOfCommands(key), index]));
  for (const record of journal.listing().records.filter(isJobCommand))
    rank.set(unitOf(record), byLeg.get(record.leg) ?? 0);
  return rank;
}

/** Reads what others have recorded of commands and entities since the call began: they do not wait for a run to end. */
export async function learnCommands(call: Call): Promise<void> {
  const { store, exclusively } = call.ports;
  const { entities, commands } = resourcesOf(call);
  if (exclusively === undefined || entities.length + commands.length === 0) return;
  const { pipeline, subject } = call.assignment;
  const ids = new Set([RUN_GATE, ...commands.map(({ id }) => id)]);
  call.journal.addCommands(await store.list(pipeline.id, subject, { only: ({ gate }) => ids.has(gate) }));
}

/** The processes that gates and commands left and that certainly still run. */
async function runningProcesses(call: Call): Promise<ReadonlySet<string>> {
  const running = new Set<string>();
  for (const { processes } of call.journal.listing().records.flatMap((one) => createdIn(one)))
    for (const one of processes ?? []) if (await call.ports.processes.isRunning(one)) running.add(processKey(one));
  return running;
}

/** What a record says was created. */
function createdIn(record: GatelineRecord): NonNullable<EndedRecord['effects']>['creates'] {
  if (record.kind === 'ended') return record.effects?.creates ?? [];
  return record.kind === 'decided' && record.entity !== undefined ? [record.entity] : [];
}

/** The values of entities that say how long they live. What cannot be read is left out. */
async function datedValues(call: Call, entities: readonly Entity[]): Promise<ReadonlyMap<Digest, JsonValue>> {
  const dated = new Set(
    entities.flatMap(({ name, lifetime }) => (typeof lifetime === 'string' && lifetime !== 'machine' ? [name] : [])),
  );
  const values = new Map<Digest, JsonValue>();
  if (dated.size === 0) return values;
  for (const record of call.journal.listing().records) {
    for (const one of createdIn(record)) {
      if (one.value === undefined || !dated.has(one.entity) || values.has(one.value.digest)) continue;
      const value = await readValue(call, one.value);
      if (value !== undefined) values.set(one.value.digest, value);
    }
  }
  return values;
}

/** The value of an entity; `undefined`: it cannot be read, or is too large. */
export async function readValue(
  { ports: { store } }: Pick<Call, 'ports'>,
  content: Content,
): Promise<JsonValue | undefined> {
  if (content.bytes > VALUE_LIMIT) return undefined;
  const read = await store.get(content.digest);
  const parsed = read.state === 'present' ? parseJson(read.value) : undefined;
  return parsed?.ok ? parsed.value : undefined;
}

/** What is being used by others. Claims of jobs of a CI run are not: needs order them. */
export async function usedByOthers(call: Call): Promise<OpenUse[]> {
  const open: OpenUse[] = [];
  for (const one of openUses(call.journal.listing(), (claim) => claim.holder === 'job'))
    if (!(await isOver(call, one.started))) open.push(one);
  return open;
}

async function isOver(call: Call, claim: StartedRecord): Promise<boolean> {
  const { records } = call.journal.listing();
  const isGivenUp = records.some(
    (one) =>
      one.kind === 'decided' &&
      VOIDING.has(one.decision) &&
      unitOf(one) === unitOf(claim) &&
      comparePositions(one, claim) >= 0,
  );
  if (isGivenUp) return true;
  if (claim.holder === 'open')
    return claim.deadline !== undefined && Date.parse(claim.deadline) <= call.ports.now().getTime();
  if (await call.ports.isGone(claim.by)) return true;
  // It may run on another machine. A person who resets what it uses says that it is over.
  return records.some((one) => isResetOf(one, claim)) && !(await call.ports.processes.isRunning(claim.by));
}

/** Whether a person reset an entity that a claim uses, after the claim. */
function isResetOf(record: GatelineRecord, claim: StartedRecord): boolean {
  if (record.kind !== 'decided' || record.entity?.action !== 'reset') return false;
  if (!isChangeAfter(record, claim, claim.entities?.order)) return false;
  const { entity } = record.entity;
  const { requires = [], invalidates = [], creates = [] } = claim.entities ?? {};
  return creates.includes(entity) || [...requires, ...invalidates].some((one) => one.entity === entity);
}
