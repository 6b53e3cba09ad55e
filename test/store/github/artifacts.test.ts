import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../../src/json/digest.ts';
import type { AttemptDocument, HandedFile } from '../../../src/store/github/document.ts';
import { createFileReader, publishAttempt, readAttempt } from '../../../src/store/github/attempts.ts';
import { documentOf, noBytes, useGithub } from './world.ts';

const world = useGithub();
const expected = (runId: number) => ({ job: 'plan', pipeline: 'ci', runId });

describe.each(['run', 'attempt'] as const)('a document, ids by %s', (mode) => {
  it.each([1, 2])('is read by later jobs, in run attempt %i', async (runAttempt) => {
    Object.assign(world.github, { mode });
    const plan = await world.enter();
    const reference = await publishAttempt(plan.artifacts, documentOf(plan), noBytes);
    const review = await world.enter({ runId: plan.runId, runAttempt, job: 'review' });
    expect(await readAttempt(review.artifacts, reference, expected(plan.runId))).toEqual(documentOf(plan));
  });

  it.each([1, 2])('that has expired is reported with the advice that helps, in run attempt %i', async (runAttempt) => {
    Object.assign(world.github, { mode });
    const plan = await world.enter();
    const reference = await publishAttempt(plan.artifacts, documentOf(plan), noBytes, 1);
    world.github.advance(2 * 24 * 60 * 60 * 1_000);
    const review = await world.enter({ runId: plan.runId, runAttempt, job: 'review' });
    await expect(readAttempt(review.artifacts, reference, expected(plan.runId))).rejects.toMatchObject({
      message: `the artifact ${reference.artifactId} of job 'plan' has expired or was deleted`,
      hint: 'Run the workflow again from its start: Re-run all jobs.',
    });
  });
});

describe('a document', () => {
  it('has small files in itself, and large ones in one artifact', async () => {
    const plan = await world.enter();
    const contents: Record<string, Uint8Array> = {
      small: Buffer.from('small'),
      empty: Buffer.alloc(0),
      large: Buffer.alloc(300_000, 'a'),
      larger: Buffer.alloc(9_000_000, 'b'),
    };
    for (let n = 0; n < 30; n += 1) contents[`middle-${n}`] = Buffer.alloc(200_000, `${n}`);
    const file = { unit: 'plan', base: null, found: [], after: '100644 abc' };
    const files: HandedFile[] = Object.keys(contents).map((path) => ({ ...file, path }));
    files.push({ ...file, path: 'deleted', after: null });
    const document = documentOf(plan, { files });
    const reference = await publishAttempt(plan.artifacts, document, async ({ path }) => contents[path]!);

    const review = await world.enter({ runId: plan.runId, job: 'review' });
    const received = await readAttempt(review.artifacts, reference, expected(plan.runId));
    const read = createFileReader(review.artifacts, plan.runId);
    for (const handed of received.files.filter(({ after }) => after !== null))
      expect(Buffer.compare(await read(handed), contents[handed.path]!), handed.path).toBe(0);
    expect(received.files.at(-1)).toEqual({ ...file, path: 'deleted', after: null });
    for (const route of ['CreateArtifact', 'GetBlob'])
      expect(world.github.callsOf(route).filter(({ job }) => job?.runId === plan.runId)).toHaveLength(2);

    const later = await world.enter();
    const large = received.files.find(({ path }) => path === 'large')!;
    // A used output is published again by a later run, whose document names the artifact of the first.
    expect(await createFileReader(later.artifacts, later.runId)(large)).toHaveLength(300_000);
    const wrong = { ...large, artifact: { ...large.artifact!, digest: digestOf('other') } };
    await expect(createFileReader(later.artifacts, later.runId)(wrong)).rejects.toThrow('is another one');
    const gone = { ...large, artifact: { ...large.artifact!, id: 1 } };
    await expect(createFileReader(later.artifacts, later.runId)(gone)).rejects.toThrow('has expired or was deleted');
  });

  it('keeps a key __proto__ of an output', async () => {
    const plan = await world.enter();
    const output = JSON.parse('{"__proto__": {"a": 1}, "b": [null]}');
    const reference = await publishAttempt(plan.artifacts, documentOf(plan, { output }), noBytes);
    const received = await readAttempt(plan.artifacts, reference, expected(plan.runId));
    expect(JSON.stringify(received.output)).toBe('{"__proto__":{"a":1},"b":[null]}');
  });

  it('is not stored if readers would reject it', async () => {
    const plan = await world.enter();
    const document = { ...documentOf(plan), learnings: 'x'.repeat(100_000) };
    await expect(publishAttempt(plan.artifacts, document, noBytes)).rejects.toThrow(
      /^the document of plan is no .*learnings/,
    );
  });
});

describe('a document that cannot be used', () => {
  const lie = (change: (document: AttemptDocument) => object) => (text: Buffer) =>
    Buffer.from(JSON.stringify(change(JSON.parse(text.toString()))));
  it.each<readonly [string, (text: Buffer) => Buffer, string]>([
    ['no JSON', () => Buffer.from('<html>'), 'is no document of an attempt: '],
    ['an archive', (text) => gzipSync(text), 'is no document of an attempt: a byte is not UTF-8'],
    ['a million lists', () => Buffer.from('['.repeat(1_000_000)), 'nested more than'],
    ['of another format', lie((document) => ({ ...document, format: 'gateline-attempt/9' })), 'this version: /format'],
    ['with a field of the future', lie((document) => ({ ...document, extra: 1 })), 'is no document of this version: /'],
    ['whose output is another one', lie((document) => ({ ...document, output: 1 })), 'has an output with the digest'],
    ['without its output', lie(({ output: _, ...document }) => document), 'has an output with the digest undefined'],
    [
      'of another run',
      lie((document) => ({ ...document, job: { ...document.job, runId: 5 } })),
      'says that it is of run 5',
    ],
  ])('is named: %s', async (_, forge, message) => {
    const review = await world.enter();
    const bytes = forge(Buffer.from(JSON.stringify(documentOf(review))));
    const { id: artifactId } = world.plant(review.runId, 'gateline.ci.plan..1.x.json', bytes);
    const reference = { artifactId, digest: digestOf(bytes) };
    await expect(readAttempt(review.artifacts, reference, expected(review.runId))).rejects.toThrow(message);
  });

  it('is refused: other bytes than the job names, another pipeline, more bytes than allowed', async () => {
    const plan = await world.enter();
    const reference = await publishAttempt(plan.artifacts, documentOf(plan), noBytes);
    const other = world.plant(plan.runId, 'gateline.ci.plan..1.x.json', '{}', reference.digest);
    const read = (artifactId: number, pipeline = 'ci') =>
      readAttempt(plan.artifacts, { ...reference, artifactId }, { ...expected(plan.runId), pipeline });
    await expect(read(other.id)).rejects.toThrow(`but the job's output names ${reference.digest}`);
    await expect(read(reference.artifactId, 'release')).rejects.toThrow("is of the pipeline 'ci', not of 'release'");
    await expect(plan.artifacts.read(reference.artifactId, plan.runId, 10)).rejects.toThrow('is larger than');
  });
});
