import type { AgentResult } from '../../agent/agent.ts';
import { isChangeAfter } from '../../run/entity/change-after.ts';
import { covers, type NamedEntity } from '../../run/entity/entity-state.ts';
import type { LeftProcess } from '../../run/records/effects.ts';
import { attemptKey } from '../../run/records/order.ts';
import { type EndedRecord, type GatelineRecord, type StartedRecord } from '../../run/records/record.ts';
import { openUses } from '../../run/entity/resolve-use.ts';
import type { Call } from '../call/call.ts';
import type { EnginePorts } from '../ports.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import { firstNames } from '../../errors/first-names.ts';

/** The processes that an agent left, as a record names them. */
export function recordedProcesses(
  { ports }: Pick<Call, 'ports'>,
  { left = [] }: Pick<AgentResult, 'left'>,
): LeftProcess[] {
  return left.slice(0, 1_000).map(({ pid, started: pidStart }) => ({ ...ports.processes.place, pid, pidStart }));
}

/**
 * Ends the processes that a gate's agent left, unless it passed: then they are its entity, and stay.
 * @param ended absent: nothing could be recorded
 * @returns pids of those that stay
 */
export async function endLeftUnlessPassed(
  { ports: { agent } }: Pick<Call, 'ports'>,
  directory: string,
  result: AgentResult | undefined,
  ended: EndedRecord | undefined,
): Promise<readonly number[]> {
  if (result?.left === undefined) return [];
  if (ended !== undefined && processesIn(ended).length > 0) return result.left.map(({ pid }) => pid);
  await agent.endLeftovers(directory, { left: result.left });
  return [];
}

/** The processes that a gate or command left. */
function processesIn(record: GatelineRecord): readonly LeftProcess[] {
  const created = record.kind === 'ended' ? (record.effects?.creates ?? []) : [];
  return created.flatMap(({ processes }) => processes ?? []);
}

/**
 * Ends what attempts of a killed engine left running, of all subjects. Processes of gates that passed stay, also if
 * Gateline was killed before it noted that.
 * @returns the ended processes
 */
export function endKilledAttempts(
  { agent, attempts, store }: Pick<EnginePorts, 'agent' | 'attempts' | 'store'>,
  { id }: Pick<Pipeline, 'id'>,
): Promise<number[]> {
  const keeps = async (directories: readonly string[]): Promise<string[]> => {
    const kept = new Set<string>();
    for (const subject of await store.subjects(id))
      for (const record of (await store.list(id, subject)).records)
        if (record.kind === 'ended' && processesIn(record).length > 0) kept.add(attempts.pathOf(record));
    return directories.filter((directory) => kept.has(directory));
  };
  return agent.endLeftovers(attempts.root, { keeps });
}

/** A process of a gate or command that has ended, or of a command that has not. */
export interface ProcessFound {
  readonly record: EndedRecord | StartedRecord;
  /** What it is there for; absent for a command that has not ended. */
  readonly entity?: string;
  readonly pid: number;
  /** Machine on which it may still run; absent: it runs here. */
  readonly host?: string;
}

/**
 * The processes that gates and commands left, and those of commands that have not ended. One of another machine may
 * run, until somebody resets its entity.
 * @param records of any pipelines and subjects
 */
export async function processesLeft(
  { isGone, processes }: Pick<EnginePorts, 'isGone' | 'processes'>,
  records: readonly GatelineRecord[],
): Promise<ProcessFound[]> {
  const found: ProcessFound[] = [];
  for (const record of records.filter((one) => one.kind === 'ended')) {
    for (const { entity, instance, processes: left = [] } of record.effects?.creates ?? []) {
      for (const one of left) {
        const isRunning = await processes.isRunning(one);
        if (!isRunning && ((await isGone(one)) || isReset(records, record, { entity, instance }))) continue;
        found.push({ record, entity, pid: one.pid, ...(!isRunning && { host: one.host }) });
      }
    }
  }
  const ofSubjects = Map.groupBy(records, ({ pipeline, subject }) => JSON.stringify([pipeline, subject]));
  for (const own of ofSubjects.values())
    for (const { started } of openUses({ records: own, problems: [] }, (claim) => claim.command !== true))
      if (!(await isGone(started.by))) found.push({ record: started, pid: started.by.pid });
  return found;
}

/** Which processes they are, of one machine, and whether they run or may run: a clause. */
export function processesText(found: readonly Pick<ProcessFound, 'pid' | 'host'>[]): string {
  const pids = [...new Set(found.map(({ pid }) => String(pid)))];
  const host = found[0]?.host;
  if (pids.length === 1) return `process ${pids[0]} ${host === undefined ? 'runs' : `may run on ${host}`}`;
  return `processes ${firstNames(pids, 20)} ${host === undefined ? 'run' : `may run on ${host}`}`;
}

function isReset(records: readonly GatelineRecord[], of: EndedRecord, { entity, instance }: NamedEntity): boolean {
  return records.some(
    (one) =>
      one.kind === 'decided' &&
      one.entity?.action === 'reset' &&
      one.entity.entity === entity &&
      covers(one.entity.instance, instance) &&
      one.pipeline === of.pipeline &&
      one.subject === of.subject &&
      isChangeAfter(one, of, orderOf(of, records)),
  );
}

/** The place of an attempt's claim among those of its call that use entities; `undefined`: its claim is not known. */
function orderOf(of: EndedRecord, records: readonly GatelineRecord[]): number | undefined {
  const claim = records.find(
    (one): one is StartedRecord =>
      one.kind === 'started' &&
      one.pipeline === of.pipeline &&
      one.subject === of.subject &&
      attemptKey(one) === attemptKey(of),
  );
  return claim?.entities?.order;
}

/** Ends the processes that gates and commands left for an entity. */
export async function endProcessesOf({ ports, journal }: Call, about: NamedEntity): Promise<void> {
  for (const record of journal.listing().records) {
    if (record.kind !== 'ended') continue;
    const own = (record.effects?.creates ?? []).filter(
      ({ entity, instance }) => entity === about.entity && covers(about.instance, instance),
    );
    const running: { pid: number; started: string }[] = [];
    for (const one of own.flatMap(({ processes }) => processes ?? []))
      if (await ports.processes.isRunning(one)) running.push({ pid: one.pid, started: one.pidStart });
    if (running.length > 0) await ports.agent.endLeftovers(directoryOf(ports, record), { left: running });
  }
}

/** Absolute path of the directory of the gate or command that left processes. */
export function directoryOf({ attempts, commands = attempts }: EnginePorts, record: EndedRecord): string {
  return (record.command === true ? commands : attempts).pathOf(record);
}

/** Ends what commands left whose Gateline was killed. */
export async function endLostCommands(call: Call): Promise<void> {
  const { agent, commands, isGone } = call.ports;
  if (commands === undefined) return;
  for (const { started } of openUses(call.journal.listing(), (claim) => claim.command !== true)) {
    if (!(await isGone(started.by))) continue;
    for (const pid of await agent.endLeftovers(commands.pathOf(started)))
      await call.observe({ type: 'notice', message: `process ${pid}, left by a killed command, was stopped` });
  }
}
