/** What a budget limits: US dollars, tokens in and out, or minutes in which agents work. */
export const BUDGET_MEASURES = ['dollars', 'tokens', 'minutes'] as const;
export type BudgetMeasure = (typeof BUDGET_MEASURES)[number];

/** What a limit is about: one gate in a run, a run, or a day. */
export type BudgetScope = 'gate' | 'run' | 'day';

/** At most so much; each measure that is there is a limit of its own. */
export type BudgetAmount = Readonly<Partial<Record<BudgetMeasure, number>>>;

/** What agents may spend. Dollars and tokens are what they report. No part of any request. */
export interface Budget {
  /** All gates of one run. */
  readonly run: BudgetAmount | undefined;
  /** All attempts of the pipeline that begin on one day. */
  readonly day: BudgetAmount | undefined;
  /** `fail`: no further gate starts after an attempt of which a limited measure is not known. */
  readonly onUnknown: 'allow' | 'fail';
  /** Path, in the workspace, of the file with the prices of models. */
  readonly prices: string | undefined;
}

/** The limits of an amount. */
export function limitsOf(amount: BudgetAmount | undefined): (readonly [BudgetMeasure, number])[] {
  return BUDGET_MEASURES.flatMap((measure) => {
    const limit = amount?.[measure];
    return limit === undefined ? [] : [[measure, limit] as const];
  });
}
