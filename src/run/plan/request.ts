import type { JsonObject, JsonValue } from '../../json/json.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import { digestOfJson } from '../../json/canonical-json.ts';
import type { Digest } from '../../json/digest.ts';
import type { Content, StartedRecord } from '../records/record.ts';
import type { Verdict } from '../../verdict/verdict.ts';
import type { Tree } from '../files/tree.ts';
import type { Unit } from '../records/unit.ts';
import type { Handoff } from '../state/handoff.ts';

/** Version of the request; part of every fingerprint. */
export const REQUEST_FORMAT = 'gateline-request/2';

/** Versions that can be read from a store. In version 1 a default subject was part of the request. */
export const REQUEST_FORMATS = ['gateline-request/1', REQUEST_FORMAT] as const;

/**
 * Everything that determines an agent's output, and nothing else. Its digest is the fingerprint. Names, timeouts,
 * retries and the contract are not part of it: with a changed contract, a stored output is judged again, but the agent
 * does not run again. Secrets are included by name, never by value.
 */
export interface Request {
  readonly format: (typeof REQUEST_FORMATS)[number];
  readonly pipeline: string;
  readonly gate: string;
  readonly leg: string;
  readonly matrix: JsonObject;
  /** Only a subject that somebody gave: the default one names the run's records and nothing else. */
  readonly subject?: string;
  /** The goal of the run. */
  readonly task?: string;
  readonly metadata: JsonObject;
  /** The caller's input; `null` if there is none. */
  readonly input: JsonValue;
  readonly definition: {
    readonly run: string | null;
    readonly shell: string;
    readonly workingDirectory: string;
    readonly with: JsonObject;
    /** Variables that are part of the fingerprint, with their values; `null`: inherited, but not set. */
    readonly env: Readonly<Record<string, string | null>>;
    /** Which of the files that it leaves are captured. */
    readonly files: 'changed' | readonly string[];
    /** For an agent that runs by itself in a CI job: path and blob id of the workflow file that defines the job. */
    readonly workflow?: string;
    /** The action that is the agent, its inputs and the expression for its output, as they are written. */
    readonly uses?: { readonly action: string; readonly with: JsonObject; readonly output?: string };
  };
  readonly inputs: {
    /** `declared` by globs, or the whole `tracked` tree. */
    readonly from: 'declared' | 'tracked';
    /** Path → `<mode> <blob id>`. */
    readonly files: Readonly<Record<string, string>>;
  };
  /** Digest and size of each need's exports; `null`: it has no output. */
  readonly needs: Readonly<Record<UnitKey, GivenNeed | null>>;
  /** The required entities, with their values. */
  readonly entities?: RequiredEntities;
  /** A summary of the run before, for a gate that asks for it. */
  readonly handoff?: Handoff;
  /** The work was sent back: which time it is done, and the outputs that failed. */
  readonly rework?: {
    readonly iteration: number;
    readonly from: readonly { readonly gate: UnitKey; readonly verdict: Verdict; readonly output: Content | null }[];
  };
  readonly secrets: readonly string[];
  /** Versions of declared tools, as the tools print them. */
  readonly tools: Readonly<Record<string, string>>;
  readonly platform: Platform;
}

/** Required entities by name: which instance, and its value. */
export type RequiredEntities = Readonly<Record<string, { readonly instance: string; readonly value: Content | null }>>;

/** What a need gives to an agent. */
export interface GivenNeed extends Content, Partial<StandInProducer> {
  /** The need has no output of its own: this is from a state file of another tool, or from the caller's input. */
  readonly standIn?: 'file' | 'input';
}

/** Who made an output that a state file brings, and what that tool says of it. */
export interface StandInProducer {
  readonly status: 'SUCCESS' | 'PARTIAL';
  /** 0-100. */
  readonly score: number;
  readonly agent: string;
}

/** Where an agent runs, as far as it is part of the fingerprint. */
export interface Platform {
  /** `linux`, `darwin`, `win32`. */
  readonly os: string;
  readonly arch: string;
}

/** The parts that are the same for every gate of a run. */
export interface RequestContext {
  readonly pipeline: string;
  /** The subject, if it was given. */
  readonly subject: string | undefined;
  readonly task?: string | undefined;
  readonly metadata: JsonObject;
  readonly input: JsonValue;
  readonly platform: Platform;
  /** The workflow file around agents that run by themselves: path and git blob id. */
  readonly workflow?: { readonly path: string; readonly blob: string };
}

/** The current inputs of one unit. */
export interface CurrentInputs {
  readonly tree: Tree;
  readonly env: Readonly<Record<string, string | null>>;
  readonly tools: Readonly<Record<string, string>>;
  readonly needs: Readonly<Record<UnitKey, GivenNeed | null>>;
  readonly entities?: RequiredEntities | undefined;
  readonly handoff?: Handoff | undefined;
  /** The attempts that sent the unit's latest attempt back. */
  readonly rework?: { readonly iteration: number; readonly from: readonly ReworkCause[] } | undefined;
}

