import { afterEach, describe, expect, it } from 'vitest';
import { digestOf, digestOfJson, type Digest } from '../../../src/json/digest.ts';
import { approvalDigest, type AttemptDocument } from '../../../src/store/github/document.ts';
import { findAttempt, type AttemptSearch } from '../../../src/store/github/find-attempt.ts';
import { findPointer, savePointer } from '../../../src/store/github/pointer.ts';
import { publishAttempt } from '../../../src/store/github/attempts.ts';
import type { Fault } from '../../support/github/faults.ts';
import type { WorkflowRun } from '../../support/github/model.ts';
import { documentOf, noBytes, useGithub, type Step } from './world.ts';

const world = useGithub();
afterEach(() => world.github.faults.splice(0));
let requests = 0;
/** The fingerprint of a request that no test has used. */
const nextRequest = (): Digest => digestOfJson((requests += 1));

const WORKFLOW = '.github/workflows/gates.yml';
function search(fingerprint: Digest, more: Partial<AttemptSearch> = {}): AttemptSearch {
  const scope = { repository: 'octo/gates', workflow: WORKFLOW, branches: ['main'] };
  return { fingerprint, pipeline: 'ci', unit: 'plan', scope, approvals: new Set(), ...more };
}
const find = (step: Step, fingerprint: Digest, more: Partial<AttemptSearch> = {}) =>
  findAttempt({ ...step, job: step }, search(fingerprint, more));

/** A run on main whose job has published an output for a request. */
async function runWithOutput(
  fingerprint: Digest,
  run: Partial<WorkflowRun> = {},
  change: Partial<AttemptDocument> = {},
) {
  const step = await world.enter({ run });
  const document = { ...documentOf(step, { fingerprint }), ...change };
  return { step, document, reference: await publishAttempt(step.artifacts, document, noBytes) };
}

describe('an output of an earlier run', () => {
  it('is found by its pointer, in five requests', async () => {
    const fingerprint = nextRequest();
    const { step, document, reference } = await runWithOutput(fingerprint);
    expect(await savePointer(fingerprint, { ...step, digest: reference.digest })).toBeUndefined();
    const later = await world.enter();
    const before = world.github.calls.length;
    expect(await find(later, fingerprint)).toEqual({ attempt: { document, reference }, notes: [] });
    expect(world.github.calls.slice(before).map(({ route }) => route)).toEqual([
      'GetCacheEntryDownloadURL',
      'GET /actions/runs/:id/attempts/:n',
      'GET /actions/runs/:id/artifacts',
      'GET /actions/artifacts/:id/zip',
      'GetBlob',
    ]);
    expect(await find(later, nextRequest())).toEqual({ notes: [] });
  });

  it('is found for every request that it answers', async () => {
    const [fingerprint, other] = [nextRequest(), nextRequest()];
    const { step, document, reference } = await runWithOutput(fingerprint, {}, { otherRequests: [other] });
    await savePointer(other, { ...step, digest: reference.digest });
    const later = await world.enter();
    expect(await find(later, other, { resume: step.runId })).toEqual({ attempt: { document, reference }, notes: [] });
    expect((await find(later, other)).attempt?.document).toEqual(document);
  });

  it('is found in the run to resume if a pointer or an approval names it; else that run is refused', async () => {
    const fingerprint = nextRequest();
    const { step, reference } = await runWithOutput(fingerprint, {}, { isRemembered: true });
    const later = await world.enter();
    const resume = { resume: step.runId };
    expect(await find(later, fingerprint, resume)).toEqual({
      notes: [],
      refusal: `run ${step.runId} has an output of plan for this request, and no cache entry names it`,
    });
    const preferred = new Set([approvalDigest(fingerprint, reference.digest)]);
    expect((await find(later, fingerprint, { ...resume, preferred })).attempt?.reference).toEqual(reference);
    await savePointer(fingerprint, { ...step, digest: reference.digest });
    // Newer, of a run that is gone.
    await savePointer(fingerprint, { runId: 7, runAttempt: 1, digest: reference.digest });
    expect((await find(later, fingerprint, resume)).attempt?.reference).toEqual(reference);
    const unused = nextRequest();
    const { step: lost } = await runWithOutput(unused);
    expect(await find(later, unused, { resume: lost.runId })).toEqual({ notes: [] });
    const other = `run ${step.runId}: the output of plan answers another request`;
    expect(await find(later, nextRequest(), resume)).toEqual({ notes: [other] });
  });

  it('is the newest of those that a pointer or a person names', async () => {
    const fingerprint = nextRequest();
    const older = await runWithOutput(fingerprint);
    await savePointer(fingerprint, { ...older.step, digest: older.reference.digest });
    world.github.advance(60_000);
    const newer = await runWithOutput(fingerprint);
    await savePointer(fingerprint, { ...newer.step, digest: newer.reference.digest });
    const later = await world.enter();
    const result = await find(later, fingerprint, { resume: older.step.runId });
    expect(result.attempt?.reference).toEqual(newer.reference);
  });
});

