import { afterEach, describe, expect, it } from 'vitest';
import { publishAttempt, readAttempt } from '../../../src/store/github/attempts.ts';
import type { Fault } from '../../support/github/faults.ts';
import { documentOf, noBytes, useGithub } from './world.ts';

const world = useGithub();
afterEach(() => world.github.faults.splice(0));
const expected = { job: 'plan', pipeline: 'ci' };
/** Some calls never settle: their tries are given up early. The others may take as long as a busy machine needs. */
const limitsOf = (kind: string) => ({ tryMs: /never|half/.test(kind) ? 5_000 : 60_000, waitMs: 120_000 });

const FAULTS: Readonly<Record<string, Fault>> = {
  dropped: { kind: 'drop' },
  'answered with 503': { kind: 'status', status: 503 },
  'answered with 403': { kind: 'status', status: 403 },
  'never answered': { kind: 'hang' },
  'answered in half': { kind: 'truncate' },
  'done without an answer': { kind: 'drop', done: true },
};
const casesOf = (operations: readonly string[]) =>
  operations.flatMap((operation) => Object.entries(FAULTS).map(([kind, fault]) => ({ operation, kind, fault })));

it('One bad call of an upload loses nothing', async () => {
  const step = await world.enter();
  const cases = casesOf(['CreateArtifact', 'PutBlock', 'PutBlockList', 'FinalizeArtifact']);
  const publishing = cases.map(async ({ operation, kind, fault }, index) => {
    const unit = `gate-${index}`;
    const rule = world.github.fail({ route: operation, subject: new RegExp(`\\.${unit}\\.`), fault });
    const document = documentOf(step, { unit });
    const reference = await publishAttempt(step.artifactsWithin(limitsOf(kind)), document, noBytes);
    const received = await readAttempt(step.artifacts, reference, { ...expected, runId: step.runId });
    expect([operation, kind, rule.hits, received]).toEqual([operation, kind, 1, document]);
  });
  await Promise.all(publishing);
  expect(step.lines.length).toBeGreaterThan(0);
});

it.each([
  [1, ['ListArtifacts', 'GetSignedArtifactURL', 'GetBlob']],
  [2, ['GET /actions/artifacts/:id/zip', 'GetBlob']],
] as const)('One bad call of a download loses nothing, in run attempt %i', async (attempt, operations) => {
  const plan = await world.enter();
  // Over REST, 403 says that a permission is missing.
  const cases = casesOf(operations).filter(({ kind }) => attempt === 1 || kind !== 'answered with 403');
  const documents = cases.map(({ operation, kind }) => documentOf(plan, { output: [operation, kind] }));
  const publishing = documents.map((document) => publishAttempt(plan.artifacts, document, noBytes));
  const references = await Promise.all(publishing);
  const review = await world.enter({ runId: plan.runId, runAttempt: attempt, job: 'review' });
  const reading = cases.map(async ({ operation, kind, fault }, index) => {
    const { artifactId } = references[index]!;
    const { name } = world.repository.artifacts.find(({ id }) => id === artifactId)!;
    const rule = world.github.fail({ route: operation, subject: new RegExp(`^(?:${artifactId}|${name})$`), fault });
    const artifacts = review.artifactsWithin(limitsOf(kind));
    const document = await readAttempt(artifacts, references[index]!, { ...expected, runId: plan.runId });
    expect([operation, kind, rule.hits, document]).toEqual([operation, kind, 1, documents[index]]);
  });
  await Promise.all(reading);
  expect(review.lines.length).toBeGreaterThan(0);
});

describe('an outage', () => {
  it('ends with the outage budget, and says how long it waited', async () => {
    const step = await world.enter({}, { tryMs: 500, waitMs: 2_000 });
    world.github.fail({ route: /./, times: Infinity, fault: { kind: 'hang' } });
    const start = Date.now();
    await expect(publishAttempt(step.artifacts, documentOf(step), noBytes)).rejects.toThrow(
      'The upload of the output of plan got no answer in 1 s',
    );
    expect(Date.now() - start).toBeLessThan(30_000);
    expect(step.lines[0]).toMatch(/^The upload of the output of plan failed: .* Next try in 1 s, \d s are left\.$/);
  });

  it('is told apart from a runner without a service for artifacts, which fails at once', async () => {
    const step = await world.enter();
    delete process.env['ACTIONS_RUNTIME_TOKEN'];
    await expect(publishAttempt(step.artifacts, documentOf(step), noBytes)).rejects.toMatchObject({
      message: 'The upload of the output of plan failed: this runner has no service for artifacts',
      hint: expect.stringContaining('act has none'),
    });
    expect(step.lines).toEqual([]);
  });

  it('of REST ends at once where trying again cannot help', async () => {
    const plan = await world.enter();
    const reference = await publishAttempt(plan.artifacts, documentOf(plan), noBytes);
    const review = await world.enter({ runId: plan.runId, runAttempt: 2, job: 'review', permissions: {} });
    const reading = readAttempt(review.artifacts, reference, { ...expected, runId: plan.runId });
    await expect(reading).rejects.toMatchObject({
      message: expect.stringContaining(
        `The download of artifact ${reference.artifactId} failed: Resource not accessible`,
      ),
      hint: expect.stringContaining('permissions:\n  contents: read\n  actions: read'),
    });
    expect(
      world.github.callsOf('GET /actions/artifacts/:id/zip').filter((call) => call.job?.runId === plan.runId),
    ).toHaveLength(1);
  });
});
