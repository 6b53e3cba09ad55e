import type { Gate, Pipeline, UnitKey } from '../pipeline/pipeline.ts';
import {
  attemptOf,
  originOf,
  type AttemptRef,
  type DecidedEntry,
  type EndedEntry,
  type Entry,
  type StartedEntry,
} from './entry.ts';
import { adjustFiles, type FileChange, type GateFiles } from './files.ts';
import { gateOf, UnitGraph } from './units.ts';
import type { Verdict } from '../verdict/verdict.ts';

type Decided<Name extends DecidedEntry['decision']> = Extract<DecidedEntry, { decision: Name }>;
export type Rework = Decided<'rework'>;

/** One try of a unit: its start, its end, or both. An output that is used again has only an end. */
export interface Attempt {
  readonly ref: AttemptRef;
  readonly started?: StartedEntry;
  readonly ended?: EndedEntry;
}

/** A decision that the next turn of the unit carries out. */
export type PendingDecision = Decided<'skip'> | Decided<'adopt'>;

/** What is true of one run of a subject. */
export interface RunState {
  readonly run: number;
  /** The run is over: the next attempt belongs to a new run. */
  finalStatus?: 'completed' | 'closed';
  paused?: DecidedEntry;
  isRolledBack?: boolean;
  /** Attempts of this run, by unit, in order. */
  readonly attempts: Map<UnitKey, Attempt[]>;
  readonly decisions: DecidedEntry[];
  /** Reworks by the gate that they sent back, since it last started on other inputs. */
  readonly reworks: Map<string, Rework[]>;
  /** By gate, the rework that it must answer, and the units that have answered it. */
  readonly notes: Map<string, { readonly rework: Rework; readonly answered: Set<UnitKey> }>;
  /** Units whose results are void because work was sent back, until they or units that need them have worked again. */
  readonly sentBackUnits: Set<UnitKey>;
  started?: string;
  ended?: string;
}

/**
 * What the log of a folder says about one pipeline and one subject: a pure fold, made entry by entry. It has the
 * history, open attempts, notes of reviews and decisions; which outputs hold is not asked of it.
 */
export class LogState {
  readonly #graph: UnitGraph;
  readonly #firstRun: number;
  readonly subject: string;
  /** Attempts without an end, of all pipelines and subjects of the folder. */
  readonly openAttempts = new Map<string, StartedEntry>();
  /** By unit of this pipeline, whatever the subject: its files, and its newest attempt with an output. */
  readonly files = new Map<UnitKey, GateFiles>();
  readonly newestOutputs = new Map<UnitKey, AttemptRef>();
  /** The newest start, however it ended: what has changed since then explains why a unit runs. */
  readonly newestStart = new Map<UnitKey, StartedEntry>();
  /** The newest end of the subject, or else of any other. */
  readonly newestEnd = new Map<UnitKey, EndedEntry>();
  /** Ends of attempts whose agents ran, by {@link attemptKey}, for any subject: what using their outputs saves. */
  readonly agentEnds = new Map<string, EndedEntry>();
  /** By {@link approvalKey}. */
  readonly approvals = new Map<string, DecidedEntry>();
  /** Attempts whose output is never used again, by {@link attemptKey}. */
  readonly rejections = new Map<string, DecidedEntry>();
  readonly forceDecisions = new Map<UnitKey, Decided<'force'>>();
  readonly pendingDecisions = new Map<UnitKey, PendingDecision>();
  readonly runs: RunState[] = [];
  /** Attempts of other subjects in clones of these: their files are not in this folder. */
  readonly #elsewhere = new Set<string>();
  /** Changes that rollbacks made, by path, until a unit works on the path again. */
  readonly reverts = new Map<string, FileChange>();

  /** @param firstRun number of a run without an entry */
  constructor(pipeline: Pipeline, subject: string, entries: readonly Entry[] = [], firstRun = 1) {
    this.#graph = new UnitGraph(pipeline);
    this.#firstRun = firstRun;
    this.subject = subject;
    for (const entry of entries) this.apply(entry);
  }

  /** The newest run; undefined: there is none. */
  get current(): RunState | undefined {
    return this.runs.at(-1);
  }

  /** The run that the next entry belongs to. */
  get runNumber(): number {
    const run = this.current;
    return run === undefined ? this.#firstRun : run.finalStatus ? run.run + 1 : run.run;
  }

