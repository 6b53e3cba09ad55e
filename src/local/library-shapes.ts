import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { GATE_DECISIONS, RUN_DECISIONS } from '../run/records/decision-names.ts';
import { STRATEGIES } from '../run/plan/strategy.ts';

/*
 * What the functions of the library take, as far as it can be wrong: types do not hold programs in JavaScript to
 * anything. docs/reference/library.md describes each key.
 */

const text = z.string().min(1, 'expected a text that is not empty');
const names = z.array(text);
const isFunction = (value: unknown): boolean => typeof value === 'function';
const folder = text.refine((path) => isAbsolute(path), 'expected an absolute path');
const runNumber = z.int('expected a whole number').min(1, 'expected the number of a run, from 1');
const isMap = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** Who decided, and why. */
const decider = { actor: text.max(255), reason: z.string().max(4_096) };

export const portsShape = z.custom(isMap, 'expected what `localPorts` returns');

const pipelineGiven = z.custom(
  (value) => isMap(value) && Array.isArray((value as { gates?: unknown }).gates),
  'expected what `definePipeline`, `parsePipeline` or `loadPipeline` returns as a pipeline',
);

export const assignmentShape = z.looseObject({
  pipeline: pipelineGiven,
  subject: text,
});

export const workShape = z.looseObject({
  metadata: z.custom((value) => isMap(value) && !Array.isArray(value), 'expected a JSON object'),
  input: z.custom((value) => value !== undefined, 'expected a JSON value, or null for none'),
});

export const continueShape = z.looseObject({
  observe: z.custom(isFunction, 'expected a function'),
  signal: z.custom((value) => value instanceof AbortSignal, 'expected an AbortSignal'),
});

const how = {
  ...decider,
  strategy: z.enum(STRATEGIES).optional(),
  from: names.optional(),
  force: names.optional(),
};

/** A strategy, and the gates that only one of them takes. */
interface Strategic {
  readonly strategy?: string | undefined;
  readonly from?: readonly string[] | undefined;
}

const hasStart = ({ strategy, from = [] }: Strategic): boolean => strategy !== 'from-checkpoint' || from.length > 0;
const noStart = { path: ['from'], message: 'from-checkpoint needs the gates to start from' };

export const howShape = z.strictObject(how).refine(hasStart, noStart);

/** The run that a fork begins from. */
const origin = { subject: text, runNumber, gate: text.optional() };

export const originShape = z.strictObject({
  ...decider,
  ...origin,
  fresh: z.boolean().optional(),
});

export const runShape = continueShape.extend({
  resume: z
    .strictObject({
      ...how,
      fresh: z.boolean().optional(),
      lift: z.boolean().optional(),
      fork: z.strictObject(origin).optional(),
    })
    .refine(hasStart, noStart)
    .optional(),
});

export const setOrderShape = z.strictObject({
  pipeline: pipelineGiven,
  subjects: z.custom((value) => value instanceof Map, 'expected what `loadSet` returns'),
  only: z.custom((value) => value instanceof Set, 'expected a Set of ids').optional(),
  assignmentOf: z.custom(isFunction, 'expected a function').optional(),
  portsFor: z.custom(isFunction, 'expected a function').optional(),
});

export const setRunShape = runShape.extend({ maxParallel: z.int().min(1).max(256).optional() });

export const decisionShape = z
  .strictObject({
    ...decider,
    decision: z.enum(GATE_DECISIONS),
    gates: names,
    until: z.iso
      .datetime({ offset: true, message: 'expected a time (ISO 8601)' })
      .transform((time) => new Date(time).toISOString())
      .optional(),
    output: z.unknown().optional(),
  })
  .refine(({ decision, output }) => decision !== 'adopt' || output !== undefined, {
    path: ['output'],
    message: 'adopt needs the output',
  });

export const runDecisionShape = z.strictObject({
  ...decider,
  decision: z.enum(RUN_DECISIONS),
  runNumber: runNumber.optional(),
});

export const rollbackShape = z.strictObject({
  ...decider,
  to: text.optional(),
  saved: folder,
  dryRun: z.boolean().optional(),
  force: z.boolean().optional(),
  preview: z.custom(isFunction, 'expected a function').optional(),
});

export const applyShape = z.strictObject({
  saved: folder,
  gates: names.optional(),
  dryRun: z.boolean().optional(),
  runNumber: runNumber.optional(),
});

export const runNumberShape = runNumber.optional();
