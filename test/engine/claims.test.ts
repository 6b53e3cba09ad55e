import { describe, expect, it } from 'vitest';
import { runPipeline, type RunResult } from '../../src/engine/run-pipeline.ts';
import type { GatelineRecord } from '../../src/run/records/record.ts';
import type { RecordStore, Written } from '../../src/store/record-store.ts';
import { engineWorld, type EngineWorld } from '../support/engine-world.ts';
import { pipelineOf } from '../support/pipelines.ts';

const PIPELINE = pipelineOf({ a: {} });

/** Runs the pipeline on a store whose writes of records are done by `write`. */
function runWith(
  world: EngineWorld,
  write: (record: GatelineRecord, store: RecordStore) => Promise<Written>,
): Promise<RunResult> {
  const ports = world.ports();
  const store: RecordStore = Object.assign(Object.create(ports.store) as RecordStore, {
    write: (record: GatelineRecord) => write(record, ports.store),
  });
  const assignment = { pipeline: PIPELINE, subject: 'subject', metadata: {}, input: null };
  const signal = new AbortController().signal;
  return runPipeline({ ...ports, store }, assignment, { observe: () => undefined, signal });
}

describe('a claim', () => {
  it('that somebody else took a moment before keeps the agent from starting, and says so', async () => {
    const world = engineWorld(() => ({ output: 1 }));
    const result = await runWith(world, async (record, store) => {
      if (record.kind === 'started') await store.write({ ...record, by: { ...record.by, host: 'another' } });
      return store.write(record);
    });
    expect(result.errors).toMatchObject([{ code: 'GATE_CLAIMED', fault: 'user' }]);
    expect(world.starts).toEqual([]);
    const { records } = await world.ports().store.list('test', 'subject');
    expect(records).toMatchObject([{ kind: 'started', by: { host: 'another' } }]);
  });

  it('is durable before the agent starts, however long that takes', async () => {
    const done: string[] = [];
    const world = engineWorld(() => {
      done.push('agent');
      return { output: 1 };
    });
    await runWith(world, async (record, store) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      const written = await store.write(record);
      done.push(record.kind);
      return written;
    });
    expect(done).toEqual(['started', 'agent', 'ended']);
  });

  it('that cannot be written starts no agent', async () => {
    const world = engineWorld(() => ({ output: 1 }));
    await expect(runWith(world, () => Promise.reject(new Error('disk full')))).rejects.toThrow('disk full');
    expect(world.starts).toEqual([]);
  });
});
