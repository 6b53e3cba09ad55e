import { GatelineError } from '../../errors/gateline-error.ts';
import { didYouMean } from '../problem.ts';
import type { SubjectGraph } from './subject-set.ts';

/** The subjects that belong to a set of this name. @throws GatelineError `SET_UNKNOWN` if none does */
export function subjectsOfSet(subjects: SubjectGraph, name: string): Set<string> {
  const chosen = [...subjects.values()].filter(({ set }) => set === name).map(({ id }) => id);
  if (chosen.length > 0) return new Set(chosen);
  const names = [...new Set([...subjects.values()].flatMap(({ set }) => set ?? []))];
  const known = names.length === 0 ? 'No subject belongs to one.' : `Sets: ${names.slice(0, 20).join(', ')}.`;
  const meant = didYouMean(name, names);
  const message = `no subject belongs to the set ${name}${meant === undefined ? '' : `; ${meant}`}`;
  throw new GatelineError('SET_UNKNOWN', message, { hint: known });
}
