import type { Pipeline } from '../../pipeline/pipeline.ts';
import type { StartedRecord } from '../../run/records/record.ts';
import type { RequestContext } from '../../run/plan/request.ts';
import { unitsOf, type UnitGraph } from '../../run/records/unit.ts';
import { createRedactor, type Redactor } from '../../untrusted/redact.ts';
import type { JsonObject, JsonValue } from '../../json/json.ts';
import type { Snapshot } from '../../workspace/workspace.ts';
import { createContracts, type Contracts, type VersionedSchema } from './contracts.ts';
import { openJournal, type Journal } from './journal.ts';
import type { JournalScope } from './journal.ts';
import type { EnginePorts, Observer } from '../ports.ts';

/** What a caller asks the engine to work on. */
export interface Assignment {
  readonly pipeline: Pipeline;
  readonly subject: string;
  /** The pipeline's metadata with the caller's laid over it. */
  readonly metadata: JsonObject;
  /** The caller's input: in every request; takes the place of needs that have no output (see `standIn`). */
  readonly input: JsonValue;
  /** Only these gates (and, unless `standIn`, nothing is run for what they need). Default: all. */
  readonly only?: ReadonlySet<string>;
  /** Where a need has no output, run anyway: the agent takes what it needs from the caller's input (seed 000, step 0B). */
  readonly standIn?: boolean;
  /**
   * Standard Schemas by gate id, for programs: an output must meet its gate's, and its JSON Schema where there is one.
   * Everybody who judges a gate's outputs must give the same one.
   */
  readonly standardSchemas?: Readonly<Record<string, VersionedSchema>>;
  /** The workflow file that defines the job around an agent that runs by itself: its prompt stands there, so it counts. */
  readonly workflow?: RequestContext['workflow'];
}

/**
 * How a call is opened. `numbers`: it is a job of a CI run, whose run and attempt number its records; its claims are
 * the job's and end with it.
 */
export type CallOptions = Pick<JournalScope, 'runNumber' | 'alone' | 'numbers' | 'listing' | 'selection'>;

/** One call of the engine: its ports, what it works on, and what it has found out so far. */
export interface Call {
  readonly ports: EnginePorts;
  readonly assignment: Assignment;
  readonly graph: UnitGraph;
  readonly journal: Journal;
  readonly contracts: Contracts;
  readonly around: RequestContext;
  readonly redactor: Redactor;
  /** The user's version of the workspace: taken once, and again after an attempt in the user's folder. */
  readonly snapshot: () => Promise<Snapshot>;
  readonly forgetSnapshot: () => void;
  /** The version that was taken and still counts. */
  readonly taken: () => string | undefined;
  /** Whose the claims of this call are. */
  readonly holder: Exclude<StartedRecord['holder'], 'open'>;
  readonly observe: Observer;
}

/** Opens a call: reads the records and numbers it. Nothing is written. */
export async function openCall(
  ports: EnginePorts,
  assignment: Assignment,
  observe: Observer,
  options: CallOptions = {},
): Promise<Call> {
  const { pipeline, subject } = assignment;
  const graph = unitsOf(pipeline);
  const journal = await openJournal(ports, { pipeline: pipeline.id, subject, graph, ...options });
  return {
    ports,
    assignment,
    graph,
    journal,
    contracts: createContracts(ports.contractFiles ?? ports.workspace, assignment.standardSchemas),
    around: {
      pipeline: pipeline.id,
      subject,
      metadata: assignment.metadata,
      input: assignment.input,
      platform: ports.platform,
      ...(assignment.workflow && { workflow: assignment.workflow }),
    },
    redactor: createRedactor({ secrets: secretValues(pipeline, ports) }),
    ...snapshots(ports, pipeline, observe),
    holder: options.numbers === undefined ? 'process' : 'job',
    observe,
  };
}

function snapshots(
  { workspace }: EnginePorts,
  pipeline: Pipeline,
  observe: Observer,
): Pick<Call, 'snapshot' | 'forgetSnapshot' | 'taken'> {
  const named = pipeline.gates.flatMap(({ inputs }) => (inputs === undefined || inputs.length === 0 ? [] : [inputs]));
  const take = async (): Promise<Snapshot> => {
    const snapshot = await workspace.snapshot(named);
    if (!isTold) for (const message of snapshot.notices) await observe({ type: 'notice', message });
    isTold = true;
    tree = snapshot.tree;
    return snapshot;
  };
  let isTold = false;
  let tree: string | undefined;
  let taken: Promise<Snapshot> | undefined;
  return {
    snapshot: () => (taken ??= take()),
    forgetSnapshot: () => {
      taken = undefined;
      tree = undefined;
    },
    taken: () => tree,
  };
}

/** Values of every secret that any gate names, as far as they are set, and of those that nobody needs to name. */
function secretValues(pipeline: Pipeline, ports: EnginePorts): Record<string, string> {
  const names = new Set(pipeline.gates.flatMap((gate) => gate.secrets));
  const values: Record<string, string> = { ...ports.alsoSecret };
  for (const name of names) {
    const value = ports.environment[name];
    if (value !== undefined && value !== '') values[name] = value;
  }
  return values;
}
