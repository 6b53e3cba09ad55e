import { expect, it } from 'vitest';
import { digestOfJson } from '../../src/json/digest.ts';
import { formatReference, type AttemptDocument } from '../../src/store/github/document.ts';
import { NOT_APPLICABLE } from '../../src/verdict/verdict.ts';
import { approvalIn, notify, peopleFiles } from '../action/people/support.ts';
import { agent, pipelineFiles, troubles, useGithub, worked } from '../action/stories/support.ts';
import type { TestRepository } from '../support/runner/repository.ts';

const world = useGithub();

/** What becomes of a document with an approval that counts, or of the comment that it names. */
interface Forgery {
  readonly change?: (document: AttemptDocument, good: AttemptDocument) => unknown;
  readonly comment?: Parameters<TestRepository['comment']>[2] | null;
  readonly later?: string;
  /** None: its consumer takes it, so what is refused is refused for the change. */
  readonly refusal?: RegExp;
}
type Decision = NonNullable<AttemptDocument['decision']>;
const decide = (fields: object) => (document: AttemptDocument) => ({
  ...document,
  decision: { ...document.decision, ...fields },
});
const nothing = ({ output: _, decision, ...document }: AttemptDocument) => ({
  ...document,
  entry: { ...document.entry, output: undefined, exports: undefined, verdict: NOT_APPLICABLE, how: 'skipped' },
  decision: decision && {
    entry: { ...decision.entry, decision: 'skip', fingerprint: undefined, output: undefined },
  },
});
const file = { path: 'evil.sh', base: null, found: [], after: `100755 ${'1'.repeat(40)}`, bytes: '' };
const FORGERIES: Readonly<Record<string, Forgery>> = {
  good: {},
  output: {
    change: (document) => ({
      ...{ ...document, output: { score: 61 } },
      entry: { ...document.entry, output: { digest: digestOfJson({ score: 61 }), bytes: 12 } },
    }),
    refusal: /approval is of another output/,
  },
  file: {
    change: (document) => ({ ...document, files: [{ ...file, unit: document.entry.unit }] }),
    refusal: /approval is of another output/,
  },
  source: { change: decide({ source: undefined }), refusal: /names no output/ },
  other: {
    change: (document, { decision }) => decide({ source: decision!.source })(document),
    refusal: /of another output/,
  },
  actor: {
    change: (document) => decide({ entry: { ...document.decision!.entry, actor: 'owner' } })(document),
    refusal: /owner has not approved/,
  },
  edited: { comment: { updatedAt: new Date('2030-01-01') }, refusal: /octocat has not approved/ },
  reader: { comment: { author: 'reader' }, refusal: /octocat has not approved/ },
  rejected: { later: 'reject', refusal: /octocat has not approved/ },
  none: { comment: null, refusal: /octocat has not approved/ },
  claim: {
    change: (document) => ({
      ...{ ...document, decision: undefined, contract: { ...document.contract, threshold: 0 } },
      entry: { ...document.entry, verdict: { ...document.entry.verdict, status: 'passed', kind: 'passed' } },
    }),
    refusal: /does not meet today's contract/,
  },
  skip: { change: nothing, refusal: /octocat has not decided: skip/ },
  absent: { change: (document) => ({ ...nothing(document), decision: undefined }), refusal: /nothing says why/ },
};

