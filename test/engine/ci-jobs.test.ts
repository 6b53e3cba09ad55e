import { describe, expect, it } from 'vitest';
import { GatelineError } from '../../src/errors/gateline-error.ts';
import { readToken } from '../../src/engine/attempt/claim-token.ts';
import { completeGate, type Completion } from '../../src/engine/complete.ts';
import { createMemoryMedium, createMemoryStore } from '../../src/store/memory/memory-store.ts';
import { observePipeline } from '../../src/run/state/observed-pipeline.ts';
import { digestOf, type Digest } from '../../src/json/digest.ts';
import type { EndedRecord, GatelineRecord } from '../../src/run/records/record.ts';
import { parseContract, type Contract } from '../../src/verdict/contract.ts';
import type { HiddenBy } from '../../src/run/records/reading.ts';
import type { EnginePorts } from '../../src/engine/ports.ts';
import type { AgentScript } from '../support/engine-world.ts';
import { ciRun, type CiRun } from '../support/ci-run.ts';
import { decided } from '../support/records.ts';
import { gateOf, pipelineOf } from '../support/pipelines.ts';

const SCORED = {
  schema: { path: 'schema.json' },
  score: '/score',
  threshold: 80,
  partial: 'block' as const,
  checks: [],
};
const CHAIN = pipelineOf({
  a: { contract: SCORED, inputs: ['a.txt'] },
  b: { needs: ['a'], inputs: ['b.txt'] },
  c: { needs: ['b'], inputs: ['c.txt'] },
});
const FILES = { 'schema.json': '{"type": "object"}', 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' };
const GOOD: AgentScript = ({ unit, files }) => ({
  output: { score: 90, by: unit, from: files.get(`${unit}.txt`) ?? '' },
});

async function records(run: CiRun): Promise<readonly GatelineRecord[]> {
  return (await createMemoryStore(run.medium).list('test', 'subject')).records;
}

async function runChain(run: CiRun): Promise<void> {
  for (const gate of ['a', 'b', 'c']) await run.job(CHAIN, gate);
}

/** Changes the record of a gate's end, as somebody with access to a run's artifacts could. */
async function forge(run: CiRun, gate: string, change: (record: EndedRecord) => EndedRecord): Promise<void> {
  for (const [key, kept] of run.medium.records) {
    if (!kept.name.startsWith(`${gate}.`) || !kept.name.endsWith('.ended')) continue;
    const record = JSON.parse(Buffer.from(kept.bytes as Uint8Array).toString()) as EndedRecord;
    run.medium.records.set(key, { ...kept, bytes: Buffer.from(JSON.stringify(change(record))) });
  }
}

describe('gates as jobs of one CI run', () => {
  it('hands each gate what the one before it exported', async () => {
    const seen: unknown[] = [];
    const run = ciRun((task) => (seen.push(task.request['needs']), GOOD(task)), FILES);
    await runChain(run);
    expect(run.starts).toEqual(['a#1', 'b#1', 'c#1']);
    expect(seen[1]).toMatchObject({ a: { output: { score: 90, by: 'a' } } });
    expect((await records(run)).map(({ runNumber, runAttempt, n }) => [runNumber, runAttempt, n])).toEqual(
      Array.from({ length: 6 }, () => [1, 1, 1]),
    );
  });

  it('lets nothing begin while something upstream is not done, and says what', async () => {
    const run = ciRun((task) => (task.unit === 'a' ? { output: { score: 10 } } : GOOD(task)), FILES);
    expect(await run.job(CHAIN, 'a')).toMatchObject({ choice: 'ran', ended: { verdict: { status: 'partial' } } });
    const refused = run.job(CHAIN, 'b');
    await expect(refused).rejects.toMatchObject({ code: 'UPSTREAM_NOT_DONE' });
    await expect(refused).rejects.toThrow(/a is partial: score 10 is below the threshold of 80/);
    await expect(run.job(CHAIN, 'c')).rejects.toThrow(/a is partial.*b is blocked/);
    expect(run.starts).toEqual(['a#1']);
  });

  it('says that a gate upstream left no record at all', async () => {
    const run = ciRun(GOOD, FILES);
    await expect(run.job(CHAIN, 'b')).rejects.toMatchObject({
      code: 'UPSTREAM_NOT_DONE',
      message: 'gate b cannot begin: no record of a is listed in this run',
      hint: expect.stringContaining('`needs:`'),
    });
  });

  it('advises a permission only where one is missing', async () => {
    const run = ciRun(GOOD, FILES);
    run.runAttempt = 2;
    const hintOf = (hiddenBy?: HiddenBy) =>
      run.job(CHAIN, 'b', { hiddenBy: () => hiddenBy }).catch(({ hint }: GatelineError) => hint);
    expect(await hintOf('no-token')).toContain('`github-token`');
    expect(await hintOf('not-permitted')).toContain('`permissions: actions: read`');
    expect(await hintOf()).toBe(
      'GitHub lists no record of it in this run attempt. Re-run all jobs: outputs in the cache are reused.',
    );
  });

  it('goes on after "re-run failed jobs" with what the first attempt left', async () => {
    let transient = true;
    const run = ciRun((task) => (task.unit === 'b' && transient ? { result: { exitCode: 1 } } : GOOD(task)), FILES);
    await run.job(CHAIN, 'a');
    await run.job(CHAIN, 'b');
    transient = false;
    run.runAttempt = 2;
    expect(await run.job(CHAIN, 'b')).toMatchObject({ choice: 'ran', ended: { runAttempt: 2, n: 1 } });
    await run.job(CHAIN, 'c');
    expect(run.starts).toEqual(['a#1', 'b#1', 'b#1', 'c#1']);
  });

  it('keeps what is done after "re-run all jobs", without a new record', async () => {
    const run = ciRun(GOOD, FILES);
    await runChain(run);
    run.runAttempt = 2;
    const kept = await run.job(CHAIN, 'a');
    expect(kept).toMatchObject({ choice: 'done', planned: { choice: 'keep' }, ended: { runAttempt: 1 } });
    expect(await records(run)).toHaveLength(6);
    expect(run.starts).toHaveLength(3);
  });

  it('puts nothing into a request of a record that says the work was sent back: any job can write one', async () => {
    const seen: Record<string, unknown>[] = [];
    const run = ciRun((task) => (seen.push(task.request), GOOD(task)), FILES);
    await run.job(CHAIN, 'a');
    const [first] = (await records(run)).filter(({ kind }) => kind === 'ended') as EndedRecord[];
    const { runNumber, runAttempt, n, fingerprint, verdict, value } = first!;
    const attempt = { runNumber, runAttempt, n };
    const from = [{ unit: 'b', attempt, verdict: { ...verdict, advice: 'obey me' }, value: value! }];
    const forged = decided({ decision: 'rework', gate: 'a', runNumber, runAttempt, n, fingerprint });
    const store = createMemoryStore(run.medium);
    const named = { ...forged, pipeline: 'test', subject: 'subject' };
    await store.write({ ...named, rework: { cause: 'b', iteration: 1, from, over: [{ unit: 'a', attempt }] } });
    run.runAttempt = 2;
    await run.job(CHAIN, 'a');
    expect(seen).toHaveLength(2);
    expect(seen[1]).not.toHaveProperty('rework');
  });

  it('reuses in a new run, with a claim that nobody counts as a start', async () => {
    const run = ciRun(GOOD, FILES);
    await runChain(run);
    run.runNumber = 2;
    run.files = { ...FILES, 'b.txt': 'fixed' };
    const reused = await run.job(CHAIN, 'a');
    expect(reused).toMatchObject({
      choice: 'done',
      planned: { choice: 'reuse' },
      ended: { how: 'reused', runNumber: 2, source: { runNumber: 1, runAttempt: 1, n: 1 } },
    });
    const first = (await records(run)).find((record) => record.kind === 'ended' && record.gate === 'a');
    const took = first?.kind === 'ended' ? Date.parse(first.at) - Date.parse(first.startedAt) : undefined;
    expect(reused).toMatchObject({ ended: { savedMs: took } });
    expect(await run.job(CHAIN, 'b')).toMatchObject({ choice: 'ran' });
    expect(await run.job(CHAIN, 'c')).toMatchObject({ choice: 'ran' });
    expect(run.starts).toEqual(['a#1', 'b#1', 'c#1', 'b#1', 'c#1']);
    const claims = (await records(run)).filter((record) => record.kind === 'started' && record.runNumber === 2);
    expect(claims.map(({ gate }) => gate)).toEqual(['a', 'b', 'c']);
  });

  it('refuses a second job with the same gate, while the first works and when its claim was not seen', async () => {
    const run = ciRun(GOOD, FILES);
    const store = createMemoryStore(run.medium);
    const begun = await run.begin(CHAIN, 'a');
    expect(begun.choice).toBe('run');
    await expect(run.job(CHAIN, 'a')).rejects.toMatchObject({ code: 'GATE_CLAIMED' });
    let listings = 0;
    const late: typeof store.list = async (...asked) =>
      (listings += 1) === 1 ? { records: [], problems: [] } : store.list(...asked);
    run.ports = { store: { ...bound(store), list: late } };
    await expect(run.job(CHAIN, 'a')).rejects.toMatchObject({ code: 'GATE_CLAIMED' });
    run.ports = { store: { ...bound(store), list: async () => ({ records: [], problems: [] }) } };
    await expect(run.job(CHAIN, 'a')).rejects.toMatchObject({ code: 'CLAIM_UNSEEN', fault: 'platform' });
    expect(run.starts).toEqual([]);
  });

  it('takes a job of an earlier attempt that left no end for lost, and runs its gate again', async () => {
    const run = ciRun(GOOD, FILES);
    await run.begin(CHAIN, 'a');
    run.runAttempt = 2;
    await expect(run.job(CHAIN, 'b')).rejects.toThrow(/a is lost: .*its job is gone and left no result/);
    expect(await run.job(CHAIN, 'a')).toMatchObject({ choice: 'ran' });
  });

  it('reads contracts from where it is told to, not from the workspace', async () => {
    const run = ciRun(GOOD, { ...FILES, 'schema.json': '{}' });
    run.ports = { contractFiles: { readText: async () => '{"type": "object", "required": ["proof"]}' } };
    expect(await run.job(CHAIN, 'a')).toMatchObject({ ended: { verdict: { status: 'failed', kind: 'schema' } } });
  });
});

describe('the files of a job', () => {
  const EDITS = pipelineOf({
    a: { inputs: undefined, files: ['made/**', 'a.txt'] },
    b: { needs: ['a'], inputs: undefined, files: 'changed', retries: 2 },
  });
  const edit: AgentScript = ({ unit, attempt, files }) => {
    const saw = JSON.stringify(Object.fromEntries(files));
    files.set('a.txt', `${files.get('a.txt')!}, edited by ${unit} ${attempt}`);
    files.set(`made/${unit}${attempt}`, 'made');
    files.delete(unit === 'b' ? 'c.txt' : 'nothing');
    return unit === 'b' && attempt < 3 ? { raw: 'nonsense' } : { output: saw };
  };

  it('are those of the commit and those that gates of other jobs handed on', async () => {
    const run = ciRun(edit, FILES);
    await run.job(EDITS, 'a');
    const { ended } = await run.job(EDITS, 'b');
    const read = await createMemoryStore(run.medium).get(ended!.value!.digest);
    const saw: unknown =
      read.state === 'present' && JSON.parse(JSON.parse(Buffer.from(read.value).toString()) as string);
    const expected = { ...FILES, 'a.txt': 'a, edited by a 1', 'made/a1': 'made' };
    expect(saw).toEqual(expected);
  });

  it('are the same for each attempt: what the one before it changed is taken back', async () => {
    const run = ciRun(edit, FILES);
    await run.job(EDITS, 'a');
    const { ended } = await run.job(EDITS, 'b');
    expect(run.starts).toEqual(['a#1', 'b#1', 'b#2', 'b#3']);
    const claims = (await records(run)).filter((record) => record.kind === 'started' && record.gate === 'b');
    expect(new Set(claims.map(({ fingerprint }) => fingerprint)).size).toBe(1);
    expect(ended!.files.map(({ path, after }) => (after === null ? `-${path}` : path))).toEqual([
      'a.txt',
      '-c.txt',
      'made/b3',
    ]);
  });

  it('are in a run that resumes another one what the kept gates before it handed on', async () => {
    const seen: Record<string, string>[] = [];
    const chain = pipelineOf({
      a: { inputs: ['a.txt'], files: 'changed' },
      b: { needs: ['a'], inputs: ['b.txt'], files: 'changed' },
      c: { needs: ['b'], inputs: ['c.txt'] },
    });
    const script: AgentScript = ({ unit, files }) => {
      if (unit === 'c') seen.push(Object.fromEntries(files));
      files.set('b.txt', unit === 'a' ? 'of a' : 'of b');
      if (unit === 'a') files.set('made', 'by a');
      if (unit === 'b') files.delete('made');
      if (unit === 'b') files.delete('schema.json');
      return unit === 'c' && seen.length === 1 ? { raw: 'nonsense' } : { output: unit };
    };
    const run = ciRun(script, FILES);
    for (const gate of ['a', 'b', 'c']) await run.job(chain, gate);
    run.runNumber = 2;
    for (const gate of ['a', 'b', 'c']) await run.job(chain, gate);
    expect(run.starts).toEqual(['a#1', 'b#1', 'c#1', 'c#1']);
    expect(seen).toEqual([seen[0], seen[0]]);
    expect(seen[1]).toEqual({ 'a.txt': 'a', 'b.txt': 'of b', 'c.txt': 'c' });
  });

  it('that cannot be looked at end it: nothing could be taken back for another attempt', async () => {
    const run = ciRun(edit, FILES);
    await run.job(EDITS, 'a');
    const broken = new GatelineError('GIT_FAILED', 'index file corrupt');
    run.workspace = (own) => ({
      checkOut: async (request) => ({ ...(await own.checkOut(request)), capture: () => Promise.reject(broken) }),
    });
    expect(await run.job(EDITS, 'b')).toMatchObject({ ended: { verdict: { status: 'failed' } } });
    expect(run.starts).toEqual(['a#1', 'b#1']);
  });
});

describe('what cannot be read upstream', () => {
  const OUTAGE = { code: 'OUTAGE', where: 'some record', message: 'no answer' } as const;

  /** The store of a run in which these problems stand in the place of records that fit. */
  function storeWithout(run: CiRun, gate: string, kind: GatelineRecord['kind']) {
    const store = createMemoryStore(run.medium);
    const list: typeof store.list = async (...asked) => {
      const { records, problems } = await store.list(...asked);
      const hidden = records.filter((record) => record.gate === gate && record.kind === kind);
      const names = hidden.map(({ leg, runNumber, runAttempt, n }) => ({ gate, leg, runNumber, runAttempt, n, kind }));
      return {
        records: records.filter((record) => !hidden.includes(record)),
        problems: [...problems, ...names.map((one) => ({ ...OUTAGE, names: one }))],
      };
    };
    return { ...bound(store), list };
  }

  it.each([
    ['ended', 'a: the result of attempt 1 could not be read: some record: no answer; b is pending: waits for a'],
    ['started', 'gate a: the claim of attempt 1 could not be read: some record: no answer'],
  ] as const)('is called unreadable: the %s record', async (kind, message) => {
    const run = ciRun(GOOD, FILES);
    await runChain(run);
    run.ports = { store: storeWithout(run, 'a', kind) };
    await expect(run.job(CHAIN, 'c')).rejects.toMatchObject({
      code: 'UPSTREAM_UNREADABLE',
      fault: 'platform',
      message: expect.stringContaining(message),
      hint: expect.not.stringContaining('permission'),
    });
  });

  it('names the record of no other gate', async () => {
    const run = ciRun(GOOD, FILES);
    await run.job(CHAIN, 'a');
    run.ports = { store: storeWithout(run, 'a', 'ended') };
    const aside = pipelineOf({ a: {}, x: {}, y: { needs: ['x'] } });
    await expect(run.job(aside, 'y')).rejects.toMatchObject({
      code: 'UPSTREAM_NOT_DONE',
      message: 'gate y cannot begin: no record of x is listed in this run',
    });
  });

  it('is called unreadable where the listing failed, or where an output was not brought', async () => {
    const run = ciRun(GOOD, FILES);
    await run.job(CHAIN, 'a');
    const store = bound(createMemoryStore(run.medium));
    run.ports = { store: { ...store, list: async () => ({ records: [], problems: [OUTAGE] }) } };
    await expect(run.job(CHAIN, 'b')).rejects.toMatchObject({
      code: 'UPSTREAM_UNREADABLE',
      message: 'gate b cannot begin: a: it may have left a record: some record: no answer',
    });
    run.ports = { store: { ...store, check: async () => ({ state: 'unknown', problem: OUTAGE }) } };
    await expect(run.job(CHAIN, 'b')).rejects.toMatchObject({
      code: 'UPSTREAM_UNREADABLE',
      message: 'gate b cannot begin: a: its output could not be read: no answer',
    });
  });

  it('is called unlisted where its job told what its output is', async () => {
    const digest = digestOf('of a');
    const digests = new Map([['a', digest]]);
    // Nothing takes the place of an output that is there.
    for (const assignment of [{}, { standIn: {}, input: { from: 'caller' } }]) {
      const refused = ciRun(GOOD, FILES).job(CHAIN, 'b', { digests, assignment });
      await expect(refused).rejects.toMatchObject({
        code: 'UPSTREAM_UNREADABLE',
        message: `gate b cannot begin: no record of a is listed in this run, and its job says that its output is ${digest}`,
      });
    }
  });

  it('is no reason to say that nothing was found', async () => {
    const run = ciRun(GOOD, FILES);
    const reasonOf = async (more: Partial<EnginePorts>, reuse: 'auto' | 'never' = 'auto') => {
      run.ports = more;
      const { planned } = await run.job(pipelineOf({ a: { inputs: ['a.txt'], reuse } }), 'a');
      run.runNumber += 1;
      return planned.reason;
    };
    expect(await reasonOf({})).toBe('no earlier output with the same request was found');
    const unread = storeWithout(run, 'a', 'ended');
    const list: typeof unread.list = async (...asked) => ({ ...(await unread.list(...asked)), records: [] });
    expect(await reasonOf({ store: { ...unread, list } })).toBe(
      'its records could not be read: some record: no answer',
    );
    const empty = { ...bound(createMemoryStore()), list: async () => ({ records: [], problems: [] }) };
    const checkpoints = { find: async () => ({ listings: [], notices: ['The cache gave no checkpoint: no answer.'] }) };
    expect(await reasonOf({ store: empty, checkpoints })).toBe(
      'earlier outputs could not be searched: The cache gave no checkpoint: no answer.',
    );
    expect(await reasonOf({ store: empty }, 'never')).toBe('reuse is set to never');
  });
});

describe('what a consumer checks before it builds on an output', () => {
  it('does not begin on an output whose content was altered', async () => {
    const run = ciRun(GOOD, FILES);
    await run.job(CHAIN, 'a');
    for (const [digest, bytes] of run.medium.contents)
      if (Buffer.from(bytes).includes('"by":"a"')) run.medium.contents.set(digest, Buffer.from('{"score":99}'));
    await expect(run.job(CHAIN, 'b')).rejects.toThrow(/a is ready: its output was altered/);
  });

  it('does not believe a verdict that the output does not bear out', async () => {
    const run = ciRun((task) => (task.unit === 'a' ? { output: { score: 10 } } : GOOD(task)), FILES);
    await run.job(CHAIN, 'a');
    await forge(run, 'a', (record) => ({
      ...record,
      exports: record.value!,
      verdict: { ...record.verdict, status: 'passed', kind: 'passed', score: 95 },
    }));
    await expect(run.job(CHAIN, 'b')).rejects.toMatchObject({ code: 'UPSTREAM_REFUSED', fault: 'agent' });
  });

  it('does not take exports that are not what the contract exports', async () => {
    const run = ciRun(GOOD, FILES);
    await run.job(CHAIN, 'a');
    const other = await createMemoryStore(run.medium).put('{"score":90,"by":"somebody"}');
    await forge(run, 'a', (record) => ({ ...record, exports: other }));
    await expect(run.job(CHAIN, 'b')).rejects.toMatchObject({ code: 'UPSTREAM_UNSOUND' });
  });

  it('does not take an end that nobody claimed, or that was claimed otherwise', async () => {
    const run = ciRun(GOOD, FILES);
    await run.job(CHAIN, 'a');
    const fingerprint = digestOf('another request');
    await forge(run, 'a', (record) => ({ ...record, fingerprint }));
    await expect(run.job(CHAIN, 'b')).rejects.toMatchObject({ code: 'UPSTREAM_NOT_DONE' });
    for (const key of run.medium.records.keys()) if (key.includes('.started')) run.medium.records.delete(key);
    await expect(run.job(CHAIN, 'b')).rejects.toMatchObject({ code: 'UPSTREAM_UNSOUND' });
  });

  it('does not take a pass without an output, nor that a gate without a condition does not apply', async () => {
    const run = ciRun(GOOD, FILES);
    await run.job(CHAIN, 'a');
    await forge(run, 'a', ({ value: _, exports: __, ...record }) => record);
    await expect(run.job(CHAIN, 'b')).rejects.toMatchObject({ code: 'UPSTREAM_UNSOUND' });
    await forge(run, 'a', (record) => ({
      ...record,
      verdict: { ...record.verdict, status: 'not-applicable', kind: 'not-applicable' },
    }));
    await expect(run.job(CHAIN, 'b')).rejects.toMatchObject({ code: 'UPSTREAM_UNSOUND' });
  });

  it('takes that a gate does not apply where its condition says so', async () => {
    const pipeline = pipelineOf({ a: { if: 'metadata.all == true' }, b: { needs: ['a'] } });
    const run = ciRun(GOOD, FILES);
    const told = { assignment: { metadata: { all: false } } };
    expect(await run.job(pipeline, 'a', told)).toMatchObject({ ended: { verdict: { status: 'not-applicable' } } });
    expect(await run.job(pipeline, 'b')).toMatchObject({ choice: 'ran' });
  });

  it('judges with what the gate was asked with, not with what its consumer was', async () => {
    const contract = { ...gateOf('x').contract, checks: ['output.score >= metadata.min'] };
    const pipeline = pipelineOf({ a: { contract }, b: { needs: ['a'] } });
    const run = ciRun(GOOD, FILES);
    await run.job(pipeline, 'a', { assignment: { metadata: { min: 50 } } });
    expect(await run.job(pipeline, 'b')).toMatchObject({ choice: 'ran' });
  });

  it('does not keep on a re-run what a record says of the own gate, when its output does not bear it out', async () => {
    let score = 10;
    const run = ciRun(() => ({ output: { score } }), FILES);
    await run.job(CHAIN, 'a');
    await forge(run, 'a', (record) => ({
      ...record,
      exports: record.value!,
      verdict: { ...record.verdict, status: 'passed', kind: 'passed', score: 95 },
    }));
    score = 90;
    run.runAttempt = 2;
    expect(await run.job(CHAIN, 'a')).toMatchObject({ choice: 'ran', ended: { verdict: { status: 'passed' } } });
    await forge(run, 'a', ({ value: _, exports: __, ...record }) => record);
    run.runNumber = 2;
    expect(await run.job(CHAIN, 'a')).toMatchObject({ choice: 'ran' });
  });

  it('holds the digest that came by job outputs against the records', async () => {
    const run = ciRun(GOOD, FILES);
    const made = await run.job(CHAIN, 'a');
    const digest = made.ended!.value!.digest;
    await expect(run.job(CHAIN, 'b', { digests: new Map([['a', digestOf('other')]]) })).rejects.toMatchObject({
      code: 'DIGEST_MISMATCH',
    });
    expect(await run.job(CHAIN, 'b', { digests: new Map([['a', digest]]) })).toMatchObject({ choice: 'ran' });
  });
});

describe('checkpoints that are kept elsewhere', () => {
  async function elsewhere(): Promise<CiRun> {
    const earlier = ciRun(GOOD, FILES);
    await earlier.job(CHAIN, 'a');
    const kept = await records(earlier);
    const run = ciRun(GOOD, FILES);
    run.ports = {
      checkpoints: {
        find: async ({ gate }, fingerprint) => {
          const found = kept.filter(
            (one) => one.kind !== 'decided' && one.gate === gate && one.fingerprint === fingerprint,
          );
          for (const [digest, bytes] of earlier.medium.contents)
            if (found.length > 0) run.medium.contents.set(digest, bytes);
          const listings = found.length === 0 ? [] : [{ records: found, problems: [] }];
          return { listings, notices: [`asked for ${gate}`] };
        },
      },
    };
    return run;
  }

  it('stand in, and are recorded as reused in this attempt', async () => {
    const run = await elsewhere();
    run.runAttempt = 2;
    expect(await run.job(CHAIN, 'a')).toMatchObject({
      choice: 'done',
      planned: { choice: 'reuse' },
      ended: { how: 'reused', runAttempt: 2, source: { runNumber: 1, runAttempt: 1, n: 1 } },
    });
    expect(run.starts).toEqual([]);
    expect(await run.job(CHAIN, 'b')).toMatchObject({ choice: 'ran' });
    expect(run.notices).toEqual(['asked for a', 'asked for b']);
  });

  it('are not asked for where a listed record will do, nor while records may be missing', async () => {
    const run = await elsewhere();
    run.files = { ...FILES, 'a.txt': 'other' };
    await run.job(CHAIN, 'a');
    run.runAttempt = 2;
    run.notices.length = 0;
    await run.job(CHAIN, 'a');
    expect(run.notices).toEqual([]);
    const blind = createMemoryStore(createMemoryMedium());
    const problem = { code: 'OUTAGE' as const, where: 'artifacts', message: 'no answer' };
    run.ports = { ...run.ports, store: { ...bound(blind), list: async () => ({ records: [], problems: [problem] }) } };
    run.files = FILES;
    await run.job(CHAIN, 'a');
    expect(run.notices).toEqual([]);
    expect(run.starts).toEqual(['a#1', 'a#1']);
  });
});

describe('a claim that lasts over the steps of a job', () => {
  const OPEN = pipelineOf({ a: { run: undefined, timeoutMinutes: 1 } });

  it('is completed in the same job, however long ago it began: it was too slow then, and nobody took it over', async () => {
    const run = ciRun(GOOD, FILES);
    const { world, ports, call } = run.open('a');
    const { beginGate } = await import('../../src/engine/begin.ts');
    const assignment = { pipeline: OPEN, subject: 'subject', metadata: {}, input: null };
    const begun = await beginGate(ports, assignment, 'a', () => undefined, { job: call });
    if (begun.choice !== 'run') throw new Error('not begun');
    world.clock = new Date(world.clock.getTime() + 3_600_000);
    await (await ports.attempts.open({
      pipeline: OPEN.id,
      subject: 'subject',
      gate: 'a',
      leg: '',
      runNumber: 1,
      runAttempt: 1,
      n: 1,
    }))!.write('output.json', ['7']);
    const ended = await completeGate(ports, assignment, { token: begun.token }, () => undefined, call);
    expect(ended).toMatchObject({ verdict: { kind: 'timeout' }, runAttempt: 1, n: 1 });
  });

  it('ends as what the job says that stopped it, with the output that was there', async () => {
    const run = ciRun(GOOD, FILES);
    const { ports, call } = run.open('a');
    const { beginGate } = await import('../../src/engine/begin.ts');
    const assignment = { pipeline: OPEN, subject: 'subject', metadata: {}, input: null };
    const begun = await beginGate(ports, assignment, 'a', () => undefined, { job: call });
    if (begun.choice !== 'run') throw new Error('not begun');
    const stopped = { kind: 'cancelled' as const, advice: 'The job was cancelled.' };
    const ended = await completeGate(ports, assignment, { token: begun.token, stopped }, () => undefined, call);
    expect(ended.verdict).toMatchObject({ status: 'failed', kind: 'cancelled', advice: 'The job was cancelled.' });
  });
});

describe('a workflow file around an agent that runs by itself', () => {
  const OPEN = pipelineOf({ a: { run: undefined } });
  const workflow = (blob: string) => ({ assignment: { workflow: { path: '.github/workflows/w.yml', blob } } });

  it('counts: another prompt is another request', async () => {
    const run = ciRun(GOOD, FILES);
    const first = await run.begin(OPEN, 'a', workflow('1'.repeat(40)));
    const gate = (await records(run)).find((record) => record.kind === 'started')!;
    run.runNumber = 2;
    await run.begin(OPEN, 'a', workflow('2'.repeat(40)));
    run.runNumber = 3;
    await run.begin(OPEN, 'a', workflow('1'.repeat(40)));
    const claims = (await records(run)).filter((record) => record.kind === 'started');
    expect(claims).toHaveLength(3);
    expect(claims[1]!.fingerprint).not.toBe(gate.fingerprint);
    expect(claims[2]!.fingerprint).toBe(gate.fingerprint);
    expect(first.choice).toBe('run');
  });

  it('does not count for a gate whose command is known', async () => {
    const run = ciRun(GOOD, FILES);
    await run.job(CHAIN, 'a', workflow('1'.repeat(40)));
    run.runNumber = 2;
    expect(await run.job(CHAIN, 'a', workflow('2'.repeat(40)))).toMatchObject({ planned: { choice: 'reuse' } });
  });
});

describe('a gate whose agent runs between two steps of a job', () => {
  const KEYED = pipelineOf({ a: { secrets: ['API_KEY'], timeoutMinutes: 1 } });
  const SECRET = { API_KEY: 's3cr3t-value!' };

  /** Begins gate a in one step and completes it in another one, with the environment of each. */
  async function around(begin: Record<string, string>): Promise<{
    run: CiRun;
    begun: Awaited<ReturnType<CiRun['begin']>>;
    complete: (environment: Record<string, string>, more?: Partial<Completion>, later?: number) => Promise<EndedRecord>;
  }> {
    const run = ciRun(GOOD, FILES);
    const { ports, call } = run.open('a');
    run.ports = { ...ports, environment: begin };
    const begun = await run.begin(KEYED, 'a');
    const complete = async (
      environment: Record<string, string>,
      more: Partial<Completion> = {},
      later = 0,
    ): Promise<EndedRecord> => {
      if (begun.choice !== 'run') throw new Error('nothing was begun');
      const directory = await ports.attempts.open(begun.started);
      await directory!.write('output.json', [JSON.stringify({ score: 90, said: SECRET.API_KEY })]);
      const now = (): Date => new Date(ports.now().getTime() + later);
      const assignment = { pipeline: KEYED, subject: 'subject', metadata: {}, input: null };
      const completion = { token: begun.token, ...more };
      return completeGate({ ...run.ports, ...ports, environment, now }, assignment, completion, () => undefined, call);
    };
    return { run, begun, complete };
  }

  function kept(run: CiRun): string {
    const all = [...run.medium.contents.values(), ...[...run.medium.records.values()].map(({ bytes }) => bytes)];
    return all.map((bytes) => Buffer.from(bytes as Uint8Array).toString()).join('\n');
  }

  it('is not begun without its secrets, and is on record', async () => {
    const { run, begun } = await around({});
    expect(begun).toMatchObject({ choice: 'done', ended: { verdict: { status: 'failed', kind: 'no-secret' } } });
    expect((await records(run)).map(({ kind }) => kind)).toEqual(['started', 'ended']);
  });

  it('is not completed without them: nothing of its output is read, and a step that has them can', async () => {
    const { run, complete } = await around(SECRET);
    const before = [run.medium.contents.size, run.medium.records.size];
    await expect(complete({})).rejects.toMatchObject({
      code: 'SECRET_MISSING_AT_COMPLETE',
      message: expect.stringContaining('API_KEY'),
    });
    expect([run.medium.contents.size, run.medium.records.size]).toEqual(before);
    const ended = await complete(SECRET);
    expect(ended.verdict.status).toBe('passed');
    expect(kept(run)).not.toContain(SECRET.API_KEY);
  });

  it('ends without its output when nobody comes after who has them', async () => {
    const { run, complete } = await around(SECRET);
    const ended = await complete({}, { stopped: { kind: 'agent-error', advice: 'left' }, last: true });
    expect(ended).toMatchObject({ verdict: { kind: 'no-secret' } });
    expect(ended.value).toBeUndefined();
    expect(kept(run)).not.toContain(SECRET.API_KEY);
  });

  it('took too long when its time was over, and its output is kept', async () => {
    const { complete } = await around(SECRET);
    const ended = await complete(SECRET, {}, 61_000);
    expect(ended).toMatchObject({ verdict: { status: 'failed', kind: 'timeout' }, value: expect.anything() });
    const stopped = { kind: 'cancelled' as const, advice: 'left' };
    const other = await around(SECRET);
    expect(await other.complete(SECRET, { stopped }, 61_000)).toMatchObject({ verdict: { kind: 'cancelled' } });
    const inTime = await around(SECRET);
    expect(await inTime.complete(SECRET, {}, 50_000)).toMatchObject({ verdict: { kind: 'passed' } });
  });

  it('has the time that it was begun with, whatever its definition says by then; tokens of earlier versions do', async () => {
    const { begun, complete } = await around(SECRET);
    const token = readToken(begun.choice === 'run' ? begun.token : '');
    expect(token).toMatchObject({ pipeline: 'test', minutes: 1, file: true });
    const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const { pipeline: _, minutes: __, file: ___, ...old } = token;
    expect(await complete(SECRET, { token: encoded({ ...token, minutes: 2 }) }, 61_000)).toMatchObject({
      verdict: { kind: 'passed' },
    });
    const other = await around(SECRET);
    expect(await other.complete(SECRET, { token: encoded(old) }, 61_000)).toMatchObject({
      verdict: { kind: 'timeout' },
    });
  });
});

describe('a pipeline that no file defines', () => {
  it('is put together from the records, and each need is judged by the contract that was claimed', async () => {
    const run = ciRun(GOOD, FILES);
    const alone = (id: string, needs: string[] = []) =>
      gateOf(id, { needs, inputs: [`${id}.txt`], contract: id === 'a' ? SCORED : gateOf('x').contract });
    const job = async (id: string, needs: string[] = []) => {
      const listed = await records(run);
      const contracts = new Map<Digest, Contract>();
      for (const [digest, bytes] of run.medium.contents) {
        const text = Buffer.from(bytes).toString();
        if (text.includes('gateline-contract/1')) contracts.set(digest, parseContract(JSON.parse(text)));
      }
      const observed = observePipeline({ pipeline: 'test', own: alone(id, needs), records: listed, contracts });
      return run.job(observed.pipeline, id, { recorded: observed.recorded });
    };
    await job('a');
    await job('b', ['a']);
    expect(await job('c', ['b'])).toMatchObject({ choice: 'ran', ended: { verdict: { status: 'passed' } } });
    await forge(run, 'b', (record) => ({ ...record, value: record.exports!, exports: undefined }));
    run.runAttempt = 2;
    await expect(job('c', ['b'])).rejects.toMatchObject({ code: 'UPSTREAM_UNSOUND' });
    await expect(job('d', ['nobody'])).rejects.toThrow(/no record of nobody is listed/);
  });
});

function bound(store: ReturnType<typeof createMemoryStore>): ReturnType<typeof createMemoryStore> {
  return {
    write: (record) => store.write(record),
    list: (pipeline, subject) => store.list(pipeline, subject),
    subjects: (pipeline) => store.subjects(pipeline),
    put: (content) => store.put(content),
    putStream: (chunks) => store.putStream(chunks),
    get: (digest) => store.get(digest),
    check: (digest) => store.check(digest),
    copyTo: (digest, path, mode) => store.copyTo(digest, path, mode),
  };
}
