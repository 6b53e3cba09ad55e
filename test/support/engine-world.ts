import type { Agent, AgentResult, AgentTask } from '../../src/agent/agent.ts';
import type { AgentFile, AttemptDirectory, AttemptFiles } from '../../src/agent/attempt-files.ts';
import type { Assignment } from '../../src/engine/call.ts';
import type { EngineEvent, EnginePorts } from '../../src/engine/ports.ts';
import { runPipeline, type RunOptions, type RunResult } from '../../src/engine/run-pipeline.ts';
import { planPipeline, type PlanResult } from '../../src/engine/plan-pipeline.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import type { Digest } from '../../src/run/digest.ts';
import type { Writer } from '../../src/run/record.ts';
import { createMemoryMedium, createMemoryStore, type MemoryMedium } from '../../src/store/memory/memory-store.ts';
import type { RecordStore } from '../../src/store/record-store.ts';
import type { JsonObject, JsonValue } from '../../src/untrusted/json.ts';
import { memoryWorkspace, type MemoryWorkspace } from './memory-workspace.ts';

/** What an agent of a test does: gets its request, may edit files, and answers. */
export type AgentScript = (
  task: AgentCall,
) => Partial<AgentAnswer> | undefined | Promise<Partial<AgentAnswer> | undefined>;

export interface AgentCall {
  readonly unit: string;
  readonly attempt: number;
  readonly request: JsonObject;
  readonly feedback: JsonObject | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly files: Map<string, string>;
  readonly signal: AbortSignal;
}

export interface AgentAnswer {
  /** Written to the output file; a string as it is, anything else as JSON. */
  readonly output: JsonValue | undefined;
  readonly raw: string;
  readonly metrics: JsonValue;
  readonly learnings: string;
  readonly result: Partial<AgentResult>;
}

/** Thrown by an agent script: the engine's process dies here, leaving what it wrote so far. */
export class Killed extends Error {}

/** Everything that the engine needs, in memory, with agents that are functions. */
export interface EngineWorld {
  readonly medium: MemoryMedium;
  readonly workspace: MemoryWorkspace;
  /** Units in the order in which their agents were started, as `unit#attempt`. */
  readonly starts: string[];
  readonly events: EngineEvent[];
  readonly environment: Record<string, string>;
  clock: Date;
  ports(): EnginePorts;
  run(pipeline: Pipeline, more?: Partial<Assignment>, options?: Partial<RunOptions>): Promise<RunResult>;
  plan(pipeline: Pipeline, more?: Partial<Assignment>): Promise<PlanResult>;
}

export function engineWorld(
  script: AgentScript,
  files: Readonly<Record<string, string>> = {},
  medium = createMemoryMedium(),
): EngineWorld {
  const workspace = memoryWorkspace(files);
  const attempts = memoryAttempts();
  const dead = new Set<number>();
  let pid = 0;
  const world: EngineWorld = {
    medium,
    workspace,
    starts: [],
    events: [],
    environment: {},
    clock: new Date('2026-01-02T03:04:05.678Z'),
    ports: () => {
      pid += 1;
      dead.add(pid - 1);
      const me: Writer = { host: 'host', boot: 'boot', pid, pidStart: String(pid) };
      return {
        store: storeOn(medium, workspace),
        workspace,
        attempts,
        agent: scriptedAgent(script, world, attempts),
        now: () => (world.clock = new Date(world.clock.getTime() + 1)),
        me,
        isGone: async (writer) => dead.has(writer.pid),
        environment: world.environment,
        platform: { os: 'linux', arch: 'x64' },
        toolVersion: async (command) => `version of ${command}`,
      };
    },
    run: (pipeline, more = {}, options = {}) =>
      runPipeline(world.ports(), assignmentOf(pipeline, more), {
        observe: (event) => void world.events.push(event),
        signal: new AbortController().signal,
        ...options,
      }),
    plan: (pipeline, more = {}) => planPipeline(world.ports(), assignmentOf(pipeline, more)),
  };
  return world;
}

function assignmentOf(pipeline: Pipeline, more: Partial<Assignment>): Assignment {
  return { pipeline, subject: 'subject', metadata: pipeline.metadata, input: null, ...more };
}

