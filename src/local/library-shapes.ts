import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { FORMATS } from '../formats/formats.ts';
import { GATE_DECISIONS, RUN_DECISIONS } from '../run/records/decision-names.ts';
import { DOCUMENT_NAME_PATTERN } from '../memory/documents.ts';
import { ID_PATTERN } from '../pipeline/pipeline.ts';
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
const aFunction = z.custom(isFunction, 'expected a function');
const abortSignal = z.custom((value) => value instanceof AbortSignal, 'expected an AbortSignal');
const isMap = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** Who decided, and why: a decision without a reason explains nothing to whoever reads it. */
const decider = {
  actor: text.max(255),
  reason: z
    .string()
    .max(4_096)
    .refine((reason) => reason.trim() !== '', 'expected a reason that is not empty'),
};

/** The value of an entity: what JSON does not have would be lost without a word. */
export const jsonShape = z.custom((value) => z.json().safeParse(value).success, 'expected a JSON value');

/** The arguments of a command of a skill. */
export const argumentsShape = z.record(z.string(), z.string('expected a text'));

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
  observe: aFunction,
  signal: abortSignal,
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
});

export const setRunShape = runShape.extend({ maxParallel: z.int().min(1).max(256).optional() });

export const decisionShape = z
  .strictObject({
    ...decider,
    decision: z.enum(GATE_DECISIONS),
    gates: names.min(1, 'expected at least one gate'),
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
  runNumber: runNumber.optional(),
  to: text.optional(),
  saved: folder,
  dryRun: z.boolean().optional(),
  force: z.boolean().optional(),
  preview: aFunction.optional(),
});

export const applyShape = z.strictObject({
  saved: folder,
  gates: names.optional(),
  dryRun: z.boolean().optional(),
  runNumber: runNumber.optional(),
});

export const runNumberShape = runNumber.optional();

export const comparedShape = z.strictObject({ subject: text.optional(), runNumber });

export const planShape = runShape.pick({ resume: true }).extend({ observe: aFunction.optional() }).strict();

export const gateShape = text;

export const observerShape = aFunction;

export const beginShape = z.strictObject({ place: z.enum(['in-place', 'tree']).optional() });

export const completionShape = z.strictObject({
  token: text,
  exitCode: z.int().min(0, 'expected 0 to 255').max(255, 'expected 0 to 255').optional(),
  stopped: z.strictObject({ kind: z.enum(['cancelled', 'agent-error', 'timeout']), advice: z.string() }).optional(),
});

/** What opens the folders that all other functions work on; each key that a wrong value would lead elsewhere. */
const environment = z.custom(isMap, 'expected the environment, such as `process.env`');

export const placeShape = z.looseObject({
  place: z.looseObject({
    root: folder,
    isDefault: z.boolean(),
    pipeline: z.looseObject({ id: z.string().regex(ID_PATTERN, 'expected the id of a pipeline') }),
  }),
  environment,
  readOnly: z.boolean().optional(),
  now: aFunction.optional(),
  store: z.custom(isMap, 'expected a record store').optional(),
  signal: abortSignal.optional(),
});

export const storeShape = z.looseObject({
  root: folder,
  workspace: folder,
  readOnly: z.boolean().optional(),
  reserve: z.boolean().optional(),
  readsOnce: z.boolean().optional(),
});

export const workspaceShape = z.looseObject({ environment, store: folder, readOnly: z.boolean().optional() });

export const systemShape = z.enum(Object.keys(FORMATS));

export const sourceFilesShape = z
  .array(
    z.looseObject({
      path: text,
      bytes: z.custom((value) => value instanceof Uint8Array, 'expected a Uint8Array'),
      modified: z.number(),
    }),
  )
  .min(1, 'expected at least one file');

export const importShape = z.strictObject({ ...decider, dryRun: z.boolean().optional() });

export const folderShape = folder;

export const fileNameShape = text.optional();

export const documentShape = z.string().regex(DOCUMENT_NAME_PATTERN, 'expected a name such as `learned-patterns`');

export const entriesShape = z.array(z.looseObject({ category: text, text }));
