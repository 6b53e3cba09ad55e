import { expect, it } from 'vitest';
import { digestOfJson, type Digest } from '../../src/json/digest.ts';
import type { JsonValue } from '../../src/json/json.ts';
import { formatReference, type AttemptDocument } from '../../src/store/github/document.ts';
import { agent, pipelineFiles, troubles, useGithub, worked } from '../action/stories/support.ts';

const world = useGithub();
const DIGEST: Digest = `sha256:${'0'.repeat(64)}`;

/** What a job hands over in the place of a good document: other bytes, or an artifact of another run or digest. */
interface Forgery {
  readonly change?: (document: AttemptDocument) => unknown;
  readonly bytes?: string;
  readonly digest?: Digest;
  readonly artifactId?: number;
  readonly refusal: RegExp;
}
const entry = (fields: object) => (document: AttemptDocument) => ({
  ...document,
  entry: { ...document.entry, ...fields },
});
const output =
  (value: JsonValue, fields: object = {}) =>
  (document: AttemptDocument) => ({
    ...entry({ output: { digest: digestOfJson(value), bytes: 2 }, ...fields })(document),
    output: value,
  });
const FORGERIES: Readonly<Record<string, Forgery>> = {
  digest: { digest: DIGEST, refusal: /has the digest sha256:.*, but the job's output names sha256:000/ },
  absent: { artifactId: 7, refusal: /has expired or was deleted/ },
  run: {
    change: (document) => ({ ...document, job: { ...document.job, runId: 7 } }),
    refusal: /says that it is of run 7/,
  },
  gate: { change: entry({ unit: 'real' }), refusal: /does not hand over what g_gate/ },
  leg: { change: entry({ unit: 'g_leg/a' }), refusal: /no unit of the pipeline/ },
  legs: { change: (document) => ({ ...document, legs: ['a', 'b'] }), refusal: /does not hand over the legs a, b of/ },
  pipeline: { change: entry({ pipeline: 'other' }), refusal: /is of the pipeline 'other', not of 'story'/ },
  format: {
    change: (document) => ({ ...document, format: 'gateline-attempt/2' }),
    refusal: /no document of this version: \/format/,
  },
  output: { change: (document) => ({ ...document, output: { score: 99 } }), refusal: /has an output with the digest/ },
  deep: { bytes: `${'['.repeat(100_000)}${']'.repeat(100_000)}`, refusal: /nested more than/ },
  text: { bytes: 'PK\u0003\u0004', refusal: /is no document of an attempt/ },
  // It says itself that it passed, and with a contract that would let it.
  score: { change: output({ score: 10 }), refusal: /does not meet today's contract: .*10/ },
  contract: {
    change: (document) => ({ ...output({})(document), contract: { ...document.contract, score: undefined } }),
    refusal: /does not meet today's contract/,
  },
  none: {
    change: ({ output: _, ...document }) => entry({ output: undefined, exports: undefined })(document),
    refusal: /has no output/,
  },
  path: {
    change: (document) => ({
      ...document,
      files: ['../out.txt', '.git/hooks/pre-commit'].map((path) => ({
        ...{ path, unit: document.entry.unit, base: null, found: [], bytes: '' },
        after: '100755 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
      })),
    }),
    refusal: /cannot be written|\.\.\/out\.txt/,
  },
  link: {
    change: (document) => ({
      ...document,
      files: [
        {
          ...{ path: 'a', unit: document.entry.unit, base: null, found: [] },
          ...{ after: '120000 34ed534fa65f0c6634f8606abb21db4120a3016c', bytes: btoa('/etc') },
        },
      ],
    }),
    refusal: /the link a of g_link leads out of the folder/,
  },
  file: {
    change: (document) => ({
      ...document,
      files: [
        { path: 'a', unit: document.entry.unit, base: null, found: [], after: `100644 ${'1'.repeat(40)}`, bytes: '' },
      ],
    }),
    refusal: /the file a of g_file is not what its document says/,
  },
};

it('a forged document opens no gate: its agent does not work, and the reason is named', async () => {
  const scored = { output: { score: '/score', threshold: 80 } };
  const gate = { run: agent('{"score": 90}'), inputs: [], ...scored };
  const ids = Object.keys(FORGERIES);
  const pairs = ids.flatMap((id) => [
    [`g_${id}`, { ...gate, needs: ['real'] }],
    [`c_${id}`, { run: agent('{}'), needs: [`g_${id}`], inputs: [] }],
  ]) as [string, typeof gate][];
  const forge = async ({ inputs: { id = '' } }: { readonly inputs: Readonly<Record<string, string>> }) => {
    const { artifacts, runs, name } = repository.data;
    const { change = (document) => document, bytes, artifactId, digest } = FORGERIES[id]!;
    const now = runs.at(-1)!.id;
    const real = artifacts.find((artifact) => artifact.runId === now && artifact.name.includes('.real.'))!;
    const document = JSON.parse(real.blob.content!.toString()) as AttemptDocument;
    const text = bytes ?? JSON.stringify(change(entry({ unit: `g_${id}` })(document)));
    const planted = world.github.plantArtifact(name, now, `gateline.story.g_${id}..1.forged.json`, text);
    return {
      attempt: formatReference({ artifactId: artifactId ?? planted.id, digest: digest ?? (planted.digest as Digest) }),
    };
  };
  const forger = (id: string) => ({
    outputs: { attempt: '${{ steps.it.outputs.attempt }}' },
    steps: [{ id: 'it', uses: 'evil/forge@v1', with: { id } }],
  });
  const jobs = {
    ...Object.fromEntries(ids.map((id) => [`g_${id}`, forger(id)])),
    report: { steps: [{ run: 'true' }] },
  };
  const files = pipelineFiles({ real: gate, ...Object.fromEntries(pairs) }, { jobs });
  const repository = await world.create({ files, actions: { 'evil/forge': forge }, parallel: 4 });
  const run = await repository.push();
  expect([worked(run), troubles(run)]).toEqual([['real'], ids.map((id) => `c_${id} failure`).toSorted()]);
  const reasons = ids.map((id) => [
    id,
    run
      .job(`c_${id}`)
      .annotations.map(({ message }) => message)
      .join('\n'),
  ]);
  expect(reasons).toEqual(ids.map((id) => [id, expect.stringMatching(FORGERIES[id]!.refusal)]));
});
