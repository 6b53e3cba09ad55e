import { MAX_TASK_LENGTH, type Gate, type Pipeline, type UnitKey } from '../../pipeline/pipeline.ts';
import type { RecordListing } from '../../run/records/reading.ts';
import type { StartedRecord } from '../../run/records/record.ts';
import type { GivenRework } from '../../run/records/reworks.ts';
import type { RequestContext } from '../../run/plan/request.ts';
import { unitsOf, type UnitGraph } from '../../run/records/unit.ts';
import type { EarlierTask } from '../../run/state/handoff.ts';
import { commitUnderReview } from '../../run/state/earlier-views.ts';
import { createRedactor, type Redactor } from '../../untrusted/redact.ts';
import type { JsonObject, JsonValue } from '../../json/json.ts';
import { callBudget, type CallBudget } from './call-budget.ts';
import { createContracts, type Contracts, type VersionedSchema } from './contracts.ts';
import { openJournal, type Journal, type JournalScope } from './journal.ts';
import { legSettler } from './settle-legs.ts';
import type { EnginePorts, Observer, StartVersion } from '../ports.ts';
import type { StandIns } from './guide-files.ts';
import { givenSubject, type NamedSubject } from './given-subject.ts';

/** The task of a call. */
export interface Assignment extends NamedSubject {
  readonly pipeline: Pipeline;
  /** The goal of the run, from the caller or the pipeline. Default: none. */
  readonly task?: string | undefined;
  /** The pipeline's metadata, overridden by the caller's. */
  readonly metadata: JsonObject;
  /** The caller's input: part of every request; may replace needs that have no output (see `standIn`). */
  readonly input: JsonValue;
  /** Name of the set that the subject belongs to; for the history. */
  readonly set?: string | undefined;
  /** The outcome of other tasks of the set before this run: for gates that ask for a summary. Default: none. */
  readonly earlierTasks?: readonly EarlierTask[];
  /** Run only these units. Gates that they need do not run, unless `standIn` is set. Default: all. */
  readonly only?: ReadonlySet<UnitKey>;
  /** Run even if a need has no output: a state file or the caller's input takes its place (seed 000, step 0B). */
  readonly standIn?: StandIns;
  /** How often the target of any loop may run in this call, instead of each loop's own limit. Not recorded. */
  readonly maxIterations?: number | undefined;
  /** In a CI run: what its event says that the run does again. */
  readonly rework?: GivenRework | undefined;
  /** Gates of a group run one at a time, whatever its `mode`. */
  readonly sequential?: boolean;
  /** Refuse to continue a run whose definition changed since its gates ran. */
  readonly strict?: boolean;
  /** Start at most this many gates. Default: no limit. */
  readonly maxGates?: number;
  /** Gates whose last good output is adopted if they would run again: who decided so, and why. */
  readonly keep?: {
    readonly gates: ReadonlySet<string>;
    readonly actor: string;
    readonly reason: string;
    /** Only where nothing but these files changed. Default: whatever changed. */
    readonly files?: ReadonlySet<string>;
  };
  /**
   * Standard Schemas by gate id, for programs. An output must satisfy its gate's Standard Schema, and its JSON Schema
   * if there is one. Every program that judges a gate's outputs must pass the same schema.
   */
  readonly standardSchemas?: Readonly<Record<string, VersionedSchema>>;
  /**
   * The workflow file that defines the job around an agent that runs by itself: it contains the prompt, so it is part
   * of the fingerprint.
   */
  readonly workflow?: RequestContext['workflow'];
}

/**
 * Options for opening a call. `numbers`: this is a job of a CI run, whose run and attempt number its records; its
 * claims belong to the job and end with it.
 */
export interface CallOptions extends Pick<
  JournalScope,
  'runNumber' | 'fresh' | 'alone' | 'numbers' | 'shows' | 'listing' | 'selection'
> {
  /** In a CI run: the number of the run that it resumes. */
  readonly resumedRun?: number;
}

/** The task, and the commit that the run is about, as records of work contain them. */
export function aboutRun({
  assignment: { task },
  redactor,
  graph,
}: Pick<Call, 'assignment' | 'redactor' | 'graph'>): Pick<StartedRecord, 'task' | 'commit'> {
  const commit = commitUnderReview(graph);
  return {
    ...(task !== undefined && { task: redactor.redactText(task).slice(0, MAX_TASK_LENGTH) }),
    ...(commit !== undefined && { commit }),
  };
}

/**
 * The pipeline with what this call does instead of what its definition says: how often loops go round, and groups one
 * gate at a time. For what people and agents are shown of it.
 */
export function calledPipeline({
  pipeline,
  maxIterations,
  sequential = false,
}: Pick<Assignment, 'pipeline' | 'maxIterations' | 'sequential'>): Pipeline {
  const limited = <T extends Pick<Gate, 'onFail'>>(one: T): T =>
    one.onFail === undefined || maxIterations === undefined
      ? one
      : { ...one, onFail: { ...one.onFail, maxIterations } };
  const groups = pipeline.groups.map(limited);
  return {
    ...pipeline,
    gates: pipeline.gates.map(limited),
    groups: sequential ? groups.map((group) => ({ ...group, mode: 'sequential' as const })) : groups,
  };
}