  apply(entry: Entry): void {
    if (entry.kind === 'started') this.openAttempts.set(attemptKey(attemptOf(entry), entry.pipeline), entry);
    if (entry.kind === 'ended') this.openAttempts.delete(attemptKey(attemptOf(entry), entry.pipeline));
    if (entry.pipeline !== this.#graph.pipeline.id) return;
    if (entry.kind === 'ended') this.#applyEnd(entry);
    if (entry.kind === 'started') this.newestStart.set(entry.unit, entry);
    if (entry.kind === 'started' && entry.isolated && entry.subject !== this.subject)
      this.#elsewhere.add(attemptKey(attemptOf(entry)));
    if (entry.kind === 'ended' && entry.how === 'ran') this.agentEnds.set(attemptKey(attemptOf(entry)), entry);
    if (entry.kind === 'decided') this.#applyWithdrawal(entry);
    if (entry.subject !== this.subject) return;
    const run = this.#runOf(entry);
    if (entry.kind === 'started') this.#applyStarted(run, entry);
    else if (entry.kind === 'ended') this.#applyEnded(run, entry);
    else this.#applyDecided(run, entry);
    if (entry.kind !== 'decided' && run.sentBackUnits.size > 0) this.#clearSentBack(run, entry.unit);
  }

  #applyEnd(entry: EndedEntry): void {
    const { unit, how, part, subject, verdict } = entry;
    const isElsewhere = this.#elsewhere.has(attemptKey(attemptOf(entry)));
    if (!isElsewhere) this.#applyFiles(entry);
    if (part || how === 'lost') return;
    const isOthers = subject !== this.subject && this.newestEnd.get(unit)?.subject === this.subject;
    if (!isOthers) this.newestEnd.set(unit, entry);
    if (!isElsewhere && how !== 'not-applicable' && isRemembered(verdict, this.#graph.gate(gateOf(unit))))
      this.newestOutputs.set(unit, originOf(entry));
  }

  #applyFiles({ unit, how, files, changes }: EndedEntry): void {
    for (const { path } of changes) this.reverts.delete(path);
    // An agent that leaves the version that a rollback took back has made it anew, or was content with it.
    if (how === 'ran')
      for (const [path, { after }] of Object.entries(files))
        if (this.reverts.get(path)?.before === after) this.reverts.delete(path);
    if (changes.length > 0)
      for (const [other, own] of this.files) if (other !== unit) this.files.set(other, adjustFiles(own, changes));
    this.files.set(unit, files);
  }

  /** All subjects share outputs and files: none uses what another one rejected or rolled back. */
  #applyWithdrawal(entry: DecidedEntry): void {
    if (entry.decision === 'reject') this.rejections.set(attemptKey(entry.attempt), entry);
    if (entry.decision !== 'rollback') return;
    for (const attempt of entry.attempts) this.rejections.set(attemptKey(attempt), entry);
    for (const [unit, files] of this.files) this.files.set(unit, adjustFiles(files, entry.changes));
    for (const change of entry.changes) this.reverts.set(change.path, change);
  }

