import { readFile } from 'node:fs/promises';
import type { Order } from '../../engine/ports.ts';
import { GatelineError, messageOf } from '../../errors.ts';
import { didYouMean } from '../../json/did-you-mean.ts';
import { parseSet, type SetSubject, type SubjectSet } from '../../pipeline/set.ts';
import { DefinitionError } from '../project/load-definition.ts';

/** Creates the order of a subject. @param task of the subject, or the fix task that repairs it */
export type OrderOf = (subject: SetSubject, task: string | undefined) => Order;

/** Reads a set. @param path absolute @throws DefinitionError with every problem */
export async function readSet(path: string): Promise<SubjectSet> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new GatelineError('usage', `${path} cannot be read: ${messageOf(cause)}`, { cause });
  });
  const parsed = parseSet(text, path);
  if (parsed.ok) return parsed.set;
  throw new DefinitionError(parsed.problems);
}

/** @param what the word for a subject in the message @throws GatelineError `usage` suggesting the id that was meant */
export function requireSubjects(
  { subjects }: SubjectSet,
  names: readonly string[] = [],
  what: 'subject' | 'task',
): void {
  const ids = subjects.map(({ id }) => id);
  for (const name of names)
    if (!ids.includes(name))
      throw new GatelineError('usage', `the set has no ${what} ${name}`, { hint: didYouMean(name, ids) });
}