it('an output of the same run is not used, whoever names it before the run is attempted again', async () => {
  const fingerprint = nextRequest();
  const { step, reference } = await runWithOutput(fingerprint);
  await savePointer(fingerprint, { ...step, digest: reference.digest });
  const sibling = await world.enter({ runId: step.runId });
  expect(await find(sibling, fingerprint)).toEqual({ notes: [] });
});

describe('an output of an earlier attempt of the run', () => {
  it.each(['run', 'attempt'] as const)('is used only if a comment names it, or a pointer, ids by %s', async (mode) => {
    Object.assign(world.github, { mode });
    const fingerprint = nextRequest();
    const { step, reference } = await runWithOutput(fingerprint);
    const again = await world.enter({ runId: step.runId, runAttempt: 2 });
    const approval = approvalDigest(fingerprint, reference.digest);
    expect((await find(again, fingerprint)).attempt).toBeUndefined();
    expect((await find(again, fingerprint, { resume: step.runId })).attempt).toBeUndefined();
    expect((await find(again, fingerprint, { approvals: new Set(['0'.repeat(32)]) })).attempt).toBeUndefined();
    const approved = await find(again, fingerprint, { approvals: new Set([approval]) });
    expect(approved.attempt?.reference).toEqual(reference);
    await savePointer(fingerprint, { ...step, digest: reference.digest });
    expect((await find(again, fingerprint)).attempt?.reference).toEqual(reference);
  });
});