  #runOf({ run, at }: Entry): RunState {
    let state = this.runs.find((other) => other.run === run);
    if (state === undefined) {
      const decisions: DecidedEntry[] = [];
      state = { run, attempts: new Map(), decisions, reworks: new Map(), notes: new Map(), sentBackUnits: new Set() };
      state.started = at;
      this.runs.push(state);
    }
    if (state.finalStatus === undefined) state.ended = at;
    return state;
  }

  /** A unit that works, and all that it needs, is up to date again. */
  #clearSentBack(run: RunState, unit: UnitKey): void {
    const needs = this.#graph.ancestors(gateOf(unit));
    for (const other of run.sentBackUnits)
      if (other === unit || needs.has(gateOf(other))) run.sentBackUnits.delete(other);
  }

  #applyStarted(run: RunState, entry: StartedEntry): void {
    attemptsOf(run, entry.unit).push({ ref: attemptOf(entry), started: entry });
    // The loop starts anew if the inputs are others than those that were reviewed.
    if (!entry.rework) run.reworks.delete(gateOf(entry.unit));
    run.isRolledBack = false;
  }

  #applyEnded(run: RunState, entry: EndedEntry): void {
    const attempts = attemptsOf(run, entry.unit);
    const last = attempts.at(-1);
    if (last?.ref.n === entry.n) attempts[attempts.length - 1] = { ...last, ended: entry };
    else attempts.push({ ref: attemptOf(entry), ended: entry });
    // Also if it failed the contract: otherwise each call would try it again.
    if (entry.how === 'adopted') this.pendingDecisions.delete(entry.unit);
    if (!isGoodEnd(entry)) return;
    if (entry.rework) run.notes.get(gateOf(entry.unit))?.answered.add(entry.unit);
    // A decision made while the agent worked, or after the output was used, is still to be carried out.
    if (entry.how !== 'used') this.forceDecisions.delete(entry.unit);
    if (entry.how !== 'used' && entry.how !== 'ran') this.pendingDecisions.delete(entry.unit);
  }

  #applyDecided(run: RunState, entry: DecidedEntry): void {
    run.decisions.push(entry);
    switch (entry.decision) {
      case 'approve':
        this.approvals.set(approvalKey(entry.fingerprint, entry.output), entry);
        break;
      case 'reject':
        this.approvals.delete(approvalKey(entry.fingerprint, entry.output));
        break;
      case 'force':
        this.forceDecisions.set(entry.unit, entry);
        this.pendingDecisions.delete(entry.unit);
        break;
      case 'skip':
      case 'adopt':
        this.pendingDecisions.set(entry.unit, entry);
        break;
      case 'rework':
        run.reworks.set(entry.gate, [...(run.reworks.get(entry.gate) ?? []), entry]);
        run.notes.set(entry.gate, { rework: entry, answered: new Set() });
        // Gates after it will get new inputs: what inner reviews asked of them is void.
        for (const gate of run.notes.keys()) if (this.#graph.ancestors(gate).has(entry.gate)) run.notes.delete(gate);
        for (const unit of run.attempts.keys())
          if (gateOf(unit) === entry.gate || this.#graph.ancestors(gateOf(unit)).has(entry.gate))
            run.sentBackUnits.add(unit);
        break;
      case 'pause':
        // The run may have ended just before this entry was appended.
        if (run.finalStatus === undefined) run.paused = entry;
        break;
      case 'resume':
        run.paused = undefined;
        break;
      case 'complete':
      case 'close':
        run.finalStatus = entry.decision === 'close' ? 'closed' : 'completed';
        run.paused = undefined;
        break;
      case 'rollback':
        run.isRolledBack = true;
        run.finalStatus = undefined;
        run.paused = entry;
        // What a review asked is void if the review was rolled back.
        for (const [gate, { rework }] of run.notes)
          if (rework.causes.some(({ attempt }) => this.rejections.get(attemptKey(attempt)) === entry))
            run.notes.delete(gate);
        break;
      case 'keep':
        break;
    }
  }
}

/**
 * Whether an output with this verdict is remembered. A failed one is if its gate sends work back, and the score or a
 * check failed: that answers the request, while a missing or malformed output does not.
 */
export function isRemembered({ status, kind }: Verdict, gate: Gate | undefined): boolean {
  if (status === 'failed') return gate?.onFail !== undefined && (kind === 'score' || kind === 'check');
  return true;
}

/** Whether an output that nobody approved sends the work back, as long as iterations are left. */
export function sendsWorkBack(verdict: Verdict, gate: Gate): boolean {
  const isBelow = verdict.status === 'partial' && gate.contract.partial === 'block';
  return gate.onFail !== undefined && (isBelow || verdict.status === 'failed') && isRemembered(verdict, gate);
}

/** Whether later gates may use the result: then it answers a force and a review. */
export function isGoodEnd({ how, verdict, part }: EndedEntry): boolean {
  return how !== 'lost' && verdict.status !== 'failed' && !part;
}

function attemptsOf(run: RunState, unit: UnitKey): Attempt[] {
  let attempts = run.attempts.get(unit);
  if (attempts === undefined) run.attempts.set(unit, (attempts = []));
  return attempts;
}

/** An attempt as one string, unique in a pipeline, or with `pipeline` in a folder: for refs and lookups. */
export function attemptKey({ subject, run, unit, n }: AttemptRef, pipeline = ''): string {
  return `${pipeline}${pipeline && ':'}${subject}/${run}/${unit}/${n}`;
}

export function approvalKey(fingerprint: string, output: string): string {
  return `${fingerprint} ${output}`;
}
