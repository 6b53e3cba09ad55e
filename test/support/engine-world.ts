import { expect } from 'vitest';
import type { Agent, AgentResult, AgentTask } from '../../src/agent/agent.ts';
import type { AgentFile, AttemptDirectory, AttemptFiles } from '../../src/agent/attempt-files.ts';
import type { Assignment } from '../../src/engine/call/call.ts';
import type { EngineEvent, EnginePorts } from '../../src/engine/ports.ts';
import { runPipeline, type RunOptions, type RunResult } from '../../src/engine/run-pipeline.ts';
import { planPipeline, type PlanResult } from '../../src/engine/plan-pipeline.ts';
import type { Resume } from '../../src/engine/resume.ts';
import type { Gate, Pipeline } from '../../src/pipeline/pipeline.ts';
import type { Digest } from '../../src/json/digest.ts';
import type { Writer } from '../../src/run/records/record.ts';
import { createMemoryMedium, createMemoryStore, type MemoryMedium } from '../../src/store/memory/memory-store.ts';
import type { RecordStore } from '../../src/store/record-store.ts';
import type { JsonObject, JsonValue } from '../../src/json/json.ts';
import { memoryCheckpoints } from './memory-checkpoints.ts';
import { blobOf, MemoryWorkspace, type FolderFiles } from './memory-workspace.ts';
import { Killed, Mortal } from './mortal.ts';

export { Killed } from './mortal.ts';

/** What an agent of a test does: gets its request, may edit the files where it works, and answers. */
export type AgentScript = (
  task: AgentCall,
) => Partial<AgentAnswer> | undefined | Promise<Partial<AgentAnswer> | undefined>;

