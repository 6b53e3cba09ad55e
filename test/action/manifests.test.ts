import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { INPUTS, type ActionName } from '../../src/action/inputs.ts';
import { expectClean, WORKFLOW_TOOLS } from '../support/workflow-tools.ts';

const ROOT = join(import.meta.dirname, '../..');
const ACTIONS = Object.keys(INPUTS) as ActionName[];

const input = z.strictObject({
  description: z.string(),
  required: z.boolean().optional(),
  default: z.string().optional(),
});
const manifestSchema = z.looseObject({
  name: z.string(),
  description: z.string().max(200),
  inputs: z.record(z.string(), input),
  outputs: z.record(z.string(), z.strictObject({ description: z.string() })).default({}),
  runs: z.strictObject({ using: z.literal('node24'), main: z.string(), post: z.string().optional() }),
});
/** As https://github.com/typesafegithub/github-actions-typing has it. */
const typeSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.enum(['string', 'boolean', 'integer', 'float']) }),
  z.strictObject({ type: z.literal('enum'), 'allowed-values': z.array(z.string()).min(1) }),
  z.strictObject({
    type: z.literal('list'),
    separator: z.enum([',', '\n']),
    'list-item': z.strictObject({ type: z.literal('string') }),
  }),
]);
const types = z.record(z.string(), typeSchema).default({});
const typesSchema = z.strictObject({ inputs: types, outputs: types });

/** The gate's action is at the root. */
const placeOf = (name: ActionName, file: string): string => join(ROOT, name === 'gate' ? '' : name, file);
const read = (name: ActionName, file: string): string => readFileSync(placeOf(name, file), 'utf8');
const manifestOf = (name: ActionName) => manifestSchema.parse(parse(read(name, 'action.yml')));

/** Values that an input of a type takes and refuses. */
function samplesOf(type: z.infer<typeof typeSchema>): { good: readonly string[]; bad: readonly string[] } {
  if (type.type === 'enum') return { good: type['allowed-values'], bad: ['another'] };
  if (type.type === 'boolean') return { good: ['true', 'false'], bad: ['another'] };
  if (type.type === 'integer') return { good: ['1'], bad: ['another', '1.5'] };
  if (type.type === 'float') return { good: ['1', '1.5'], bad: ['another'] };
  return { good: ['another'], bad: [] };
}

describe.each(ACTIONS)('the action %s', (name) => {
  const { inputs, outputs, runs } = manifestOf(name);
  const shape = INPUTS[name].shape as Readonly<Record<string, z.ZodType>>;
  const typing = typesSchema.parse(parse(read(name, 'action-types.yml')));

  it('declares the inputs that it reads, at most 24, and the types of all', () => {
    expect(Object.keys(inputs).toSorted()).toEqual(Object.keys(shape).toSorted());
    expect(Object.keys(inputs).length).toBeLessThanOrEqual(24);
    expect(Object.keys(typing.inputs)).toEqual(Object.keys(inputs));
    expect(Object.keys(typing.outputs)).toEqual(Object.keys(outputs));
  });

  it('takes the values that the types name, and no others', () => {
    for (const [key, type] of Object.entries(typing.inputs)) {
      const { good, bad } = samplesOf(type);
      const isTaken = (value: string): boolean => shape[key]!.safeParse(value).success;
      // The runner sets it.
      const refused = key === 'job-status' ? [] : bad.filter((value) => isTaken(value));
      expect([key, good.filter((value) => !isTaken(value)), refused]).toEqual([key, [], []]);
      const { required = false, default: value } = inputs[key]!;
      expect([key, required || value !== undefined || isTaken('')]).toEqual([key, true]);
      expect([key, required]).toEqual([key, value === undefined && !isTaken('')]);
    }
  });

  it('has a program', () => {
    for (const script of [runs.main, runs.post ?? runs.main]) {
      const program = /^(?:\.\.\/)?dist\/([a-z]+)\.js$/.exec(script)![1]!;
      expect(existsSync(join(ROOT, 'src/action', program, 'main.ts'))).toBe(true);
    }
  });

  it('has a workflow in its README that uses inputs and outputs which are there', () => {
    const workflow = parse(workflowIn(name)) as {
      jobs: Record<string, { steps: { id?: string; uses?: string; with?: object }[] }>;
    };
    for (const { steps } of Object.values(workflow.jobs)) {
      const ours = steps.flatMap((step) => {
        const action = /^gateline\/gateline(?:\/([a-z]+))?@v1$/.exec(step.uses ?? '');
        return action ? [{ ...step, manifest: manifestOf((action[1] ?? 'gate') as ActionName) }] : [];
      });
      for (const { manifest, with: values = {} } of ours) {
        expect(Object.keys(manifest.inputs)).toEqual(expect.arrayContaining(Object.keys(values)));
        const missing = Object.entries(manifest.inputs).filter(([key, { required }]) => required && !(key in values));
        expect(missing).toEqual([]);
      }
      for (const [, id, output] of JSON.stringify(workflow).matchAll(/steps\.(\w+)\.outputs\.([\w-]+)/g)) {
        const step = ours.find((other) => other.id === id);
        if (step) expect(Object.keys(step.manifest.outputs)).toContain(output);
      }
    }
  });
});

describe('the workflows in the READMEs', () => {
  it.each(WORKFLOW_TOOLS)('satisfy %s', (tool) => {
    expectClean(tool, Object.fromEntries(ACTIONS.map((name) => [name, workflowIn(name)])));
  });
});

function workflowIn(name: ActionName): string {
  return /^```yaml\n([^]*?)^```$/m.exec(read(name, 'README.md'))![1]!;
}
