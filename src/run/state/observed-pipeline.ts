import { DEFAULT_SNAPSHOTS, DEFAULT_WORKSPACE, type Gate, type Pipeline } from '../../pipeline/pipeline.ts';
import type { Contract } from '../../verdict/contract.ts';
import type { Digest } from '../../json/digest.ts';
import { orderRecords } from '../records/order.ts';
import { isEntityRecord, gatesBefore, unitOf, type DecidedRecord, type GatelineRecord } from '../records/record.ts';

/** The input for building a pipeline that no file defines. */
export interface Observation {
  readonly pipeline: string;
  /** The gate that is defined here, if any, with the leg of this job. Its `needs` may name gates without records. */
  readonly own: Gate | undefined;
  /** Records of a single run. */
  readonly records: readonly GatelineRecord[];
  /** Contracts that the claims name, as far as they could be read. */
  readonly contracts: ReadonlyMap<Digest, Contract>;
  /**
   * Gates and legs of unreadable records, by the names of the records: they exist even if the records cannot be read.
   */
  readonly unread?: readonly Pick<GatelineRecord, 'gate' | 'leg'>[];
  /** Ids of further gates that must exist. */
  readonly expected?: readonly string[];
}

/** A pipeline built from records, and which of its gates are known only from them. */
export interface Observed {
  readonly pipeline: Pipeline;
  readonly recorded: ReadonlySet<string>;
}

type WorkRecord = Exclude<GatelineRecord, DecidedRecord>;

/**
 * Builds the pipeline that jobs form by defining one gate each: gates with the needs, legs and contracts of their
 * newest records. Total: whatever the records say, there is a pipeline without cycles; a need that would close one is
 * left out.
 */
export function observePipeline(observation: Observation): Observed {
  const { pipeline, own, records, contracts, unread = [], expected = [] } = observation;
  const work = orderRecords(records).records.filter(
    (record): record is WorkRecord =>
      record.kind !== 'decided' && record.pipeline === pipeline && !isEntityRecord(record),
  );
  const byGate = Map.groupBy(work, (record) => record.gate);
  if (own !== undefined) byGate.delete(own.id);
  const needed = new Map<string, string[]>();
  for (const [id, list] of byGate) needed.set(id, needsIn(list));
  if (own !== undefined) needed.set(own.id, [...own.needs]);
  const others = [...[...needed.values()].flat(), ...expected, ...unread.map(({ gate }) => gate)];
  for (const id of others) if (!needed.has(id)) needed.set(id, []);
  const ordered = withoutCycles(needed, own?.id);
  const gates = [...ordered].map(([id, needs], number) =>
    own?.id === id
      ? { ...own, needs, number }
      : recordedGate(
          id,
          number,
          needs,
          { list: byGate.get(id) ?? [], unread: unread.filter(({ gate }) => gate === id) },
          contracts,
        ),
  );
  return {
    pipeline: {
      id: pipeline,
      subject: undefined,
      metadata: {},
      maxParallel: 1,
      gates,
      groups: [],
      maxReworks: undefined,
      learning: 'propose',
      workspace: DEFAULT_WORKSPACE,
      snapshots: DEFAULT_SNAPSHOTS,
    },
    recorded: new Set(gates.filter((gate) => gate.id !== own?.id).map((gate) => gate.id)),
  };
}

/** Gates whose results the newest record of each leg received. */
function needsIn(list: readonly WorkRecord[]): string[] {
  const newest = new Map(list.map((record) => [unitOf(record), record]));
  return [...new Set([...newest.values()].flatMap(gatesBefore))];
}

/**
 * Sorts gates so that each comes after its needs, otherwise by id, independent of the order of records. The own gate's
 * needs are kept; a need that would close a cycle is dropped.
 */
function withoutCycles(needed: ReadonlyMap<string, readonly string[]>, own: string | undefined): Map<string, string[]> {
  const ordered = new Map<string, string[]>();
  const open = new Set<string>();
  const visit = (id: string): void => {
    if (ordered.has(id)) return;
    open.add(id);
    const needs: string[] = [];
    for (const need of needed.get(id) ?? []) {
      if (open.has(need)) continue;
      visit(need);
      needs.push(need);
    }
    open.delete(id);
    ordered.set(id, needs);
  };
  if (own !== undefined) visit(own);
  for (const id of [...needed.keys()].toSorted()) visit(id);
  return ordered;
}

function recordedGate(
  id: string,
  number: number,
  needs: readonly string[],
  { list, unread }: { readonly list: readonly WorkRecord[]; readonly unread: readonly Pick<GatelineRecord, 'leg'>[] },
  contracts: ReadonlyMap<Digest, Contract>,
): Gate {
  const last = list.at(-1);
  const contract = last === undefined ? undefined : contracts.get(last.contract);
  const legs = [...new Set([...list, ...unread].map((record) => record.leg))].filter((leg) => leg !== '').toSorted();
  return {
    id,
    number,
    agent: id,
    run: undefined,
    shell: 'bash',
    workingDirectory: '.',
    workspace: 'tree',
    needs,
    if: undefined,
    inputs: [],
    memory: [],
    env: {},
    with: {},
    tools: {},
    secrets: [],
    contract: {
      schema: undefined,
      score: contract?.score,
      threshold: contract?.threshold ?? 0,
      partial: contract?.partial ?? 'block',
      checks: [],
    },
    exports: contract?.exports ?? [''],
    files: [],
    retries: 0,
    timeoutMinutes: 60,
    onFail: undefined,
    approval: undefined,
    reuse: 'auto',
    maxAge: undefined,
    legs: legs.length === 0 ? [{ id: '', matrix: {} }] : legs.map((leg) => ({ id: leg, matrix: {} })),
    legsMaxParallel: undefined,
    failFast: true,
  };
}
