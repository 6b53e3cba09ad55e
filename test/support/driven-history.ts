import type { Pipeline, UnitKey } from '../../src/pipeline/pipeline.ts';
import type { Digest } from '../../src/json/digest.ts';
import { foldRun } from '../../src/run/state/fold.ts';
import { numberCall, type CallNumbers } from '../../src/run/state/numbering.ts';
import type { ReadProblem, RecordListing } from '../../src/run/records/reading.ts';
import { recordName, type DecidedRecord, type GatelineRecord, type Writer } from '../../src/run/records/record.ts';
import { buildRequest, fingerprintOf, type Request } from '../../src/run/plan/request.ts';
import { writerKey, type RunState, type ExternalFacts } from '../../src/run/state/run-state.ts';
import { unitsOf, type Unit, type UnitGraph } from '../../src/run/records/unit.ts';
import { Died, DrivenCall } from './driven-call.ts';
import { MadeUpAgents, type Manner, type NeedDigests, type Quality } from './made-up-agents.ts';
import { lost, NOW, SUBJECT } from './records.ts';

/** What a call is told to do, besides driving on. */
export interface CallOptions {
  /** Qualities of the outputs of the agents that it starts, in turn; the best when they run out. */
  readonly answers?: readonly Quality[];
  /** Gates to force first. */
  readonly force?: readonly string[];
  /** Dies after this many records were written. */
  readonly dieAfter?: number;
}

/** What a call did. */
export interface CallReport {
  readonly numbers: CallNumbers;
  readonly died: boolean;
  /** Units that the call got to and settled, in whatever way. */
  readonly settled: ReadonlySet<UnitKey>;
  readonly written: readonly GatelineRecord[];
}

/** Drives a pipeline over many calls as an engine would, one unit after the other, with agents that are made up. */
export class DrivenHistory {
  readonly pipeline: Pipeline;
  readonly graph: UnitGraph;
  readonly agents: MadeUpAgents;
  readonly records: GatelineRecord[] = [];
  /** Records that are there but can no longer be read. */
  readonly unreadable = new Set<GatelineRecord>();
  readonly #names = new Set<string>();
  readonly #writers: Writer[] = [];

  constructor(pipeline: Pipeline, manners: readonly Manner[]) {
    this.pipeline = pipeline;
    this.graph = unitsOf(pipeline);
    this.agents = new MadeUpAgents(manners);
  }

  /** Everything as a store would list it. */
  listing(): RecordListing {
    return {
      records: this.records.filter((record) => !this.unreadable.has(record)),
      problems: this.records.filter((record) => this.unreadable.has(record)).map(asProblem),
    };
  }

  /** The run as somebody sees it who knows what is gone. No writer lives between two calls. */
  state(told: Partial<ExternalFacts> = {}, listing: RecordListing = this.listing(), runNumber?: number): RunState {
    const identity = { pipeline: this.pipeline.id, subject: SUBJECT, ...(runNumber !== undefined && { runNumber }) };
    const deadWriters = new Set(this.#writers.map(writerKey));
    return foldRun(this.graph, listing, identity, {
      now: NOW,
      deadWriters,
      missingContent: lost(...this.agents.lost),
      ...told,
    });
  }

  /** Fingerprints as they would be now, worked out from the inputs as they are and from what the needs export. */
  presentFingerprints(): Map<UnitKey, Digest> {
    const fingerprints = new Map<UnitKey, Digest>();
    for (const unit of this.graph.values()) {
      const { units } = this.state({ fingerprints });
      if (unit.needs.every((key) => units.get(key)!.done))
        fingerprints.set(unit.key, fingerprintOf(this.request(unit, units)));
    }
    return fingerprints;
  }

  /** The request of a unit whose needs are done. */
  request(unit: Unit, units: RunState['units']): Request {
    const platform = { os: 'linux', arch: 'x64' };
    const around = { pipeline: this.pipeline.id, subject: SUBJECT, metadata: {}, input: null, platform };
    const tree = new Map([['input', { blob: `version ${this.agents.versionOf(unit.key)}`, mode: '100644' }]]);
    const needs = Object.fromEntries(unit.needs.map((key) => [key, units.get(key)!.exports ?? null]));
    return buildRequest(unit, around, { tree, env: {}, tools: {}, needs });
  }

  /** Somebody decides, in a call of its own. Nothing happens where there is nothing to decide about. */
  decide(key: UnitKey, decision: DecidedRecord['decision'], more: Partial<DecidedRecord> = {}): void {
    const numbers = numberCall(this.state());
    const last = this.state({}, this.listing(), numbers.runNumber).units.get(key)!.ended;
    const judging = decision === 'approve' || decision === 'reject';
    if (judging && last === undefined) return;
    const call = new DrivenCall(this, numbers, this.#newWriter());
    call.decide(this.graph.get(key)!, decision, judging ? last!.fingerprint : null, more);
  }

  /** One call: plans and runs every unit whose needs are done, in the graph's order. */
  call(options: CallOptions = {}): CallReport {
    const numbers = numberCall(this.state());
    const call = new DrivenCall(this, numbers, this.#newWriter(), options);
    let died = false;
    try {
      for (const unit of this.graph.values())
        if (options.force?.includes(unit.gate.id)) call.decide(unit, 'force', null);
      for (const unit of this.graph.values()) call.settle(unit);
    } catch (error) {
      if (!(error instanceof Died)) throw error;
      died = true;
    }
    return { numbers, died, settled: call.settled, written: call.written };
  }

  /** Keeps a record. A name is only ever given once, also that of what cannot be read any more. */
  write(record: GatelineRecord): void {
    const name = recordName(record);
    if (this.#names.has(name)) throw new Error(`${name} is taken`);
    this.#names.add(name);
    this.records.push(record);
  }

  #newWriter(): Writer {
    const writer = { host: 'host', boot: 'boot', pid: this.#writers.length + 1, pidStart: '1' };
    this.#writers.push(writer);
    return writer;
  }
}

/** What the needs of a unit export by a run's state. */
export function exportsOfNeeds(unit: Unit, units: RunState['units']): NeedDigests {
  return Object.fromEntries(unit.needs.map((key) => [key, units.get(key)!.exports?.digest ?? null]));
}

/** A record that is there and cannot be read: all that is left is its name. */
export function asProblem(record: GatelineRecord): ReadProblem {
  const { gate, leg, runNumber, runAttempt, n } = record;
  const kind = record.kind === 'decided' ? `decided.${record.decision}` : record.kind;
  return {
    code: 'CORRUPT',
    where: recordName(record),
    message: 'broken',
    names: { gate, leg, runNumber, runAttempt, n, kind },
  };
}
