/** What a budget limits: US dollars, tokens in and out, or minutes in which agents work. */
export const BUDGET_MEASURES = ['dollars', 'tokens', 'minutes'] as const;
export type BudgetMeasure = (typeof BUDGET_MEASURES)[number];

/** At most so much; each measure that is there is a limit of its own. */
export type BudgetAmount = Readonly<Partial<Record<BudgetMeasure, number>>>;

/** What agents may spend. Dollars and tokens are what they report. No part of any request. */
export interface Budget {
  /** All attempts of one gate in one run, unless the gate has a `budget` of its own; of a leg, that leg alone. */
  readonly gate: BudgetAmount | undefined;
  /** All gates of one run. */
  readonly run: BudgetAmount | undefined;
  /** All runs of the pipeline that began on the same day. */
  readonly day: BudgetAmount | undefined;
  /** `fail`: no further gate starts after an attempt that reported nothing about a measure that is limited. */
  readonly onUnknown: 'allow' | 'fail';
  /** Path, in the workspace, of the file with the prices of models. */
  readonly prices: string | undefined;
}
