import { parse } from 'yaml';
import { z } from 'zod';
import type { JsonValue } from '../../../src/json/json.ts';

/**
 * The part of GitHub's workflow syntax that the runner carries out. All else is refused, so that no test rests on a key
 * without effect. Accepted without effect: `concurrency`, `environment`, `runs-on`, `container`, `max-parallel`.
 * https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax
 */

const text = z.union([z.string(), z.number(), z.boolean(), z.null()]).transform((value) => String(value ?? ''));
const json = z.json() as unknown as z.ZodType<JsonValue>;
const texts = z.record(z.string(), text).default({});
const permissions = z.union([z.enum(['read-all', 'write-all']), z.record(z.string(), z.string())]).optional();
const runDefaults = z.strictObject({ shell: z.string().optional(), 'working-directory': z.string().optional() });
const defaults = z.strictObject({ run: runDefaults }).optional();
const minutes = z.union([z.number(), z.string()]).optional();

const stepSchema = z
  .strictObject({
    id: z.string().optional(),
    name: z.string().optional(),
    if: text.optional(),
    uses: z.string().optional(),
    run: z.string().optional(),
    shell: z.string().optional(),
    'working-directory': z.string().optional(),
    with: texts,
    env: texts,
    'continue-on-error': z.union([z.boolean(), z.string()]).default(false),
    'timeout-minutes': minutes,
  })
  .refine((step) => (step.uses === undefined) !== (step.run === undefined), 'a step has either `uses` or `run`');

const jobSchema = z
  .strictObject({
    name: z.string().optional(),
    needs: z.union([z.string().transform((need) => [need]), z.array(z.string())]).default([]),
    permissions,
    if: text.optional(),
    'runs-on': json.optional(),
    'timeout-minutes': minutes,
    concurrency: json.optional(),
    environment: json.optional(),
    container: json.optional(),
    outputs: texts,
    env: texts,
    defaults,
    strategy: z
      .strictObject({
        matrix: json.optional(),
        'fail-fast': z.union([z.boolean(), z.string()]).default(true),
        'max-parallel': json.optional(),
      })
      .optional(),
    steps: z.array(stepSchema).min(1).optional(),
    uses: z.string().optional(),
    with: z.record(z.string(), json).default({}),
    secrets: z.union([z.literal('inherit'), texts]).optional(),
  })
  .refine((job) => (job.uses === undefined) !== (job.steps === undefined), 'a job has either `uses` or `steps`');

const inputSchema = z
  .object({ default: json.optional(), required: z.boolean().default(false), type: z.string().optional() })
  .nullable()
  .transform((input) => input ?? { default: undefined, required: false, type: undefined });
const triggerSchema = z
  .looseObject({
    inputs: z.record(z.string(), inputSchema).nullish(),
    outputs: z.record(z.string(), z.object({ value: z.string() })).nullish(),
  })
  .nullable();

const workflowSchema = z.strictObject({
  name: z.string().optional(),
  'run-name': z.string().optional(),
  on: z.union([
    z.string().transform((event) => ({ [event]: null })),
    z.array(z.string()).transform((events) => Object.fromEntries(events.map((event) => [event, null]))),
    z.record(z.string(), z.union([triggerSchema, z.array(json).transform(() => null)])),
  ]),
  permissions,
  concurrency: json.optional(),
  env: texts,
  defaults,
  jobs: z.record(z.string().regex(/^[A-Za-z_][\w-]*$/), jobSchema),
});

export type Workflow = z.output<typeof workflowSchema>;
export type JobDefinition = z.output<typeof jobSchema>;
export type StepDefinition = z.output<typeof stepSchema>;

/** @throws Error for what is not in the part of the syntax above, and for needs that lead nowhere or round */
export function parseWorkflow(yaml: string, path: string): Workflow {
  const result = workflowSchema.safeParse(parse(yaml));
  if (!result.success) throw new Error(`${path}: ${z.prettifyError(result.error)}`);
  const { jobs } = result.data;
  for (const id of Object.keys(jobs))
    if (ancestorsOf(jobs, id).includes(id)) throw new Error(`${path}: ${id} needs itself`);
  return result.data;
}

/** The jobs that a job needs, directly or through others. */
export function ancestorsOf(jobs: Workflow['jobs'], id: string): string[] {
  const ancestors = new Set<string>();
  const waiting = [...(jobs[id]?.needs ?? [])];
  for (let need = waiting.pop(); need !== undefined; need = waiting.pop()) {
    if (ancestors.has(need)) continue;
    const definition = jobs[need];
    if (definition === undefined) throw new Error(`job ${id} needs ${need}, which is not there`);
    ancestors.add(need);
    waiting.push(...definition.needs);
  }
  return [...ancestors];
}
