import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { gateIdFrom } from '../../pipeline/slug.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import { namedGates } from '../dispatch-decisions.ts';
import type { Job } from '../job.ts';
import { definitionPlace, type Services } from '../services.ts';

const inputsSchema = z.object({ gate: z.string().nullish().catch(undefined) }).nullish();
const workflowSchema = z.object({
  jobs: z.record(
    z.string(),
    z.object({
      uses: z.string().optional(),
      with: inputsSchema,
      outputs: z.record(z.string(), z.unknown()).nullish(),
      steps: z.array(z.object({ with: inputsSchema })).default([]),
    }),
  ),
});

/** Reads a file of the commit of the run; undefined: there is none. */
type ReadFile = (path: string) => Promise<Uint8Array | undefined>;

/**
 * Gates that the dispatch of the run names and no job has, one sentence each. Jobs ignore them: a gate that one job does
 * not know may be that of another, or of another pipeline in the same workflow.
 */
export async function findUnknownGates(job: Job, services: Services, { gates }: Pipeline): Promise<string[]> {
  const ids = gates.map(({ id }) => id);
  const others = namedGates(job.dispatch).filter((id) => !ids.includes(id));
  if (others.length === 0) return [];
  const read = (path: string) => definitionPlace(job, services).readRemote(job.sha, path);
  const known = new Set([...ids, ...(await gatesOfWorkflow(job.workflow, read))]);
  const list = [...known].slice(0, 20).join(', ');
  return others
    .filter((id) => !known.has(id))
    .map((id) => `the dispatch names ${id}, which is no gate of the workflow: it has ${list}`);
}

/** The gates of the jobs in a workflow file, and in files of the repository that it calls. */
async function gatesOfWorkflow(path: string, read: ReadFile): Promise<readonly string[]> {
  const text = Buffer.from((await read(path)) ?? '{"jobs": {}}').toString();
  const { jobs } = workflowSchema.parse(parseYaml(text));
  const gates = Object.entries(jobs).map(async ([id, { uses, with: inputs, outputs, steps }]) => {
    const named = [inputs, ...steps.map((step) => step.with)].flatMap((values) => values?.gate ?? []);
    if (named.length > 0) return named;
    if (uses?.startsWith('./')) return gatesOfWorkflow(uses.slice(2), read);
    return Object.keys(outputs ?? {}).some((name) => /^attempt(-\d+)?$/.test(name)) ? [gateIdFrom(id)] : [];
  });
  return (await Promise.all(gates)).flat();
}
