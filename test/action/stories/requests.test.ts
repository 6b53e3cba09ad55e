import { expect, it } from 'vitest';
import { formatReference, type AttemptDocument } from '../../../src/store/github/document.ts';
import type { Call } from '../../support/github/faults.ts';
import { agent, logsOf, pipelineFiles, troubles, useGithub, worked } from './support.ts';

const world = useGithub();
const ANCESTORS = Array.from({ length: 60 }, (_, index) => `g${index}`);

it.each([1, 3])('a gate with 60 ancestors and %i direct needs makes few requests', async (directNeeds) => {
  const gate = (needs: string[]) => ({ needs, run: agent('{}'), inputs: [] });
  const chain = ANCESTORS.map((id, index) => [id, gate(ANCESTORS.slice(Math.max(0, index - 1), index))] as const);
  const gates = { ...Object.fromEntries(chain), last: gate(ANCESTORS.slice(-directNeeds)) };
  // Only the first and the last gate work: the others get documents like the first one's.
  const planted = { outputs: { attempt: '${{ steps.plant.outputs.attempt }}' } };
  const jobs = Object.fromEntries(
    ANCESTORS.slice(1).map((id) => [
      id,
      { ...planted, steps: [{ id: 'plant', uses: 'test/plant@v1', with: { gate: id } }] },
    ]),
  );
  const plant = async ({ inputs: { gate: id = '' } }: { readonly inputs: Readonly<Record<string, string>> }) => {
    const { artifacts, runs, name } = repository.data;
    const run = runs.at(-1)!.id;
    const first = artifacts.find(
      (artifact) => artifact.runId === run && artifact.name.startsWith('gateline.story.g0.'),
    )!;
    const document = JSON.parse(first.blob.content!.toString()) as AttemptDocument;
    const index = ANCESTORS.indexOf(id);
    const costSoFar = Object.fromEntries(ANCESTORS.slice(0, index + 1).map((unit) => [unit, { ms: 1 }]));
    const text = JSON.stringify({
      ...document,
      job: { ...document.job, job: id },
      entry: { ...document.entry, unit: id },
      costSoFar,
    });
    const artifact = world.github.plantArtifact(name, run, `gateline.story.${id}..1.planted.json`, text);
    return { attempt: formatReference({ artifactId: artifact.id, digest: artifact.digest as `sha256:${string}` }) };
  };
  const files = pipelineFiles(gates, { jobs: { ...jobs, report: { steps: [{ run: 'true' }] } } });
  const repository = await world.create({ files, actions: { 'test/plant': plant } });
  world.github.delay = (call) => (call.job?.job === 'last' ? meet(call) : 0);
  let meet = meeting();
  const requestsOf = (id: number) => world.github.calls.filter(({ job }) => job?.runId === id && job.job === 'last');
  for (const works of [true, false]) {
    // Needs are read side by side, the pointer is saved beside the upload.
    meet = meeting(
      Array<string>(directNeeds).fill('ListArtifacts'),
      works ? ['CreateArtifact', 'CreateCacheEntry'] : [],
    );
    const run = await repository.push();
    expect(troubles(run), logsOf(run)).toEqual([]);
    expect(worked(run).includes('last')).toBe(works);
    const calls = requestsOf(run.id);
    const routes = calls.map(({ route }) => route).join(', ');
    // The client asks three times for an artifact: its list, its address, its bytes.
    expect(calls.length - 3 * directNeeds, routes).toBeLessThanOrEqual(9);
    if (directNeeds === 1) expect(calls.length, routes).toBeLessThanOrEqual(12);
    const inSeries = calls.length - 3 * (directNeeds - 1) - (works ? 3 : 0);
    expect(inSeries, routes).toBeLessThanOrEqual(works ? 8 : 12);
  }
});

/** Answers the requests of a group only when all of them have arrived: in series they would wait for ever. */
function meeting(...groups: readonly (readonly string[])[]): (call: Call) => Promise<void> {
  const open = groups.map((routes) => ({ missing: [...routes], all: Promise.withResolvers<void>() }));
  return async ({ route }) => {
    const group = open.find(({ missing }) => missing.includes(route));
    if (group === undefined) return;
    group.missing.splice(group.missing.indexOf(route), 1);
    if (group.missing.length === 0) group.all.resolve();
    await group.all.promise;
  };
}
