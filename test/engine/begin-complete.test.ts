import { describe, expect, it } from 'vitest';
import { beginGate, type BeginResult } from '../../src/engine/begin.ts';
import type { Assignment } from '../../src/engine/call/call.ts';
import { completeGate } from '../../src/engine/complete.ts';
import type { EndedRecord } from '../../src/run/records/record.ts';
import { engineWorld, type EngineWorld } from '../support/engine-world.ts';
import { gateOf, pipelineOf } from '../support/pipelines.ts';

const contract = { ...gateOf('a').contract, schema: { path: 'schema.json' } };
const PIPELINE = pipelineOf({ a: { run: undefined, timeoutMinutes: 1, contract } });
const ASSIGNMENT: Assignment = { pipeline: PIPELINE, subject: 'subject', metadata: {}, input: null };
const MINUTE = 60_000;

/** Hands out attempt directories, so that the test can write what the agent would. */
interface Workbench extends EngineWorld {
  begin(): Promise<Extract<BeginResult, { choice: 'run' }>>;
  complete(begun: { token: string }, output?: string): Promise<EndedRecord>;
}

function workbench(): Workbench {
  const world = engineWorld(() => ({}), { 'schema.json': '{"type": "number"}' });
  return {
    ...world,
    get clock() {
      return world.clock;
    },
    set clock(now: Date) {
      world.clock = now;
    },
    begin: async () => {
      const begun = await beginGate(world.ports(), ASSIGNMENT, 'a', () => undefined);
      if (begun.choice !== 'run') throw new Error(`nothing to do: ${begun.planned.reason}`);
      return begun;
    },
    complete: async ({ token }, output = '1') => {
      const ports = world.ports();
      const open: typeof ports.attempts.open = async (id) => {
        const directory = await ports.attempts.open(id);
        await directory?.write('output.json', [output]);
        return directory;
      };
      return completeGate({ ...ports, attempts: { ...ports.attempts, open } }, ASSIGNMENT, { token }, () => undefined);
    },
  };
}

describe('a gate whose agent runs by itself', () => {
  it('is begun, and completed by another process with the token', async () => {
    const bench = workbench();
    const begun = await bench.begin();
    expect((await bench.complete(begun)).verdict.status).toBe('passed');
    const again = await beginGate(bench.ports(), ASSIGNMENT, 'a', () => undefined);
    expect(again).toMatchObject({ choice: 'done' });
  });

  it('is judged by the contract that stood when it was begun', async () => {
    const bench = workbench();
    const begun = await bench.begin();
    bench.workspace.folder.set('schema.json', '{}');
    expect((await bench.complete(begun, '"text"')).verdict).toMatchObject({ status: 'failed', kind: 'schema' });
  });

  it('cannot be begun twice while the claim holds', async () => {
    const bench = workbench();
    await bench.begin();
    await expect(bench.begin()).rejects.toMatchObject({ code: 'GATE_CLAIMED' });
  });

  it('cannot be completed twice', async () => {
    const bench = workbench();
    const begun = await bench.begin();
    await bench.complete(begun);
    await expect(bench.complete(begun)).rejects.toMatchObject({ code: 'ALREADY_COMPLETED' });
  });

  it('cannot be completed after its deadline: what came too late is never used', async () => {
    const bench = workbench();
    const begun = await bench.begin();
    bench.clock = new Date(bench.clock.getTime() + 2 * MINUTE);
    await expect(bench.complete(begun)).rejects.toMatchObject({ code: 'CLAIM_EXPIRED' });
    expect(await bench.begin()).toMatchObject({ choice: 'run' });
  });

  it('cannot be completed by a claim that a later attempt took over', async () => {
    const bench = workbench();
    const first = await bench.begin();
    bench.clock = new Date(bench.clock.getTime() + 2 * MINUTE);
    const second = await bench.begin();
    await expect(bench.complete(first)).rejects.toMatchObject({ code: 'CLAIM_EXPIRED' });
    expect((await bench.complete(second)).verdict.status).toBe('passed');
  });

  it('cannot be completed with a token that names another request', async () => {
    const bench = workbench();
    const begun = await bench.begin();
    const token = JSON.parse(Buffer.from(begun.token, 'base64url').toString()) as Record<string, unknown>;
    token['fingerprint'] = `sha256:${'0'.repeat(64)}`;
    const forged = Buffer.from(JSON.stringify(token)).toString('base64url');
    await expect(bench.complete({ token: forged })).rejects.toMatchObject({ code: 'TOKEN_UNKNOWN' });
    await expect(bench.complete({ token: 'nonsense' })).rejects.toMatchObject({ code: 'TOKEN_INVALID' });
  });
});