/** One call of the engine: its ports, its assignment, and what it has found out so far. */
export interface Call {
  readonly ports: EnginePorts;
  readonly assignment: Assignment;
  readonly graph: UnitGraph;
  /** Gives gates whose matrix is in an output their legs, once the output is known. True: the graph has changed. */
  readonly settleLegs: () => Promise<boolean>;
  readonly journal: Journal;
  readonly contracts: Contracts;
  readonly around: RequestContext;
  readonly redactor: Redactor;
  readonly budget: CallBudget;
  /** Blobs of files that attempts left and that are not kept. */
  readonly refused: Set<string>;
  /** The user's version of the workspace: captured once, and again after an attempt in the user's folder. */
  readonly snapshot: () => Promise<StartVersion>;
  readonly forgetSnapshot: () => void;
  /** The captured version, if it is still valid. */
  readonly taken: () => string | undefined;
  /** Holder of this call's claims. */
  readonly holder: Exclude<StartedRecord['holder'], 'open'>;
  readonly observe: Observer;
  /** Set-up commands of this call: those that ran, and the last gate that needed some. */
  readonly recovery: { readonly ran: Set<string>; last: Promise<void> };
  /** Units and runs whose decisions were looked for. */
  readonly looked: Set<string>;
  /** The number of the run that this CI run resumes. */
  readonly resumedRun: number | undefined;
}

/**
 * Opens a call: reads the records and numbers the call. Writes nothing.
 * @throws GatelineError `RECORD_TOO_NEW`
 */
export async function openCall(
  ports: EnginePorts,
  assignment: Assignment,
  observe: Observer,
  options: CallOptions = {},
): Promise<Call> {
  const { pipeline, subject } = assignment;
  const { resumedRun, ...scope } = options;
  const holder = options.numbers === undefined ? 'process' : 'job';
  const files = ports.contractFiles ?? ports.workspace;
  const reviewed = await withReview(ports, pipeline);
  const graph = new Map(unitsOf(reviewed));
  const given = ports.decisions && ((listing: RecordListing) => ports.decisions!.given(graph, listing, subject));
  const journal = await openJournal(ports, {
    pipeline: pipeline.id,
    subject,
    graph,
    ...(given && { given }),
    ...scope,
  });
  const settleLegs = legSettler(reviewed, graph, journal, ports.store);
  if (await settleLegs()) {
    // Of a run that is over, every leg is.
    journal.renumber();
    await settleLegs();
  }
  return {
    ports,
    assignment,
    graph,
    settleLegs,
    journal,
    budget: callBudget({ ports, pipeline, subject, journal, files, isJob: holder === 'job' }),
    contracts: createContracts(files, assignment.standardSchemas),
    around: {
      pipeline: pipeline.id,
      subject: givenSubject(assignment),
      task: assignment.task,
      metadata: assignment.metadata,
      input: assignment.input,
      platform: ports.platform,
      ...(assignment.workflow && { workflow: assignment.workflow }),
    },
    refused: new Set(),
    redactor: createRedactor({ secrets: secretValues(pipeline, ports) }),
    ...snapshots(ports, pipeline, observe),
    holder,
    observe,
    recovery: { ran: new Set(), last: Promise.resolve() },
    looked: new Set(),
    resumedRun,
  };
}

/** The pipeline with the change that is under review, where approvals depend on it. */
async function withReview(ports: EnginePorts, pipeline: Pipeline): Promise<Pipeline> {
  const depends = ({ approval }: Gate): boolean => approval?.notAuthor === true || approval?.perCommit === true;
  if (ports.underReview === undefined || !pipeline.gates.some(depends)) return pipeline;
  const about = await ports.underReview();
  const gates = pipeline.gates.map((gate) =>
    gate.approval === undefined ? gate : { ...gate, approval: { ...gate.approval, about } },
  );
  return { ...pipeline, gates };
}

/** The globs of all gates: ignored files that they name are part of a version, too. */
export function namedGlobs({ gates }: Pick<Pipeline, 'gates'>): (readonly string[])[] {
  return gates.flatMap(({ inputs }) => (inputs === undefined || inputs.length === 0 ? [] : [inputs]));
}

function snapshots(
  { workspace, startVersion }: EnginePorts,
  pipeline: Pipeline,
  observe: Observer,
): Pick<Call, 'snapshot' | 'forgetSnapshot' | 'taken'> {
  const take = async (): Promise<StartVersion> => {
    const snapshot: StartVersion = await (startVersion?.() ?? workspace.snapshot(namedGlobs(pipeline)));
    if (!isNoticed) for (const message of snapshot.notices) await observe({ type: 'notice', message });
    isNoticed = true;
    tree = snapshot.tree;
    return snapshot;
  };
  let isNoticed = false;
  let tree: string | undefined;
  let taken: Promise<StartVersion> | undefined;
  return {
    snapshot: () => (taken ??= take()),
    forgetSnapshot: () => {
      taken = undefined;
      tree = undefined;
    },
    taken: () => tree,
  };
}

/** Values of all secrets that any gate names and that are set, and of those that are always redacted. */
export function secretValues(
  pipeline: Pipeline,
  ports: Pick<EnginePorts, 'alsoSecret' | 'environment'>,
): Record<string, string> {
  const names = new Set(pipeline.gates.flatMap((gate) => gate.secrets));
  const values: Record<string, string> = { ...ports.alsoSecret };
  for (const name of names) {
    const value = ports.environment[name];
    if (value !== undefined && value !== '') values[name] = value;
  }
  return values;
}

/** Advice for the user if another process claimed the gate first. Depends on who can hold claims in this call. */
export function claimedHint(holder: Call['holder']): string {
  return holder === 'job'
    ? 'Two jobs of this run work on the same gate. Give each its own `gate:`, or its own `subject:`.'
    : 'Two commands worked on the same gate at the same time. Check `gateline status`, and run again when the other one is done. If nobody works on it any more, `gateline force GATE --reason TEXT` frees it.';
}
