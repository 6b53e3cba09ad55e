import { z } from 'zod';
import type { GatelineError } from '../../errors/gateline-error.ts';
import type { Plan } from '../../run/plan/plan.ts';
import { SUBJECT_STATUSES } from '../../run/subjects/subject-states.ts';
import { gatesOf, type SetRow } from '../set-rows.ts';
import { planJson, planJsonSchema } from './plan-json.ts';

/** Version of `gateline run --set --json`. Fields may be added within a version; none changes its meaning. */
const SET_STATUS_FORMAT = 'gateline-set-status/1';
/** Version of `gateline plan --set --json`. */
const SET_PLAN_FORMAT = 'gateline-set-plan/1';

const counter = z.int().min(0);
const errorSchema = z.strictObject({ code: z.string(), message: z.string() });

const subjectFields = {
  id: z.string(),
  /** The set that it belongs to. */
  set: z.string().nullable(),
  needs: z.array(z.string()),
  status: z.enum(SUBJECT_STATUSES),
  /** One sentence; free text. */
  reason: z.string(),
};

/** `gateline run --set --json` and `gateline status --set --json`. */
export const setStatusSchema = z.strictObject({
  format: z.literal(SET_STATUS_FORMAT),
  pipeline: z.string(),
  /** Each comes after those that it needs. */
  subjects: z.array(
    z.strictObject({
      ...subjectFields,
      /** 0: there is no run yet, or this call did not look at it. */
      run: counter,
      gates: z.strictObject({ done: counter, total: counter }),
      /** US dollars, as agents of the run reported; `null`: none reported. */
      costUsd: z.number().nullable(),
      /** Errors that prevented it, or single gates, from running. */
      errors: z.array(errorSchema),
      /** Only with `--deliver`. */
      delivered: z
        .strictObject({
          status: z.enum(['delivered', 'unchanged', 'nothing', 'refused']),
          /** The branch, or the path of the patch. */
          to: z.string().nullable(),
          /** The commit, of a branch. */
          commit: z.string().nullable(),
          reason: z.string(),
        })
        .nullable(),
    }),
  ),
});
export type SetStatusJson = z.infer<typeof setStatusSchema>;

/** `gateline plan --set --json`. */
export const setPlanSchema = z.strictObject({
  format: z.literal(SET_PLAN_FORMAT),
  pipeline: z.string(),
  subjects: z.array(
    z.strictObject({
      ...subjectFields,
      /** `null`: nothing is to be done, or it cannot be known before other subjects are completed. */
      plan: planJsonSchema.nullable(),
      errors: z.array(errorSchema),
    }),
  ),
});

/** A subject with what a call did about it. */
export interface SetStatusRow extends SetRow {
  readonly errors: readonly GatelineError[];
  readonly delivered?: SetStatusJson['subjects'][number]['delivered'];
}

/** The subjects of a set for programs; see docs/reference/json-output.md. */
export function setStatusJson(pipeline: string, rows: readonly SetStatusRow[]): SetStatusJson {
  const subjects = rows.map((row) => ({
    ...fieldsOf(row),
    run: row.run?.runNumber ?? 0,
    gates: gatesOf(row),
    costUsd: row.costUsd ?? null,
    errors: row.errors.map(errorOf),
    delivered: row.delivered ?? null,
  }));
  return { format: SET_STATUS_FORMAT, pipeline, subjects };
}

/** The plan of a set for programs. */
export function setPlanJson(
  pipeline: string,
  rows: readonly (SetRow & { readonly plan?: Plan | undefined; readonly errors: readonly GatelineError[] })[],
): z.infer<typeof setPlanSchema> {
  const subjects = rows.map((row) => ({
    ...fieldsOf(row),
    plan: row.plan === undefined ? null : planJson(row.plan),
    errors: row.errors.map(errorOf),
  }));
  return { format: SET_PLAN_FORMAT, pipeline, subjects };
}

function fieldsOf({
  subject,
  status,
  reason,
}: SetRow): Pick<SetStatusJson['subjects'][number], 'id' | 'set' | 'needs' | 'status' | 'reason'> {
  return { id: subject.id, set: subject.set ?? null, needs: [...subject.needs], status, reason };
}

function errorOf({ code, message }: GatelineError): z.infer<typeof errorSchema> {
  return { code, message };
}
