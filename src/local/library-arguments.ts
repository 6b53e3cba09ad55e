import type { z } from 'zod';
import { GatelineError } from '../errors/gateline-error.ts';
import { firstProblems } from '../formats/read-state-file.ts';
import { pointerOf } from '../json/pointer.ts';
import { problemText } from '../pipeline/problem-text.ts';
import * as shapes from './library-shapes.ts';

/** Checks what the functions take first that start gates. @throws GatelineError `LIBRARY_ARGUMENT_REFUSED` */
export function requireWork(called: string, given: { readonly ports: unknown; readonly assignment: unknown }): void {
  requireBasics(called, given);
  checked(called, 'assignment', shapes.workShape, given.assignment);
}

/** Checks what every function takes first. @throws GatelineError `LIBRARY_ARGUMENT_REFUSED` */
export function requireBasics(called: string, given: { readonly ports: unknown; readonly assignment: unknown }): void {
  checked(called, 'ports', shapes.portsShape, given.ports);
  checked(called, 'assignment', shapes.assignmentShape, given.assignment);
}

/**
 * An argument, as its shape reads it. Programs in JavaScript may give anything.
 * @param called the function, for the error
 * @throws GatelineError `LIBRARY_ARGUMENT_REFUSED`
 */
export function checked<T>(called: string, name: string, shape: z.ZodType, value: T): T {
  const parsed = shape.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data as T;
  const problems = parsed.error.issues.map((issue) => `${name}${pointerOf(issue.path)}: ${problemText(issue)}`);
  const { path } = parsed.error.issues[0]!;
  throw new GatelineError('LIBRARY_ARGUMENT_REFUSED', `${called}: ${firstProblems(problems)}`.slice(0, 4_096), {
    place: { file: name, pointer: pointerOf(path) },
    cause: parsed.error,
  });
}
