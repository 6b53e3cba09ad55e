import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { gateSchema } from '../../src/pipeline/file/gateline-gate.ts';
import { INPUT_NAMES, PLAIN_INPUTS, type InputName } from '../../src/action/inputs/inputs-schema.ts';
import { DECISIONS, OUTPUT_NAMES } from '../../src/action/outputs.ts';
import { RUN_STATUSES, UNIT_STATUSES } from '../../src/run/state/run-state.ts';

/** As https://github.com/typesafegithub/github-actions-typing has it. */
const typeSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.enum(['string', 'boolean', 'integer', 'float']) }),
  z.strictObject({ type: z.literal('enum'), 'allowed-values': z.array(z.string()).min(1) }),
  z.strictObject({
    type: z.literal('list'),
    separator: z.string(),
    'list-item': z.strictObject({ type: z.literal('string') }),
  }),
]);
type Type = z.infer<typeof typeSchema>;

const { inputs, outputs } = z
  .strictObject({ inputs: z.record(z.string(), typeSchema), outputs: z.record(z.string(), typeSchema) })
  .parse(parse(readFileSync(join(import.meta.dirname, '../../action-types.yml'), 'utf8')));

/** Values that an input of a type has, and values that it does not have. */
function examplesOf(type: Type): { readonly good: readonly string[]; readonly bad: readonly string[] } {
  switch (type.type) {
    case 'enum':
      return { good: type['allowed-values'], bad: ['another'] };
    case 'boolean':
      return { good: ['true', 'false'], bad: ['another'] };
    case 'integer':
      return { good: ['1'], bad: ['another', '1.5'] };
    case 'float':
      return { good: ['1', '1.5'], bad: ['another'] };
    default:
      return { good: [], bad: [] };
  }
}

/** Inputs whose values gateline.yml checks: the step only reads them. */
const OF_GATE: Readonly<Partial<Record<InputName, z.ZodType>>> = {
  threshold: gateSchema.shape.output.unwrap().shape.threshold,
  partial: gateSchema.shape.output.unwrap().shape.partial,
  reuse: gateSchema.shape.reuse,
  retries: gateSchema.shape.retries,
  'timeout-minutes': gateSchema.shape['timeout-minutes'],
};

/** What an input says that it expects; '' where any text will do, or where it may hold YAML. */
function expectedOf(name: InputName): string {
  const described = ['result', 'with', 'metadata', 'tools', 'schema'];
  const read = described.includes(name) ? undefined : PLAIN_INPUTS.shape[name].safeParse('another');
  return read?.error?.issues[0]?.message ?? '';
}

describe('action-types.yml', () => {
  it('has the inputs and outputs of the action, in their order', () => {
    expect(Object.keys(inputs)).toEqual(INPUT_NAMES);
    expect(Object.keys(outputs)).toEqual(OUTPUT_NAMES);
  });

  it.each(INPUT_NAMES.map((name) => [name, inputs[name]!] as const))('says which values %s takes', (name, type) => {
    const { good, bad } = examplesOf(type);
    const takes = (text: string): boolean => {
      const read = PLAIN_INPUTS.shape[name].safeParse(text);
      return read.success && (OF_GATE[name]?.safeParse(read.data).success ?? true);
    };
    expect([good.filter((text) => !takes(text)), bad.filter(takes)]).toEqual([[], []]);
  });

  it('has all fixed words that an input takes', () => {
    const told = INPUT_NAMES.flatMap((name): [InputName, string[]][] => {
      const [, choices] = /^expected ((?:`[a-z-]+`(?:, | or )?)+)$/.exec(expectedOf(name)) ?? [];
      return choices === undefined ? [] : [[name, [...choices.matchAll(/`([^`]+)`/g)].map((match) => match[1]!)]];
    });
    expect(told.length).toBeGreaterThan(5);
    const ours = told.map(([name]): [InputName, readonly string[]] => [name, examplesOf(inputs[name]!).good]);
    expect(ours).toEqual(told);
  });

  it('says of outputs with fixed words which ones', () => {
    const wordsOf = (name: string): readonly string[] => {
      const type = outputs[name]!;
      return type.type === 'enum' ? type['allowed-values'] : [];
    };
    expect(wordsOf('decision')).toEqual(DECISIONS);
    expect(wordsOf('run-status')).toEqual(RUN_STATUSES);
    const ofJobs = UNIT_STATUSES.filter((status) => status !== 'pending' && status !== 'ready');
    expect(wordsOf('status').toSorted()).toEqual(ofJobs.toSorted());
  });
});
