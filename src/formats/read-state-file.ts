import type { z } from 'zod';
import { GatelineError } from '../errors/gateline-error.ts';
import { problemText } from '../pipeline/problem-text.ts';
import { pointerOf } from '../json/pointer.ts';

/** The source of a value, for messages. */
export interface ReadFrom {
  /** Path of the file. */
  readonly file?: string;
  /** Removes secrets from what is said about it. Default: nothing is removed. */
  readonly redact?: (text: string) => string;
}

/** Further problems of a file are only counted. */
const SHOWN = 10;

/** The problems of a file, for one message. */
export function firstProblems(problems: readonly string[]): string {
  const more = problems.length > SHOWN ? [`and ${problems.length - SHOWN} more`] : [];
  return [...problems.slice(0, SHOWN), ...more].join('; ');
}

/** Each problem of a value, with its JSON pointer. The value was parsed with `reportInput`. */
export function issueLines({ issues }: z.ZodError): string[] {
  return issues.map(
    (issue) => `${issue.path.length === 0 ? 'the value' : pointerOf(issue.path)}: ${problemText(issue)}`,
  );
}

/**
 * Reads a value as one of the guide's files.
 * @throws GatelineError `STATE_FILE_INVALID` with the JSON pointer of each problem
 */
export function readStateFile<T>(schema: z.ZodType<T>, value: unknown, what: string, from: ReadFrom): T {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const { file, redact = (text: string) => text } = from;
  const problems = redact(firstProblems(issueLines(parsed.error)));
  throw new GatelineError('STATE_FILE_INVALID', `${file ?? 'This'} is not ${what}: ${problems}`.slice(0, 4_096), {
    hint: 'docs/reference/state-files.md shows what such a file holds.',
    ...(file !== undefined && { place: { file, pointer: pointerOf(issues[0]?.path ?? []) } }),
  });
}
