import { z } from 'zod';
import { digestSchema } from '../../json/digest.ts';
import type { Plan, PlannedUnit } from '../../run/plan/plan.ts';
import { originSchema, originView } from './status-json.ts';

/** Version of `gateline plan --json`. Fields may be added within a version; none is removed or changes its meaning. */
export const PLAN_FORMAT = 'gateline-plan/1';

const counter = z.int().min(0);

/** `gateline plan --json`. */
export const planJsonSchema = z.strictObject({
  format: z.literal(PLAN_FORMAT),
  pipeline: z.string(),
  subject: z.string(),
  /** The run and call that would do this. */
  run: counter,
  call: counter,
  /** Whether it continues an open run. */
  continues: z.boolean(),
  /** Ordered so that each gate comes after its needs. */
  gates: z.array(
    z.strictObject({
      key: z.string(),
      gate: z.string(),
      leg: z.string(),
      choice: z.enum([
        'keep',
        'reuse',
        'adopt',
        'run',
        'send-back',
        'wait',
        'skip',
        'not-applicable',
        'depends',
        'blocked',
      ]),
      /** One sentence; free text. */
      reason: z.string(),
      /** `null`: not known yet. */
      fingerprint: digestSchema.nullable(),
      /** The origin of a kept or reused output. */
      from: originSchema.nullable(),
      /** Differences from this gate's last request. */
      differences: z.array(
        z.strictObject({
          what: z.enum([
            'file',
            'document',
            'rework',
            'env',
            'export',
            'entity',
            'command',
            'with',
            'task',
            'metadata',
            'subject',
            'input',
            'tool',
            'secret',
            'platform',
            'format',
            'matrix',
          ]),
          /** Path, variable, gate, tool … */
          name: z.string(),
          change: z.enum(['changed', 'added', 'removed']),
        }),
      ),
      notices: z.array(z.string()),
      /** Whether the budget lets it start, if it would run; `null`: it would not, or there is no budget. */
      budget: z
        .strictObject({
          /** `wait`: it may start once gates that run have ended. */
          choice: z.enum(['start', 'wait', 'blocked']),
          /** What is kept free for it; absent: not limited, or not known. */
          reserves: z.strictObject({
            dollars: z.number().min(0).optional(),
            tokens: z.number().min(0).optional(),
            minutes: z.number().min(0).optional(),
          }),
          /** Its own budget, the median of its earlier runs, or nothing is known. */
          from: z.enum(['budget', 'history', 'none']),
        })
        .nullable(),
    }),
  ),
});
export type PlanJson = z.infer<typeof planJsonSchema>;

/** A plan for programs; see docs/reference/json-output.md. Texts are not escaped: print them with `jsonText`. */
export function planJson(plan: Plan): PlanJson {
  return {
    format: PLAN_FORMAT,
    pipeline: plan.pipeline,
    subject: plan.subject,
    run: plan.runNumber,
    call: plan.runAttempt,
    continues: plan.continues,
    gates: plan.units.map((unit) => ({
      key: unit.key,
      gate: unit.gate,
      leg: unit.leg,
      choice: unit.choice,
      reason: unit.reason,
      fingerprint: unit.fingerprint ?? null,
      from: unit.from === undefined ? null : originView(unit.from),
      differences: unit.differences.map(({ what, name, change }) => ({ what, name, change })),
      notices: [...unit.notices],
      budget: budgetOf(unit),
    })),
  };
}

function budgetOf({ budget }: PlannedUnit): PlanJson['gates'][number]['budget'] {
  if (budget === undefined) return null;
  const { amount, from } = budget.reserves;
  return { choice: budget.choice, reserves: { ...amount }, from };
}
