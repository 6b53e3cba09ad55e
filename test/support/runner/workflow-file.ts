import { parse } from 'yaml';
import { z } from 'zod';
import type { JsonValue } from '../../../src/json/json.ts';

/**
 * The part of GitHub's workflow syntax that is carried out here. Everything else is refused when the file is read, so
 * that no test rests on a key that nothing looks at. Accepted and not looked at: `on`, `concurrency`, `environment`
 * (as if its reviewers had let the job start), `runs-on`, `timeout-minutes`.
 * https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax
 */

/** Scalars of YAML, as the runner reads them: text. */
const text = z.union([z.string(), z.number(), z.boolean(), z.null()]).transform((value) => String(value ?? ''));
const json = z.json() as unknown as z.ZodType<JsonValue>;
const texts = z.record(z.string(), text).default({});
const permissions = z.record(z.string(), z.enum(['read', 'write', 'none'])).optional();
const defaults = z
  .strictObject({
    run: z.strictObject({ shell: z.string().optional(), 'working-directory': z.string().optional() }),
  })
  .optional();
const minutes = z.union([z.number(), z.string()]).optional();

const stepSchema = z
  .strictObject({
    id: z.string().optional(),
    name: z.string().optional(),
    if: text.optional(),
    uses: z.string().optional(),
    run: z.string().optional(),
    shell: z.enum(['bash', 'sh']).optional(),
    'working-directory': z.string().optional(),
    with: texts,
    env: texts,
    'continue-on-error': z.union([z.boolean(), z.string()]).default(false),
    'timeout-minutes': minutes,
  })
  .refine((step) => (step.uses === undefined) !== (step.run === undefined), 'a step has either `uses` or `run`');

const jobSchema = z.strictObject({
  name: z.string().optional(),
  needs: z.union([z.string().transform((one) => [one]), z.array(z.string())]).default([]),
  permissions,
  if: text.optional(),
  'runs-on': json,
  'timeout-minutes': minutes,
  concurrency: json.optional(),
  environment: json.optional(),
  outputs: texts,
  env: texts,
  defaults,
  strategy: z
    .strictObject({
      matrix: json.optional(),
      'fail-fast': z.union([z.boolean(), z.string()]).default(true),
      'max-parallel': z.number().optional(),
    })
    .optional(),
  steps: z.array(stepSchema).min(1),
});

const workflowSchema = z.strictObject({
  name: z.string().optional(),
  'run-name': z.string().optional(),
  on: json,
  permissions,
  concurrency: json.optional(),
  env: texts,
  defaults,
  jobs: z.record(z.string().regex(/^[A-Za-z_][\w-]*$/), jobSchema),
});

export type WorkflowDefinition = z.output<typeof workflowSchema>;
export type JobDefinition = z.output<typeof jobSchema>;
export type StepDefinition = z.output<typeof stepSchema>;

/** Reads a workflow. Throws what is not in the part of the syntax above, and `needs` that lead nowhere or round. */
export function parseWorkflow(yaml: string, path: string): WorkflowDefinition {
  const result = workflowSchema.safeParse(parse(yaml));
  if (!result.success) throw new Error(`${path}: ${z.prettifyError(result.error)}`);
  const { jobs } = result.data;
  for (const id of Object.keys(jobs)) {
    if (ancestorsOf(jobs, id).includes(id)) throw new Error(`${path}: job ${id} needs itself`);
  }
  return result.data;
}

/** The jobs that a job needs, directly or through others, without order. Throws for one that is not there. */
export function ancestorsOf(jobs: WorkflowDefinition['jobs'], id: string): string[] {
  const found = new Set<string>();
  const waiting = [...(jobs[id]?.needs ?? [])];
  for (let need = waiting.pop(); need !== undefined; need = waiting.pop()) {
    if (found.has(need)) continue;
    found.add(need);
    const definition = jobs[need];
    if (definition === undefined) throw new Error(`job ${id} needs ${need}, which is not there`);
    waiting.push(...definition.needs);
  }
  return [...found];
}
