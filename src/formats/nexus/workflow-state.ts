import { z } from 'zod';
import type { JsonValue } from '../../json/json.ts';

/** The statuses of a run and of an execution. */
export const WORKFLOW_STATUSES = ['INITIALIZING', 'EXECUTING', 'PAUSED', 'ERROR', 'COMPLETED', 'ROLLBACK'] as const;
export type WorkflowStatus = (typeof WORKFLOW_STATUSES)[number];

const id = z.string().min(1).max(1_024);
const ids = z.array(id).max(10_000);
/** Milliseconds since 1970. */
export const time = z.int().min(0).max(8.64e15);
const names = z.array(z.string()).max(1_000);
/** Not `z.json()`, which would drop a key `__proto__`. */
const anyValue = z.custom<JsonValue>();

const checkpoint = z.looseObject({
  id,
  phase: id,
  timestamp: time,
  filesSnapshot: z.array(
    z.looseObject({ path: z.string(), status: z.string(), contentHash: z.string().nullish(), timestamp: time }),
  ),
  databaseSnapshot: anyValue.optional(),
});

const fields = z.looseObject({
  id,
  workflowName: id,
  workflowFile: z.string(),
  userTask: z.string(),
  status: z.enum(WORKFLOW_STATUSES),
  currentPhase: id.nullable(),
  currentPhaseStartTime: time.nullable(),
  startTime: time,
  endTime: time.nullable(),
  pausedAt: time.nullable(),
  resumedAt: time.nullable(),
  completedPhases: ids,
  skippedPhases: ids,
  failedPhases: ids,
  results: z.record(z.string(), anyValue),
  error: z
    .looseObject({
      phase: z.string(),
      message: z.string(),
      stack: z.string().optional(),
      timestamp: time,
      recoverable: z.boolean(),
    })
    .nullable(),
  retries: z.record(z.string(), z.int().min(0)),
  metadata: z.looseObject({
    nexusVersion: z.string(),
    pluginsUsed: names,
    mcpsUsed: names,
    totalPhases: z.int().min(0),
    estimatedDuration: z.number().min(0),
  }),
  checkpoints: z.array(checkpoint).max(10_000),
  rollbackAvailable: z.boolean(),
});
export type WorkflowState = z.infer<typeof fields>;

type Rule = readonly [isBroken: (state: Partial<WorkflowState>) => boolean, path: keyof WorkflowState, message: string];

/** The nine rules of Nexus's `validateState`, with its messages. */
const RULES: readonly Rule[] = [
  ...(['id', 'workflowName', 'userTask', 'status'] as const).map((key): Rule => [
    (state) => !state[key],
    key,
    `Missing '${key}'`,
  ]),
  [({ status, endTime }) => status === 'COMPLETED' && !endTime, 'endTime', "COMPLETED status requires 'endTime'"],
  [({ status, error }) => status === 'ERROR' && !error, 'error', "ERROR status requires 'error' object"],
  [
    ({ status, currentPhase }) => status === 'EXECUTING' && !currentPhase,
    'currentPhase',
    "EXECUTING status requires 'currentPhase'",
  ],
  [
    ({ completedPhases: completed, failedPhases: failed }) =>
      Array.isArray(completed) && Array.isArray(failed) && completed.some((phase) => failed.includes(phase)),
    'completedPhases',
    'Phase cannot be both completed and failed',
  ],
  [
    ({ startTime, endTime }) => Boolean(endTime) && Number(endTime) < Number(startTime),
    'endTime',
    'endTime cannot be before startTime',
  ],
];

/** The `WorkflowState` of Nexus, in the order of its fields, by the rules of its `validateState`. */
export const workflowStateSchema: z.ZodType<WorkflowState> = z
  .custom<Partial<WorkflowState>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'expected an object',
  )
  .superRefine((state, context) => {
    for (const [isBroken, key, message] of RULES)
      if (isBroken(state)) context.addIssue({ code: 'custom', path: [key], message });
  })
  .pipe(fields);