/** An output that failed and sent work back. */
export interface ReworkCause {
  readonly unit: UnitKey;
  readonly verdict: Verdict;
  readonly value?: Content | undefined;
}

/** The request of a unit. */
export function buildRequest(unit: Unit, around: RequestContext, found: CurrentInputs): Request {
  const { gate, leg } = unit;
  return {
    format: REQUEST_FORMAT,
    pipeline: around.pipeline,
    gate: gate.id,
    leg: leg.id,
    matrix: leg.matrix,
    ...(around.subject !== undefined && { subject: around.subject }),
    ...(around.task !== undefined && { task: around.task }),
    metadata: around.metadata,
    input: around.input,
    definition: {
      run: gate.run ?? null,
      shell: gate.shell,
      workingDirectory: gate.workingDirectory,
      with: gate.with,
      env: found.env,
      files: gate.files,
      ...(gate.run === undefined && agentAround(gate, workflowOf(around))),
    },
    inputs: {
      from: gate.inputs === undefined ? 'tracked' : 'declared',
      files: Object.fromEntries([...found.tree].map(([path, file]) => [path, `${file.mode} ${file.blob}`])),
    },
    needs: found.needs,
    ...(found.entities && { entities: found.entities }),
    ...(found.handoff && { handoff: found.handoff }),
    ...(found.rework && { rework: reworkOf(found.rework) }),
    secrets: [...gate.secrets].sort(),
    tools: found.tools,
    platform: around.platform,
  };
}

/** The definition of an agent that is not a command: an action that the file names, otherwise the workflow file. */
function agentAround({ uses }: Unit['gate'], workflow: string | undefined): Partial<Request['definition']> {
  if (uses === undefined) return workflow === undefined ? {} : { workflow };
  const { action, with: inputs, output } = uses;
  return { uses: { action, with: inputs, ...(output !== undefined && { output }) } };
}

function workflowOf({ workflow }: RequestContext): string | undefined {
  return workflow && `${workflow.path} ${workflow.blob}`;
}

function reworkOf({ iteration, from }: NonNullable<CurrentInputs['rework']>): NonNullable<Request['rework']> {
  return {
    iteration,
    from: from.map(({ unit, verdict, value }) => ({ gate: unit, verdict, output: value ?? null })),
  };
}

/** The fingerprint of a request: sha256 of its canonical JSON. */
export function fingerprintOf(request: Request): Digest {
  return digestOfJson(request as unknown as JsonValue);
}

/** Digests of the needs, and which needs something took the place of, as records contain them. */
export function recordedNeeds({ needs }: Pick<Request, 'needs'>): Pick<StartedRecord, 'needs' | 'standIns'> {
  const all = Object.entries(needs);
  const own = all.filter(([, content]) => content?.standIn === undefined);
  const others = all.flatMap(([key, content]) => (content?.standIn === undefined ? [] : [[key, content.standIn]]));
  return {
    needs: Object.fromEntries(own.map(([key, content]) => [key, content?.digest ?? null])),
    ...(others.length > 0 && { standIns: Object.fromEntries(others) as NonNullable<StartedRecord['standIns']> }),
  };
}

/**
 * A request as it would be if only the gate's definition had changed since: files, exports, tool versions and inherited
 * variables are those of the request.
 */
export function withDefinitionNow({ gate, leg }: Unit, request: Request): Request {
  const { definition, inputs, tools } = request;
  const env = Object.entries(gate.env).map(([name, value]) => [name, value ?? definition.env[name] ?? null] as const);
  return {
    ...request,
    matrix: leg.matrix,
    definition: {
      run: gate.run ?? null,
      shell: gate.shell,
      workingDirectory: gate.workingDirectory,
      with: gate.with,
      env: Object.fromEntries(env),
      files: gate.files,
      ...(gate.run === undefined && agentAround(gate, definition.workflow)),
    },
    inputs: { ...inputs, from: gate.inputs === undefined ? 'tracked' : 'declared' },
    secrets: [...gate.secrets].sort(),
    tools: Object.fromEntries(Object.keys(gate.tools).map((name) => [name, tools[name] ?? ''])),
  };
}

/** How the needs of a unit differ from those of a request. Needs that the caller provided are not in the request. */
export function changedNeeds({ needs }: Unit, request: Pick<Request, 'needs' | 'input'>): string[] {
  const before = new Set(Object.keys(request.needs));
  const removed = [...before].filter((key) => !needs.includes(key));
  const added = request.input === null ? needs.filter((key) => !before.has(key)) : [];
  return [...removed.map((key) => `no longer needs ${key}`), ...added.map((key) => `needs ${key}`)];
}