export interface AgentCall {
  readonly unit: string;
  readonly attempt: number;
  readonly request: JsonObject;
  readonly feedback: JsonObject | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** Files where it works: in a work tree of its own, or in place. */
  readonly files: FolderFiles;
  readonly root: string;
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

/**
 * Everything that the engine needs, in memory, with agents that are functions. Whenever an agent starts, its files are held
 * against its request: they must be the same.
 */
export interface EngineWorld {
  readonly medium: MemoryMedium;
  readonly workspace: MemoryWorkspace;
  /** Units in the order in which their agents were started, as `unit#attempt`. */
  readonly starts: string[];
  readonly events: EngineEvent[];
  readonly environment: Record<string, string>;
  clock: Date;
  /** The change that runs are about. */
  review: { readonly commit: string | undefined; readonly authors: readonly string[] };
  /** Takes note of what gates declare as inputs: their files are held against it. */
  expect(pipeline: Pipeline): void;
  /** Those of a new process. The one before it is gone by then. */
  ports(process?: Mortal): EnginePorts;
  run(pipeline: Pipeline, more?: Partial<Assignment>, options?: Partial<WorldRunOptions>): Promise<RunResult>;
  plan(pipeline: Pipeline, more?: Partial<Assignment>, resume?: Resume): Promise<PlanResult>;
}

export interface WorldRunOptions extends RunOptions {
  /** The process is killed after this many operations: reads and writes of records, contents, files. */
  readonly dieAfter: number;
}

export interface WorldOptions {
  readonly medium?: MemoryMedium;
  readonly kind?: 'local' | 'job';
  /** Outputs of other subjects are found by their fingerprints. */
  readonly acrossSubjects?: boolean;
}

export function engineWorld(
  script: AgentScript,
  files: Readonly<Record<string, string>> = {},
  { medium = createMemoryMedium(), kind = 'local', acrossSubjects = false }: WorldOptions = {},
): EngineWorld {
  const workspace = new MemoryWorkspace(files, kind);
  const attempts = memoryAttempts();
  const inputs = new Map<string, Gate['inputs']>();
  const dead = new Set<number>();
  let pid = 0;
  const world: EngineWorld = {
    medium,
    workspace,
    starts: [],
    events: [],
    environment: {},
    clock: new Date('2026-01-02T03:04:05.678Z'),
    review: { commit: undefined, authors: [] },
    expect: ({ gates }) => {
      for (const gate of gates) inputs.set(gate.id, gate.inputs);
    },
    ports: (process = new Mortal()) => {
      pid += 1;
      dead.add(pid - 1);
      const me: Writer = { host: 'host', boot: 'boot', pid, pidStart: String(pid) };
      return {
        store: process.port(storeOn(medium, workspace)),
        workspace: process.port(workspace),
        attempts: process.port(attempts),
        agent: process.port(scriptedAgent(script, { world, attempts, inputs, process })),
        now: () => (world.clock = new Date(world.clock.getTime() + 1)),
        me,
        isGone: async (writer) => dead.has(writer.pid),
        processes: { place: me, isRunning: async () => false },
        environment: world.environment,
        platform: { os: 'linux', arch: 'x64' },
        toolVersion: async (command) => `version of ${command}`,
        underReview: async () => world.review,
        ...(acrossSubjects && { checkpoints: process.port(memoryCheckpoints(medium)) }),
      };
    },
    run: (pipeline, more = {}, { dieAfter, ...options } = {}) => {
      world.expect(pipeline);
      const process = new Mortal(dieAfter);
      const work = runPipeline(world.ports(process), assignmentOf(pipeline, more), {
        observe: (event) => void world.events.push(event),
        signal: new AbortController().signal,
        ...options,
      });
      return Promise.race([work, process.died]);
    },
    plan: (pipeline, more = {}, resume) => planPipeline(world.ports(), assignmentOf(pipeline, more), {}, resume),
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
    workspace.incoming.set(path, Buffer.from(read.value).toString());
    return { state: 'present', value: { digest, bytes: read.value.length } };
  };
  return { ...bound(store), copyTo };
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

interface Stage {
  readonly world: EngineWorld;
  readonly attempts: MemoryAttempts;
  readonly inputs: ReadonlyMap<string, Gate['inputs']>;
  readonly process: Mortal;
}

function scriptedAgent(script: AgentScript, { world, attempts, inputs, process }: Stage): Agent {
  return {
    endLeftovers: async () => [],
    keepLeft: async () => undefined,
    run: async (task: AgentTask) => {
      const read = (variable: string): JsonObject | undefined => {
        const path = task.env[variable];
        const text = path === undefined ? undefined : attempts.files.get(path);
        return text === undefined ? undefined : (JSON.parse(text) as JsonObject);
      };
      const gate = task.env['GATELINE_GATE']!;
      const leg = task.env['GATELINE_LEG'];
      const unit = `${gate}${leg ? `/${leg}` : ''}`;
      const attempt = Number(task.env['GATELINE_ATTEMPT']);
      world.starts.push(`${unit}#${attempt}`);
      const request = read('GATELINE_REQUEST')!;
      const root = task.workingDirectory;
      const files = world.workspace.at(root);
      holdAgainst(request, files, (path) => inputs.has(gate) && world.workspace.matches(inputs.get(gate), path));
      const feedback = read('GATELINE_FEEDBACK');
      const { env, signal } = task;
      const answer =
        (await answerOf(script, { unit, attempt, request, feedback, env, files, root, signal }, process)) ?? {};
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

async function answerOf(
  script: AgentScript,
  call: AgentCall,
  process: Mortal,
): Promise<Partial<AgentAnswer> | undefined> {
  try {
    return await script(call);
  } catch (error) {
    if (error instanceof Killed) process.kill(error);
    throw error;
  }
}

/** @throws Error when an agent's files are not those that its request names */
function holdAgainst(request: JsonObject, files: FolderFiles, isInput: (path: string) => boolean): void {
  const { from, files: named } = request['inputs'] as { from: string; files: Record<string, string> };
  const disk = [...files]
    .filter(([path]) => from === 'tracked' || Object.hasOwn(named, path) || isInput(path))
    .map(([path, text]) => [path, `100644 ${blobOf(text)}`]);
  expect(Object.fromEntries(disk), 'files of an agent, by its request').toEqual(named);
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
    pathOf,
    create: async (id) => {
      if (made.has(pathOf(id))) throw new Error(`${pathOf(id)} exists`);
      made.add(pathOf(id));
      return directory(pathOf(id));
    },
    open: async (id) => (made.has(pathOf(id)) ? directory(pathOf(id)) : undefined),
  };
}
