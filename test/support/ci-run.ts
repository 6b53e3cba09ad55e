import { beginGate, runGate, type GateResult } from '../../src/engine/begin.ts';
import type { Assignment } from '../../src/engine/call/call.ts';
import type { EnginePorts } from '../../src/engine/ports.ts';
import type { JobCall } from '../../src/engine/upstream/job-call.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import { createMemoryMedium, type MemoryMedium } from '../../src/store/memory/memory-store.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';
import { withMethods } from './memory-workspace.ts';
import { engineWorld, type AgentScript, type EngineWorld } from './engine-world.ts';

/** A run of a CI system, in memory: every job finds a fresh checkout, and the records of the others. */
export interface CiRun {
  readonly medium: MemoryMedium;
  /** Units in the order in which agents were started, over all jobs, as `unit#n`. */
  readonly starts: string[];
  /** Files of the commit. */
  files: Record<string, string>;
  runNumber: number;
  runAttempt: number;
  /** Laid over the ports of every job. */
  ports: Partial<EnginePorts>;
  /** What every job's workspace does otherwise. */
  workspace: (own: Workspace) => Partial<Workspace>;
  /** Notices of all jobs. */
  readonly notices: string[];
  /** Runs a gate in a job of its own. */
  job(pipeline: Pipeline, gate: string, more?: JobOptions): Promise<GateResult>;
  /** The world of a job, and what opens a call in it. */
  open(
    job: string,
    more?: JobOptions,
  ): { readonly world: EngineWorld; readonly ports: EnginePorts; readonly call: JobCall };
  begin(pipeline: Pipeline, gate: string, more?: JobOptions): ReturnType<typeof beginGate>;
}

interface JobOptions extends Partial<Omit<JobCall, 'call'>> {
  readonly assignment?: Partial<Assignment>;
}

export function ciRun(script: AgentScript, files: Record<string, string> = {}): CiRun {
  const run: CiRun = {
    medium: createMemoryMedium(),
    starts: [],
    files,
    runNumber: 1,
    runAttempt: 1,
    ports: {},
    workspace: () => ({}),
    notices: [],
    open: (job, { assignment: _, ...more } = {}) => {
      const world = engineWorld(script, run.files, { medium: run.medium, kind: 'job' });
      const boot = `${run.runNumber}.${run.runAttempt}`;
      const numbers = { runNumber: run.runNumber, runAttempt: run.runAttempt };
      const own = world.ports();
      const ports: EnginePorts = {
        ...own,
        workspace: withMethods(own.workspace, run.workspace(own.workspace)),
        me: { host: 'github/o/r', boot, pid: 1, pidStart: `${job}.${run.starts.length}`, job },
        isGone: async (writer) => writer.boot !== boot,
        ...run.ports,
      };
      return { world, ports, call: { call: { numbers }, ...more } };
    },
    job: async (pipeline, gate, more = {}) => {
      const { world, ports, call } = run.open(gate, more);
      world.expect(pipeline);
      try {
        return await runGate(ports, assignmentOf(pipeline, more), gate, {
          observe: (event) => void (event.type === 'notice' && run.notices.push(event.message)),
          signal: new AbortController().signal,
          job: call,
        });
      } finally {
        run.starts.push(...world.starts);
      }
    },
    begin: async (pipeline, gate, more = {}) => {
      const { ports, call } = run.open(gate, more);
      return beginGate(ports, assignmentOf(pipeline, more), gate, () => undefined, { job: call });
    },
  };
  return run;
}

function assignmentOf(pipeline: Pipeline, { assignment = {} }: JobOptions): Assignment {
  return { pipeline, subject: 'subject', metadata: {}, input: null, ...assignment };
}
