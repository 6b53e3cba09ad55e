import type { GatelineError } from '../errors.ts';
import type { JsonValue } from '../json/json.ts';
import type { Gate, UnitKey } from '../pipeline/pipeline.ts';
import {
  ENTRY_FORMAT,
  isSameAttempt,
  type AttemptRef,
  type DecidedEntry,
  type EndedEntry,
  type Entry,
} from '../run/entry.ts';
import type { EngineEvent } from '../run/events.ts';
import { LogState } from '../run/state.ts';
import { costObstacle, rejectionText } from '../run/unit-state.ts';
import { UnitGraph, type Unit } from '../run/units.ts';
import { failedVerdict, verdictText } from '../verdict/verdict.ts';
import { createMatcher, type PathMatcher } from '../workspace/globs.ts';
import type { Snapshot } from '../workspace/workspace.ts';
import { Contracts } from './contracts.ts';
import type { Order, Ports, UnitOutput } from './ports.ts';

/** The result of a unit in this call. */
export type Outcome = UnitOutput & {
  /** `sends-back`: it failed, and its gate has `on-fail`. `waiting`: a person must decide. */
  readonly result: 'done' | 'waiting' | 'sends-back' | 'failed';
  readonly reason: string;
  /** Why its agent could not start. */
  readonly error?: GatelineError;
};

/** One call of a command: its order, the state of the log, and the outcomes of its units so far. */
export class Call {
  readonly ports: Ports;
  readonly order: Order;
  readonly graph: UnitGraph;
  readonly state: LogState;
  readonly contracts: Contracts;
  readonly outcomes = new Map<UnitKey, Outcome>();
  /** Values that replace the outputs of needs, by gate. */
  readonly standIns = new Map<string, UnitOutput>();
  /** The newest snapshot; undefined: files were written since. */
  snapshot: Snapshot | undefined;
  /** Commands that this call ran to make entities valid: each runs once. */
  readonly setupCommands = new Set<string>();
  /** Settles when no such command runs any more: units run them one after the other. */
  lastSetup: Promise<unknown> = Promise.resolve();
  /** Whether this call has written an entry. */
  wrote = false;
  #isOpened = false;
  #entries: readonly Entry[];
  #lastSnapshot: Promise<void> = Promise.resolve();
  #uses: EndedEntry[] = [];
  #matchers = new Map<string, PathMatcher>();
  #definitionFiles: ReadonlySet<string> | undefined;

  private constructor(ports: Ports, order: Order, entries: readonly Entry[]) {
    this.ports = ports;
    this.order = order;
    this.graph = new UnitGraph(order.pipeline);
    this.contracts = new Contracts(order);
    this.state = new LogState(order.pipeline, order.subject, entries, order.run);
    for (const [key, output] of order.outputs ?? [])
      this.outcomes.set(key, { ...output, result: 'done', reason: verdictText(output.verdict) });
    this.#entries = entries;
  }

  static async open(ports: Ports, order: Order): Promise<Call> {
    return new Call(ports, order, entriesOfCall(order, await ports.log.read()));
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  now(): string {
    return this.ports.clock.now().toISOString();
  }

  /** The fields that all entries of this call have. */
  entryHead() {
    const { pipeline, subject } = this.order;
    return { v: ENTRY_FORMAT, pipeline: pipeline.id, subject, run: this.state.runNumber, at: this.now() } as const;
  }

  /** The fields that the entries of an attempt have: its own number, even if somebody closed the run since. */
  attemptHead({ run, unit, n }: AttemptRef) {
    return { ...this.entryHead(), run, unit, n } as const;
  }

  observe(event: EngineEvent): void {
    this.ports.observe(event);
  }

  notice(message: string, { unit, hint }: { unit?: UnitKey; hint?: string } = {}): void {
    const { redactor } = this.order;
    this.observe({ type: 'notice', message: redactor.text(message), unit, hint: hint && redactor.text(hint) });
  }

  /** Writes entries, and before them those that waited in {@link addUse}. */
  async write(...entries: readonly Entry[]): Promise<void> {
    const { run } = this.entryHead();
    const uses = this.#uses.map((entry) => ({ ...entry, run }));
    if ([...uses, ...entries].some(({ kind }) => kind !== 'decided')) this.announce();
    this.#uses = [];
    this.wrote = true;
    this.#learn(await this.ports.log.append(...uses, ...entries));
  }

  /** Reports the run of this call, once: before its first entry, or before it waits for something. */
  announce(): void {
    if (this.#isOpened) return;
    this.#isOpened = true;
    const { order, ports, graph } = this;
    const { pipeline, subject, run } = this.entryHead();
    const units = graph.units.filter(({ gate }) => order.only?.has(gate.id) ?? true).map(({ key }) => key);
    this.observe({ type: 'opened', pipeline, subject, run, folder: ports.workspace.root, units });
  }

  /** Adds the entry of a used output that was the newest already: it is written with the next entry, if there is one. */
  addUse(entry: EndedEntry): void {
    this.#uses.push(entry);
  }

  get hasUses(): boolean {
    return this.#uses.length > 0;
  }

  async completeRun(): Promise<void> {
    const decision = {
      kind: 'decided',
      decision: 'complete',
      actor: 'gateline',
      reason: 'all gates are done',
    } as const;
    await this.write({ ...this.entryHead(), ...decision });
  }

  /** Reads what others wrote meanwhile, such as decisions of people. */
  async refresh(): Promise<void> {
    this.#learn(await this.ports.log.read());
  }

  #learn(all: readonly Entry[]): void {
    const entries = entriesOfCall(this.order, all);
    for (const entry of entries.slice(this.#entries.length)) {
      this.state.apply(entry);
      if (entry.kind === 'decided' && entry.decision === 'reject') this.#withdraw(entry);
    }
    this.#entries = entries;
  }

  /** No later gate of this call gets an output that a person rejects meanwhile. */
  #withdraw(rejection: Extract<DecidedEntry, { readonly decision: 'reject' }>): void {
    for (const [key, { checkpoint }] of this.outcomes)
      if (isSameAttempt(checkpoint?.attempt, rejection.attempt)) this.outcomes.set(key, rejectedOutcome(rejection));
  }

  /** Sets legs that come from data to those of the newest output, for commands that run no gate. */
  restoreLegs(): void {
    for (const gate of this.order.pipeline.gates) {
      const { matrix } = gate;
      const source = matrix && 'from' in matrix ? this.state.newestEnd.get(matrix.from.gate) : undefined;
      const legs = source?.legs?.[gate.id];
      if (legs !== undefined) this.graph.setLegs(gate, legs);
    }
  }

  /** The folder as it is now. One snapshot at a time, because each writes our index. */
  takeSnapshot(): Promise<Snapshot> {
    const next = this.#lastSnapshot.then(async () => this.#redactNames(await this.ports.workspace.takeSnapshot()));
    this.#lastSnapshot = next.then(
      (snapshot) => void (this.snapshot = snapshot),
      () => undefined,
    );
    return next;
  }

