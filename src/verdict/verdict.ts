import { z } from 'zod';
import type { ProblemCode } from '../errors/error-codes.ts';

/**
 * Why a gate did not pass, distinguished so that each can say what to do. `passed` and `partial` are the kinds of
 * outputs that were judged to the end.
 */
export const VERDICT_KINDS = [
  'passed',
  'partial',
  'not-applicable',
  'missing',
  'malformed',
  'too-large',
  'schema',
  'result',
  'score',
  'check',
  'files',
  'workspace',
  'agent-error',
  'not-started',
  'timeout',
  'cancelled',
  'lost',
  'claimed',
  'no-secret',
  'contract',
] as const;

/** An error in an output, or a remark about it. */
export const issueSchema = z.object({
  severity: z.enum(['error', 'warning', 'notice']),
  message: z.string().max(4_096),
  /** JSON pointer into the output. */
  pointer: z.string().max(4_096).optional(),
  /** JSON pointer into the schema, or the text of the check. */
  rule: z.string().max(4_096).optional(),
});
export type Issue = z.infer<typeof issueSchema>;

/** The longest label in {@link Verdict.result}. */
export const MAX_LABEL_LENGTH = 200;

/** The longest {@link Verdict.message}. */
export const MAX_MESSAGE_LENGTH = 300;

/** Our judgement of one output. `score` is 0-100; `issues` holds at most {@link MAX_ISSUES}. */
export const verdictSchema = z.object({
  status: z.enum(['passed', 'partial', 'failed', 'not-applicable']),
  kind: z.enum(VERDICT_KINDS),
  score: z.number().min(0).max(100),
  issues: z.array(issueSchema).max(100),
  /** What to do, one sentence; empty when passed. */
  advice: z.string().max(2_048),
  /** The agent's own label for its result (`APPROVED`), if the contract says where it is. */
  result: z.string().max(MAX_LABEL_LENGTH).optional(),
  /** The agent's line about an output that passed, if the contract says where it is. */
  message: z.string().max(MAX_MESSAGE_LENGTH).optional(),
});
export type Verdict = z.infer<typeof verdictSchema>;
export type VerdictKind = Verdict['kind'];

/** More issues than this are only counted, in a final issue. */
export const MAX_ISSUES = 100;

/** Shorthand for a verdict of status `failed` and score 0. */
export function failed(kind: VerdictKind, advice: string, issues: Issue[] = []): Verdict {
  return { status: 'failed', kind, score: 0, issues: issues.slice(0, MAX_ISSUES), advice };
}

/** Why a verdict is `failed`, in one line: its kind, and the first issue or what to do. */
export function failureText({ kind, issues, advice }: Pick<Verdict, 'kind' | 'issues' | 'advice'>): string {
  return `${kind}: ${issues[0]?.message ?? advice}`;
}

/** One problem of a contract. Codes are stable, messages are for people. */
export interface ContractProblem {
  readonly code: ProblemCode;
  readonly message: string;
  /** JSON pointer into the contract. */
  readonly pointer: string;
  readonly hint?: string;
}