function storeOn(medium: MemoryMedium, workspace: MemoryWorkspace): RecordStore {
  const store = createMemoryStore(medium);
  const copyTo: RecordStore['copyTo'] = async (digest, path) => {
    const read = await store.get(digest);
    if (read.state !== 'present') return read;
    workspace.files.set(path.replace(/^memory:/, ''), Buffer.from(read.value).toString());
    return { state: 'present', value: { digest, bytes: read.value.length } };
  };
  return Object.assign(Object.create(store) as RecordStore, bound(store), { copyTo });
}

function bound(store: RecordStore): Omit<RecordStore, 'copyTo'> {
  return {
    write: (record) => store.write(record),
    list: (pipeline, subject) => store.list(pipeline, subject),
    subjects: (pipeline) => store.subjects(pipeline),
    put: (content) => store.put(content),
    putStream: (chunks) => store.putStream(chunks),
    get: (digest) => store.get(digest),
    check: (digest) => store.check(digest),
  };
}

function scriptedAgent(script: AgentScript, world: EngineWorld, attempts: MemoryAttempts): Agent {
  return {
    endLeftovers: async () => [],
    run: async (task: AgentTask) => {
      const read = (variable: string): JsonObject | undefined => {
        const path = task.env[variable];
        const text = path === undefined ? undefined : attempts.files.get(path);
        return text === undefined ? undefined : (JSON.parse(text) as JsonObject);
      };
      const leg = task.env['GATELINE_LEG'];
      const unit = `${task.env['GATELINE_GATE']}${leg ? `/${leg}` : ''}`;
      const attempt = Number(task.env['GATELINE_ATTEMPT']);
      world.starts.push(`${unit}#${attempt}`);
      const call = {
        unit,
        attempt,
        request: read('GATELINE_REQUEST')!,
        feedback: read('GATELINE_FEEDBACK'),
        env: task.env,
        files: world.workspace.files,
        signal: task.signal,
      };
      const answer = (await script(call)) ?? {};
      const write = (variable: string, text: string | undefined): void => {
        if (text !== undefined) attempts.files.set(task.env[variable]!, text);
      };
      write('GATELINE_OUTPUT', answer.raw ?? (answer.output === undefined ? undefined : JSON.stringify(answer.output)));
      write('GATELINE_METRICS', answer.metrics === undefined ? undefined : JSON.stringify(answer.metrics));
      write('GATELINE_LEARNINGS', answer.learnings);
      return { outcome: 'exited', exitCode: 0, stdout: '', stderr: '', ...answer.result };
    },
  };
}

interface MemoryAttempts extends AttemptFiles {
  readonly files: Map<string, string>;
}

function memoryAttempts(): MemoryAttempts {
  const files = new Map<string, string>();
  const made = new Set<string>();
  const directory = (path: string): AttemptDirectory => ({
    path,
    pathOf: (name) => `${path}/${name}`,
    write: async (name, chunks) => void files.set(`${path}/${name}`, [...chunks].join('')),
    place: async (_name, digest: Digest) => ({ state: 'present', value: { digest, bytes: 0 } }),
    read: async (name, limit): Promise<AgentFile> => {
      const text = files.get(`${path}/${name}`);
      if (text === undefined) return { state: 'absent' };
      const bytes = Buffer.from(text);
      return bytes.length > limit ? { state: 'too-large', size: bytes.length } : { state: 'present', bytes };
    },
    remove: async (name) => void files.delete(`${path}/${name}`),
  });
  const pathOf = (id: {
    subject: string;
    runNumber: number;
    gate: string;
    leg: string;
    runAttempt: number;
    n: number;
  }): string => `/attempts/${id.subject}/${id.runNumber}/${id.gate}.${id.leg}.${id.runAttempt}.${id.n}`;
  return {
    root: '/attempts',
    files,
    create: async (id) => {
      if (made.has(pathOf(id))) throw new Error(`${pathOf(id)} exists`);
      made.add(pathOf(id));
      return directory(pathOf(id));
    },
    open: async (id) => (made.has(pathOf(id)) ? directory(pathOf(id)) : undefined),
  };
}