  /** Entries hold snapshots, with the names of files that git does not store. */
  #redactNames(snapshot: Snapshot): Snapshot {
    const { redactor } = this.order;
    const files = Object.entries(snapshot.unstored);
    if (redactor.find(files.map(([path]) => path).join('\n')).length === 0) return snapshot;
    return { ...snapshot, unstored: Object.fromEntries(files.map(([path, file]) => [redactor.text(path), file])) };
  }

  /** Matches the input files of a gate. @param handedOn files of its needs, which are always inputs */
  inputMatcher({ inputs, with: values }: Gate, handedOn: readonly string[]): PathMatcher {
    const declared = inputs === undefined ? undefined : this.#matcher(inputs);
    const except = this.definitionFiles;
    const named = new Set([...handedOn, ...namedFiles(values)]);
    return (path) => named.has(path) || (declared === undefined ? !except.has(path) : declared(path));
  }

  /** As {@link costObstacle}, for this call. */
  costObstacle(): string | undefined {
    const { pipeline, spentUsd } = this.order;
    return costObstacle(pipeline, this.state.current, spentUsd);
  }

  /** Matches the files that a unit makes. The definition is no gate's file. */
  fileMatcher({ gate: { files } }: Unit): PathMatcher {
    if (files === undefined) return () => false;
    const matches = files === 'changed' ? () => true : this.#matcher(files);
    return (path) => path !== this.order.definitionFile && matches(path);
  }

  #matcher(globs: readonly string[]): PathMatcher {
    const key = globs.join('\0');
    let matcher = this.#matchers.get(key);
    if (matcher === undefined) this.#matchers.set(key, (matcher = createMatcher(globs)));
    return matcher;
  }

  /** Files that are no input of a gate without `inputs`: the definition, schemas, and prompts, which are for one gate. */
  get definitionFiles(): ReadonlySet<string> {
    const { definitionFile, pipeline } = this.order;
    const schemasOf = ({ contract: { schema } }: Gate) => (schema && 'path' in schema ? [schema.path] : []);
    const promptsOf = ({ with: { prompt = null } }: Gate) => namedFiles({ prompt });
    const findFiles = () => pipeline.gates.flatMap((gate) => [...schemasOf(gate), ...promptsOf(gate)]);
    return (this.#definitionFiles ??= new Set([definitionFile, ...findFiles()]));
  }
}

/** The outcome of a unit whose output a person rejected while this call worked. */
export function rejectedOutcome(rejection: DecidedEntry): Outcome {
  const reason = rejectionText(rejection);
  const issues = [{ severity: 'error', message: reason }] as const;
  const verdict = failedVerdict('cancelled', 'Run again: its agent works again.', issues);
  return { result: 'failed', verdict, handedOn: [], reason };
}

/** The entries about the folder that a call works in, and all decisions. */
function entriesOfCall({ subject, otherEntries }: Order, entries: readonly Entry[]): readonly Entry[] {
  if (otherEntries === undefined) return entries;
  return entries.filter((entry, at) => at < otherEntries || entry.subject === subject || entry.kind === 'decided');
}

/** Values of a gate's `with` that look like paths: always its inputs. */
export function namedFiles(values: JsonValue): string[] {
  if (typeof values === 'string')
    return /^(?!\/)(?=.*[./])[\p{L}\p{M}\p{N}_. /-]{1,200}$/u.test(values) ? [values] : [];
  return typeof values === 'object' && values !== null ? Object.values(values).flatMap(namedFiles) : [];
}
