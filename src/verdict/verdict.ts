import { z } from 'zod';

/** Why an output passed or did not; each kind has its own advice. */
export const VERDICT_KINDS = [
  'passed',
  'partial',
  'missing',
  'malformed',
  'too-large',
  'schema',
  'score',
  'check',
  'files',
  'agent-error',
  'timeout',
  'cancelled',
  'not-applicable',
] as const;
export type VerdictKind = (typeof VERDICT_KINDS)[number];

/** Issues of a verdict. Further ones are only counted, in the last issue. */
export const MAX_ISSUES = 100;

/** An error in an output, or a remark about it. */
const issueSchema = z.object({
  severity: z.enum(['error', 'warning', 'notice']),
  message: z.string().max(4_096),
  /** JSON pointer into the output. */
  pointer: z.string().max(4_096).optional(),
  /** JSON pointer into the schema, or the text of the check. */
  rule: z.string().max(4_096).optional(),
});
export type Issue = z.infer<typeof issueSchema>;

/** Our judgement of one output. `score` is 0-100. */
export const verdictSchema = z.object({
  status: z.enum(['passed', 'partial', 'failed', 'not-applicable']),
  kind: z.enum(VERDICT_KINDS),
  score: z.number().min(0).max(100),
  issues: z.array(issueSchema).max(MAX_ISSUES),
  /** What to do: one sentence, empty if passed. */
  advice: z.string().max(2_048),
  /** The agent's own label (`APPROVED`), where the contract names it. */
  result: z.string().max(200).optional(),
  /** The agent's line about an output that passed. */
  message: z.string().max(300).optional(),
});
export type Verdict = z.infer<typeof verdictSchema>;

/** A verdict of status `failed` with score 0. */
export function failedVerdict(kind: VerdictKind, advice: string, issues: readonly Issue[] = []): Verdict {
  return { status: 'failed', kind, score: 0, issues: issues.slice(0, MAX_ISSUES), advice };
}

export const NOT_APPLICABLE: Verdict = {
  status: 'not-applicable',
  kind: 'not-applicable',
  score: 100,
  issues: [],
  advice: '',
};

/** Why a verdict is not `passed`, in one line. */
export function verdictText({ kind, issues, advice }: Verdict): string {
  const message = issues[0]?.message ?? advice;
  return kind === 'partial' && message !== '' ? message : `${kind}: ${message}`;
}