describe('a forged or broken pointer opens nothing', () => {
  const lie = (change: Partial<AttemptDocument['entry']>) => (document: AttemptDocument) =>
    Buffer.from(JSON.stringify({ ...document, entry: { ...document.entry, ...change } }));
  interface Forgery {
    readonly run?: Partial<WorkflowRun>;
    readonly bytes?: (document: AttemptDocument) => Buffer;
    readonly name?: string;
    readonly digest?: Digest;
  }
  const cases: readonly (readonly [string, Forgery, string])[] = [
    ['to a run of a fork', { run: { headRepository: 'mallory/gates' } }, 'its commit is of mallory/gates'],
    ['to an event of anybody', { run: { event: 'pull_request_target' } }, 'its event is pull_request_target'],
    ['to another branch', { run: { headBranch: 'evil' } }, 'its branch is evil'],
    ['to other content', { digest: digestOf('other') }, 'it has no output of plan for this request'],
    ['to an artifact with another name', { name: 'gateline.ci.review..1.x.json' }, 'it has no output of plan'],
    ['to the output of another request', { bytes: lie({ fingerprint: digestOf('x') }) }, 'answers another request'],
    ['to the output of another gate', { bytes: lie({ unit: 'review' }) }, 'the output of review answers'],
    ['to the output of another pipeline', { bytes: lie({ pipeline: 'cd' }) }, "of the pipeline 'cd'"],
    ['to something else', { bytes: () => Buffer.from('[]') }, 'is no document of this version'],
  ];
  it.each(cases)('%s', async (_, { run, bytes = lie({}), name = 'gateline.ci.plan..1.x.json', digest }, reason) => {
    const fingerprint = nextRequest();
    const mallory = await world.enter({ run });
    const content = bytes(documentOf(mallory, { fingerprint }));
    world.plant(mallory.runId, name, content);
    const later = await world.enter();
    await savePointer(fingerprint, { ...mallory, digest: digest ?? digestOf(content) });
    const { attempt, notes } = await find(later, fingerprint);
    expect(attempt).toBeUndefined();
    expect(notes).toEqual([expect.stringContaining(reason)]);
  });

  it('to content that is not what its list says, to a document that is too large, to a run that is gone', async () => {
    const fingerprint = nextRequest();
    const mallory = await world.enter();
    const good = Buffer.from(JSON.stringify(documentOf(mallory, { fingerprint })));
    world.plant(mallory.runId, 'gateline.ci.plan..1.x.json', Buffer.from('{}'), digestOf(good));
    const later = await world.enter();
    await savePointer(fingerprint, { ...mallory, digest: digestOf(good) });
    expect((await find(later, fingerprint)).notes).toEqual([expect.stringContaining('has the digest')]);
    world.repository.artifacts.at(-1)!.size = 1_000_000_000;
    expect((await find(later, fingerprint)).notes).toEqual([expect.stringContaining('no output of plan')]);
    const { runs } = world.repository;
    runs.splice(0, Infinity, ...runs.filter(({ id }) => id !== mallory.runId));
    expect((await find(later, fingerprint)).notes).toEqual([expect.stringContaining('Not Found')]);
  });

  it('to a run with so many artifacts that its list is cut', async () => {
    const fingerprint = nextRequest();
    const { step, reference } = await runWithOutput(fingerprint);
    await savePointer(fingerprint, { ...step, digest: reference.digest });
    for (let n = 0; n < 1_000; n += 1) world.plant(step.runId, `flood-${n}`, Buffer.from(''));
    const later = await world.enter();
    const { attempt, notes } = await find(later, fingerprint);
    expect(attempt).toBeUndefined();
    expect(notes).toEqual([expect.stringContaining('1,000 artifacts or more')]);
  });
});

describe('the cache', () => {
  const faults: Fault[] = [503, 403].map((status) => ({ kind: 'status', status }));
  faults.push({ kind: 'drop' }, { kind: 'hang' }, { kind: 'truncate' });

  it('fails as a miss after 10 s at most, and no step with it', async () => {
    const step = await world.enter();
    const start = Date.now();
    const failing = (operation: string, fault: Fault): Digest => {
      const fingerprint = nextRequest();
      const subject = new RegExp(fingerprint.slice('sha256:'.length));
      world.github.fail({ route: operation, subject, times: Infinity, fault });
      return fingerprint;
    };
    const saving = faults.map((fault) =>
      savePointer(failing('CreateCacheEntry', fault), { ...step, digest: digestOf('x') }),
    );
    const looking = faults.map(async (fault) => {
      const fingerprint = failing('GetCacheEntryDownloadURL', fault);
      await savePointer(fingerprint, { ...step, digest: digestOf('x') });
      return findPointer(fingerprint);
    });
    expect(await Promise.all(looking)).toEqual(faults.map(() => undefined));
    for (const reason of await Promise.all(saving))
      expect(reason).toMatch(/^the cache took no entry$|no answer in 10 s/);
    expect(Date.now() - start).toBeLessThan(60_000);
  });

  it('shows pointers of a pull request only in its scope, and none of forks', async () => {
    const fingerprint = nextRequest();
    const run = { event: 'pull_request', headBranch: 'fix', pullRequests: [7] };
    const pull = await world.enter({ run });
    expect(await savePointer(fingerprint, { ...pull, digest: digestOf('x') })).toBeUndefined();
    expect(await findPointer(fingerprint)).toMatchObject({ runId: pull.runId });
    await world.enter();
    expect(await findPointer(fingerprint)).toBeUndefined();
    const outsider = await world.enter({ run: { event: 'issue_comment' } });
    expect(await savePointer(fingerprint, { ...outsider, digest: digestOf('x') })).toBe('the cache took no entry');
  });
});
