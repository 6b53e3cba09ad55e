import type { UnitKey } from '../../src/pipeline/pipeline.ts';
import { rulingOn } from '../../src/run/records/decisions.ts';
import type { Digest } from '../../src/json/digest.ts';
import { verdictSatisfies } from '../../src/run/state/fold-unit.ts';
import { contentsOf } from '../../src/run/state/missing-output.ts';
import { nextAttempt, type CallNumbers } from '../../src/run/state/numbering.ts';
import {
  RECORD_FORMAT,
  type DecidedRecord,
  type EndedRecord,
  type GatelineRecord,
  type StartedRecord,
  type Writer,
} from '../../src/run/records/record.ts';
import { fingerprintOf, recordedNeeds, type Request } from '../../src/run/plan/request.ts';
import { openArchive } from '../../src/run/plan/archive.ts';
import { findCheckpoint } from '../../src/run/plan/reuse.ts';
import type { RunState } from '../../src/run/state/run-state.ts';
import type { Unit } from '../../src/run/records/unit.ts';
import type { CallOptions, DrivenHistory } from './driven-history.ts';
import { BEST, type Quality } from './made-up-agents.ts';
import { NOW, SUBJECT } from './records.ts';

/** The process is gone; what it wrote so far is all that is left of it. */
export class Died extends Error {}

/** One call of the engine, as far as records go. */
export class DrivenCall {
  readonly settled = new Set<UnitKey>();
  readonly written: GatelineRecord[] = [];
  readonly #history: DrivenHistory;
  readonly #numbers: CallNumbers;
  readonly #me: Writer;
  readonly #answers: Quality[];
  readonly #dieAfter: number;
  readonly #fingerprints = new Map<UnitKey, Digest>();

  constructor(history: DrivenHistory, numbers: CallNumbers, me: Writer, options: CallOptions = {}) {
    this.#history = history;
    this.#numbers = numbers;
    this.#me = me;
    this.#answers = [...(options.answers ?? [])];
    this.#dieAfter = options.dieAfter ?? Infinity;
  }

  /** Keeps, reuses or runs a unit, where its needs are done. */
  settle(unit: Unit): void {
    const { units } = this.#state();
    if (!unit.needs.every((key) => units.get(key)!.done)) return;
    const request = this.#history.request(unit, units);
    this.#fingerprints.set(unit.key, fingerprintOf(request));
    const state = this.#state().units.get(unit.key)!;
    if (state.status !== 'skipped' && !this.#reuse(unit, request)) this.#run(unit, request);
    this.settled.add(unit.key);
  }

  decide(
    unit: Unit,
    decision: DecidedRecord['decision'],
    fingerprint: Digest | null,
    more: Partial<DecidedRecord> = {},
  ): void {
    const who = { actor: 'somebody', reason: 'because' };
    this.#write({ kind: 'decided', ...this.#identity(unit, 0), decision, ...who, fingerprint, ...more });
  }

  /** Keeps or reuses an earlier output. False: there is none that holds up. */
  #reuse(unit: Unit, request: Request): boolean {
    const { agents, graph } = this.#history;
    const archive = openArchive(this.#history.listing());
    const except = new Set<EndedRecord>();
    for (;;) {
      const { fingerprint, contract } = this.#workOf(unit, request);
      const query = { fingerprint, contract, runNumber: this.#numbers.runNumber, now: NOW, graph, except };
      const found = findCheckpoint(unit, archive, query);
      if (found.choice === 'none') return false;
      const { ended } = found;
      except.add(ended);
      if (contentsOf(ended).some(({ digest }) => agents.lost.has(digest))) continue;
      if (found.choice === 'usable') {
        const kept = this.#state().units.get(unit.key)!;
        if (!kept.done || kept.ended !== ended) this.#recordReuse(unit, request, ended, ended);
        return true;
      }
      const { quality, exports } = agents.read(ended.value!);
      const verdict = agents.judge(unit.gate.id, quality);
      const ruling = rulingOn(ended, archive.decisions.get(unit.key) ?? { decided: [], unknownAt: undefined }, NOW);
      if (!verdictSatisfies(unit, { verdict }, ruling)) continue;
      this.#recordReuse(unit, request, ended, { verdict, exports });
      return true;
    }
  }

  #recordReuse(
    unit: Unit,
    request: Request,
    from: EndedRecord,
    { verdict, exports }: Pick<EndedRecord, 'verdict' | 'exports'>,
  ): void {
    const { runNumber, runAttempt, n } = from;
    const source = from.source ?? { runNumber, runAttempt, n };
    const output = { ...(from.value && { value: from.value }), ...(exports && { exports }) };
    this.#end(unit, request, this.#nextAttempt(unit), { how: 'reused', verdict, ...output, source });
  }

  #run(unit: Unit, request: Request): void {
    for (let attempt = 0; attempt <= unit.gate.retries; attempt += 1) {
      const n = this.#nextAttempt(unit);
      const work = this.#workOf(unit, request);
      this.#write({
        kind: 'started',
        ...this.#identity(unit, n),
        ...work,
        request: work.fingerprint,
        holder: 'process',
      });
      const output = this.#history.agents.produce(unit, work.needs, this.#answers.shift() ?? BEST);
      this.#end(unit, request, n, { how: 'ran', ...output });
      if (verdictSatisfies(unit, output, { ruling: 'stands' })) return;
    }
  }

  #end(
    unit: Unit,
    request: Request,
    n: number,
    more: Pick<EndedRecord, 'how' | 'verdict'> & Partial<EndedRecord>,
  ): void {
    const nothing = { startedAt: NOW, files: [], touched: [], logs: {} };
    this.#write({ kind: 'ended', ...this.#identity(unit, n), ...this.#workOf(unit, request), ...nothing, ...more });
  }

  #workOf(unit: Unit, request: Request): Pick<StartedRecord, 'fingerprint' | 'contract' | 'needs'> {
    const contract = this.#history.agents.contractOf(unit.gate.id);
    return { fingerprint: fingerprintOf(request), contract, ...recordedNeeds(request) };
  }

  #nextAttempt(unit: Unit): number {
    return nextAttempt(this.#history.listing(), this.#numbers, unit.key);
  }

  #state(): RunState {
    return this.#history.state({ fingerprints: this.#fingerprints }, this.#history.listing(), this.#numbers.runNumber);
  }

  #identity(unit: Unit, n: number) {
    const { runNumber, runAttempt } = this.#numbers;
    const where = { pipeline: this.#history.pipeline.id, subject: SUBJECT, gate: unit.gate.id, leg: unit.leg.id };
    return { format: RECORD_FORMAT, ...where, runNumber, runAttempt, n, at: NOW, by: this.#me } as const;
  }

  #write(record: GatelineRecord): void {
    if (this.written.length >= this.#dieAfter) throw new Died();
    this.#history.write(record);
    this.written.push(record);
  }
}
