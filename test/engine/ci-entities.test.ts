import { describe, expect, it } from 'vitest';
import type { Command } from '../../src/pipeline/entities/entities.ts';
import type { GatelineRecord } from '../../src/run/records/record.ts';
import { createMemoryStore } from '../../src/store/memory/memory-store.ts';
import { ciRun, type CiRun } from '../support/ci-run.ts';
import type { AgentScript } from '../support/engine-world.ts';
import { pipelineOf } from '../support/pipelines.ts';
import { ended, started } from '../support/records.ts';

const NONE = { requires: [], creates: [], invalidates: [], onInvalid: 'fail', leaves: false } as const;
const session = {
  name: 'session',
  format: undefined,
  properties: [],
  dependsOn: [],
  lifetime: undefined,
  margin: 0,
};
function command(id: string, creates: string): Command {
  return { ...NONE, id, creates: [creates], words: [], returns: undefined, setup: true, timeoutMinutes: 1 };
}

/** `login` and `first` are no direct needs of `use`. */
const PIPELINE = pipelineOf(
  {
    first: {},
    login: { needs: ['first'], entities: { ...NONE, creates: ['session'] } },
    between: { needs: ['login'] },
    use: { needs: ['between'], entities: { ...NONE, requires: ['session'] } },
    logout: { needs: ['between'], entities: { ...NONE, invalidates: ['session'] } },
    recovers: { needs: ['logout'], entities: { ...NONE, requires: ['other'], onInvalid: 'recover' } },
    after: { needs: ['logout'], entities: { ...NONE, requires: ['session'] } },
  },
  {
    resources: {
      entities: [session, { ...session, name: 'other' }],
      commands: [command('renew', 'session'), command('idle', 'other')],
    },
  },
);
const GOOD: AgentScript = ({ unit }) => ({ output: { session: { user: unit } } });

/** Changes the records of a gate of one kind, as somebody with access to a run's artifacts could. */
function forge<Kind extends GatelineRecord['kind']>(
  run: CiRun,
  gate: string,
  kind: Kind,
  change: (record: GatelineRecord & { kind: Kind }) => object,
): void {
  for (const [key, kept] of run.medium.records) {
    if (!kept.name.startsWith(`${gate}.`) || !kept.name.endsWith(`.${kind}`)) continue;
    const record = JSON.parse(Buffer.from(kept.bytes as Uint8Array).toString()) as GatelineRecord & { kind: Kind };
    run.medium.records.set(key, { ...kept, bytes: Buffer.from(JSON.stringify(change(record))) });
  }
}

async function until(...gates: string[]): Promise<CiRun> {
  const run = ciRun(GOOD);
  for (const gate of gates) await run.job(PIPELINE, gate);
  return run;
}

describe('a job that requires an entity', () => {
  it('is given the value that a gate created which it does not need itself', async () => {
    const seen: unknown[] = [];
    const run = ciRun((task) => (seen.push(task.request['entities']), GOOD(task)));
    for (const gate of ['first', 'login', 'between', 'use']) await run.job(PIPELINE, gate);
    expect(seen.at(-1)).toMatchObject({ session: { output: { user: 'login' } } });
  });

  it('does not take another value than the output of the gate has', async () => {
    const run = await until('first', 'login', 'between');
    const value = await createMemoryStore(run.medium).put('{"user":"mallory"}');
    const named = { entity: 'session', instance: '' };
    for (const creates of [[{ ...named, value }], [named], [{ ...named, instance: 'x' }]]) {
      forge(run, 'login', 'ended', (record) => ({ ...record, effects: { creates, invalidates: [] } }));
      await expect(run.job(PIPELINE, 'use')).rejects.toMatchObject({ code: 'UPSTREAM_UNSOUND' });
    }
  });

  it('does not take what a gate creates or ends beside what it is to create', async () => {
    const run = await until('first', 'login', 'between');
    const named = { entity: 'session', instance: '' };
    const effects = [
      { creates: [named], invalidates: [] },
      { creates: [], invalidates: [named] },
    ];
    for (const [gate, forged] of [
      ['between', effects[1]],
      ['between', effects[0]],
      ['first', effects[0]],
    ] as const) {
      forge(run, gate, 'ended', (record) => ({ ...record, effects: forged }));
      await expect(run.job(PIPELINE, 'use')).rejects.toMatchObject({ code: 'UPSTREAM_UNSOUND' });
      forge(run, gate, 'ended', ({ effects: _, ...record }) => record);
    }
  });

  it.each([
    ['a gate', 'logout', ''],
    ['a command that is not defined', 'open', 'recovers'],
    ['a command for a gate that does not recover', 'renew', 'after'],
    ['a command that creates something else', 'idle', 'recovers'],
  ])('does not take what calls itself a command: %s', async (_, gate, leg) => {
    const run = await until('first', 'login', 'between', 'logout');
    const store = createMemoryStore(run.medium);
    const told = { gate, leg, n: 9, call: 1, run: 1, command: true } as const;
    const creates = [{ entity: 'session', instance: '' }];
    await store.write(started({ ...told, entities: { requires: [], creates: ['session'], invalidates: [] } }));
    await store.write(ended({ ...told, effects: { creates, invalidates: [] } }));
    await expect(run.job(PIPELINE, 'after')).rejects.toMatchObject({ code: 'STATE_INVALID' });
  });

  it('does not take a claim that leaves out what its gate invalidates', async () => {
    const run = await until('first', 'login', 'between', 'logout');
    await expect(run.job(PIPELINE, 'after')).rejects.toMatchObject({ code: 'STATE_INVALID' });
    forge(run, 'logout', 'started', ({ entities: _, ...record }) => record);
    await expect(run.job(PIPELINE, 'after')).rejects.toMatchObject({ code: 'UPSTREAM_UNSOUND' });
  });
});