it('a decision in a document counts only if its source says the same: each consumer and the report ask it again', async () => {
  const ids = Object.keys(FORGERIES);
  const scored = { output: { score: '/score', threshold: 80, partial: 'pause' }, inputs: [], approval: 'required' };
  const pairs = ids.flatMap((id) => [
    [`g_${id}`, { run: agent('{"score": 60}'), ...scored }],
    [`c_${id}`, { run: agent('{}'), needs: [`g_${id}`], inputs: [] }],
  ]) as [string, { run: string }][];
  /** The document of the first attempt, which waited, with the approval that its comment gives. */
  const approve = (id: string): AttemptDocument => {
    const artifact = repository.data.artifacts.find(({ name }) => name.includes(`.g_${id}.`))!;
    const document = JSON.parse(artifact.blob.content!.toString()) as AttemptDocument;
    const { v, pipeline, subject, run, at, unit, fingerprint, output } = document.entry;
    const head = { kind: 'decided', v, pipeline, subject, run, at, actor: 'octocat', reason: '' } as const;
    const entry = { ...head, decision: 'approve', unit, fingerprint, output: output!.digest } as const;
    const source = { runId: artifact.runId, artifactId: artifact.id, digest: artifact.digest };
    return { ...document, decision: { entry, source } as Decision };
  };
  const forge = async ({ inputs: { id = '' } }: { readonly inputs: Readonly<Record<string, string>> }) => {
    const { name, runs, comments } = repository.data;
    if (comments.length === 0) return;
    const { change = (document) => document } = FORGERIES[id]!;
    const text = JSON.stringify(change(approve(id), approve('good')));
    const planted = world.github.plantArtifact(name, runs.at(-1)!.id, `gateline.story.g_${id}..2.forged.json`, text);
    return { attempt: formatReference({ artifactId: planted.id, digest: planted.digest as `sha256:${string}` }) };
  };
  const forger = (id: string) => ({
    outputs: { attempt: '${{ steps.it.outputs.attempt }}' },
    steps: [
      { uses: 'actions/checkout@v5' },
      { if: 'github.run_attempt == 1', uses: 'gateline/gateline@v1', 'continue-on-error': true },
      { id: 'it', uses: 'evil/forge@v1', with: { id } },
    ],
  });
  const files = pipelineFiles(Object.fromEntries(pairs), {
    jobs: Object.fromEntries(
      ids.flatMap((id) => [
        [`g_${id}`, forger(id)],
        [`c_${id}`, { if: 'github.run_attempt == 2' }],
      ]),
    ),
  });
  const repository = await world.create({
    ...{ files, actions: { 'evil/forge': forge }, parallel: 4 },
    users: [{ login: 'reader', permission: 'read' }],
  });
  const first = await repository.pullRequest({ branch: 'feature', files: { 'a.txt': '' } });
  for (const id of ids) {
    const { comment, later } = FORGERIES[id]!;
    const line = approvalIn(first.job(`g_${id}`).summary);
    world.github.advance(2_000);
    if (comment !== null) repository.comment(1, line, comment);
    world.github.advance(2_000);
    if (later !== undefined) repository.comment(1, line.replace('approve', later));
  }
  const run = await first.rerun('all');
  const forged = ids.filter((id) => FORGERIES[id]!.refusal);
  expect(
    worked(run).filter((name) => name.startsWith('c_')),
    run.job('c_good').log,
  ).toEqual(['c_good']);
  expect(troubles(run)).toEqual([...forged.map((id) => `c_${id} failure`), 'report failure'].toSorted());
  const messages = (job: string) => run.job(job).annotations.map(({ message }) => message);
  for (const id of forged) {
    const refusal = FORGERIES[id]!.refusal!;
    expect([id, messages(`c_${id}`).join('\n')]).toEqual([id, expect.stringMatching(refusal)]);
    const reported = expect.stringMatching(new RegExp(`g_${id} .*${refusal.source}`)) as string;
    expect([id, messages('report')]).toEqual([id, expect.arrayContaining([reported])]);
  }
  expect(run.job('report').summary).toMatch(/g_claim.*(?:partial|60)/);
});

it('the comment about a run of a fork shows neither an approval nor a verdict that the fork forged, and reports no fault of the workflow', async () => {
  const gates = {
    plan: { run: agent('{"score": 60}'), inputs: [], output: { score: '/score', threshold: 80, partial: 'pause' } },
    build: { needs: ['plan'], run: agent('{}'), inputs: [] },
  };
  const repository = await world.create({ files: peopleFiles(gates) });
  const { artifacts, comments, name } = repository.data;
  const run = await repository.pullRequest({ branch: 'x', fork: 'evil/gates', files: { 'a.txt': '' } });
  await notify(repository, run, 'completed');
  const { body } = comments[0]!;
  expect(body).toContain('waiting for a person');
  expect(body).not.toContain('the report does not need');
  const document = JSON.parse(artifacts[0]!.blob.content!.toString()) as AttemptDocument;
  const { v, pipeline, subject, run: number, at, unit, fingerprint, output } = document.entry;
  const head = { kind: 'decided', v, pipeline, subject, run: number, at, actor: 'octocat', reason: 'fine' } as const;
  const entry = { ...head, decision: 'approve', unit, fingerprint, output: output!.digest };
  const verdict = { ...document.entry.verdict, status: 'passed', kind: 'passed', issues: [] };
  const source = { runId: run.id, artifactId: artifacts[0]!.id, digest: artifacts[0]!.digest };
  const forged = { ...document, waits: false, entry: { ...document.entry, verdict }, decision: { entry, source } };
  world.github.plantArtifact(name, run.id, 'gateline.story.plan..1.forged.json', JSON.stringify(forged));
  await notify(repository, { ...run, conclusion: 'success' }, 'completed');
  expect([comments.length, comments[0]!.body]).toEqual([1, expect.stringContaining('waiting for a person')]);
  expect(comments[0]!.body).not.toMatch(/octocat|fine/);
});
