import { GatelineError } from '../../errors/gateline-error.ts';
import { historyOfRun } from '../../history/entry-of-run.ts';
import type { GateOutcome, HistoryEntry } from '../../history/entry.ts';
import { jsonDifferences, type JsonDifference } from '../../json/json-difference.ts';
import type { JsonValue } from '../../json/json.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { UnitState } from '../../run/state/run-state.ts';
import { openCall, type Assignment, type Call } from '../call/call.ts';
import { readJson } from '../call/content.ts';
import { noteChanges } from '../plan/since-approval.ts';
import type { EnginePorts } from '../ports.ts';

/** One of two runs that are compared. */
export interface RunCompared {
  /** Default: the subject of the assignment. */
  readonly subject?: string | undefined;
  readonly runNumber: number;
}

/** A gate, or a leg, in two runs. */
export interface GateDifference {
  readonly key: UnitKey;
  /** `undefined`: the run has no such gate. */
  readonly before: GateOutcome | undefined;
  readonly after: GateOutcome | undefined;
  /** Whether its agent was asked the same; `undefined`: it was not asked in one of the runs. */
  readonly sameRequest: boolean | undefined;
  /** How its outputs differ; `undefined`: one of them is missing, or cannot be read. */
  readonly output: readonly JsonDifference[] | undefined;
}

/** The result of {@link compareRuns}. */
export interface RunsDifference {
  readonly before: HistoryEntry;
  readonly after: HistoryEntry;
  /** In the order of the graph; gates that only the first run has come last. */
  readonly gates: readonly GateDifference[];
}

/**
 * Compares two runs of a pipeline, of one subject or of two, by their records. Writes nothing.
 * @throws GatelineError `RUN_UNKNOWN`
 */
export async function compareRuns(
  ports: EnginePorts,
  assignment: Pick<Assignment, 'pipeline' | 'subject'>,
  before: RunCompared,
  after: RunCompared,
): Promise<RunsDifference> {
  const [a, b] = await Promise.all([before, after].map((run) => readSide(ports, assignment, run)));
  const keys = [...new Set([...b!.units.keys(), ...a!.units.keys()])];
  const gates = await Promise.all(keys.map((key) => compareGate(key, a!, b!)));
  return { before: a!.entry, after: b!.entry, gates };
}

/** One run, read. */
interface ComparedSide {
  readonly call: Call;
  readonly units: ReadonlyMap<UnitKey, UnitState>;
  readonly entry: HistoryEntry;
  readonly outcomes: ReadonlyMap<string, GateOutcome>;
}

async function readSide(
  ports: EnginePorts,
  { pipeline, subject: usual }: Pick<Assignment, 'pipeline' | 'subject'>,
  { subject = usual, runNumber }: RunCompared,
): Promise<ComparedSide> {
  const about = { pipeline, subject, metadata: pipeline.metadata, input: null };
  const call = await openCall(ports, about, () => undefined, { runNumber, shows: true });
  await noteChanges(call);
  const [state, records] = [call.journal.state(), call.journal.records()];
  if (!records.some((record) => record.runNumber === runNumber)) {
    const message = `there is no run ${runNumber} for ${subject}`;
    throw new GatelineError('RUN_UNKNOWN', message, { hint: '`gateline history` lists the runs.' });
  }
  const now = ports.now().toISOString();
  const { entry, gates } = historyOfRun({ state, records, groups: pipeline.groups, now });
  // In the order of the units: a key is not stored.
  const outcomes = new Map(gates.gates.map((gate) => [gate.leg === '' ? gate.gate : `${gate.gate}/${gate.leg}`, gate]));
  return { call, units: state.units, entry, outcomes };
}

async function compareGate(key: UnitKey, a: ComparedSide, b: ComparedSide): Promise<GateDifference> {
  const [before, after] = [a.outcomes.get(key), b.outcomes.get(key)];
  const [was, is] = [before?.fingerprint, after?.fingerprint];
  const sameRequest = was === undefined || is === undefined ? undefined : was === is;
  return { key, before, after, sameRequest, output: await compareOutputs(a, b, key) };
}

async function compareOutputs(
  a: ComparedSide,
  b: ComparedSide,
  key: UnitKey,
): Promise<readonly JsonDifference[] | undefined> {
  const [was, is] = [a, b].map(({ units }) => units.get(key)?.ended?.value);
  if (was === undefined || is === undefined) return undefined;
  if (was.digest === is.digest) return [];
  try {
    return jsonDifferences(await valueOf(a, key), await valueOf(b, key));
  } catch (error) {
    if (error instanceof GatelineError && error.code === 'CONTENT_MISSING') return undefined;
    throw error;
  }
}

async function valueOf({ call, units }: ComparedSide, key: UnitKey): Promise<JsonValue> {
  return readJson(call.ports.store, units.get(key)!.ended!.value!, { what: `the output of gate ${key}` });
}
