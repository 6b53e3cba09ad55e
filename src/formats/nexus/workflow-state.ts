import { z } from 'zod';
import type { JsonObject } from '../../json/json.ts';
import type { RunStatus } from '../../run/state/run-state.ts';
import type { FileFindings } from '../findings.ts';
import { jsonText } from '../json-text.ts';

/** The words for a run; of an execution, too. */
export const WORKFLOW_STATUSES = ['INITIALIZING', 'EXECUTING', 'PAUSED', 'ERROR', 'COMPLETED', 'ROLLBACK'] as const;
export type NexusStatus = (typeof WORKFLOW_STATUSES)[number];

/** A run status and the word for it are the same but for their case. */
export function nexusStatus(status: RunStatus): NexusStatus {
  return status.toUpperCase() as NexusStatus;
}

const id = z.string().min(1).max(1_024);
const ids = z.array(id).max(10_000);
/** Milliseconds since 1970. */
const time = z.int().min(0).max(8.64e15);
const names = z.array(z.string()).max(1_000);

const checkpointSchema = z.looseObject({
  id,
  phase: id,
  timestamp: time,
  filesSnapshot: z.array(
    z.looseObject({ path: z.string(), status: z.string(), contentHash: z.string().nullish(), timestamp: time }),
  ),
  // Of what is `any` there, JSON has no key if it is undefined.
  databaseSnapshot: z.unknown().optional(),
});

/** Seed 004's `WorkflowState`, in the order of its fields. */
const workflowStateSchema = z.looseObject({
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
  results: z.record(z.string(), z.json()),
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
  checkpoints: z.array(checkpointSchema).max(10_000),
  rollbackAvailable: z.boolean(),
});
export type WorkflowState = z.infer<typeof workflowStateSchema>;

/** A rule that a document breaks: the seed's own message, and where. */
interface BrokenStateRule {
  readonly pointer: string;
  readonly message: string;
}

/** The nine rules of the seed's `validateState`, for a document of any shape. */
function brokenRules(state: JsonObject): BrokenStateRule[] {
  const has = (key: string): boolean => Boolean(state[key]);
  const rule = (isBroken: boolean, pointer: string, message: string): BrokenStateRule[] =>
    isBroken ? [{ pointer, message }] : [];
  const [completed, failed] = [state['completedPhases'], state['failedPhases']];
  const alsoFailed = new Set(Array.isArray(failed) ? failed : []);
  const both = Array.isArray(completed) ? completed.findIndex((one) => alsoFailed.has(one)) : -1;
  const [start, end] = [Number(state['startTime']), Number(state['endTime'])];
  return [
    ...['id', 'workflowName', 'userTask', 'status'].flatMap((key) => rule(!has(key), `/${key}`, `Missing '${key}'`)),
    ...rule(state['status'] === 'COMPLETED' && !has('endTime'), '/endTime', "COMPLETED status requires 'endTime'"),
    ...rule(state['status'] === 'ERROR' && !has('error'), '/error', "ERROR status requires 'error' object"),
    ...rule(
      state['status'] === 'EXECUTING' && !has('currentPhase'),
      '/currentPhase',
      "EXECUTING status requires 'currentPhase'",
    ),
    ...rule(both >= 0, `/completedPhases/${both}`, 'Phase cannot be both completed and failed'),
    ...rule(has('endTime') && end < start, '/endTime', 'endTime cannot be before startTime'),
  ];
}

/** A document that keeps the seed's nine rules and has its fields; `undefined`: it was refused, with each problem. */
export function workflowStateIn(value: unknown, file: string, findings: FileFindings): WorkflowState | undefined {
  const broken =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? brokenRules(value as JsonObject) : [];
  for (const { pointer, message } of broken) findings.refuse(file, pointer, message);
  return broken.length > 0 ? undefined : findings.shaped(workflowStateSchema, value, file);
}

/** The text of a document, as the seed's `persistState` writes it. */
export function workflowStateText(state: WorkflowState): string {
  return jsonText(state, 2);
}
