import { GatelineError } from '../../errors/gateline-error.ts';
import type { Pipeline } from '../pipeline.ts';
import { chosenOf, type SubjectGraph } from './subject-set.ts';

/** How many waves of subjects `set.yml` has jobs for. */
export const MAX_SUBJECT_WAVES = 8;

/** How many subjects a wave can have: legs of a matrix. GitHub allows 256; each is a run of all gates. */
export const SUBJECT_WAVE_WIDTH = 64;

/**
 * The chosen subjects in waves: each is in a later wave than those that it needs.
 * @throws GatelineError `SET_UNSUPPORTED` if `set.yml` cannot run them: there are too many
 */
export function subjectWaves(
  subjects: SubjectGraph,
  only: ReadonlySet<string> | undefined,
): readonly (readonly string[])[] {
  const chosen = chosenOf(subjects, only);
  const levels = new Map<string, number>();
  for (const id of chosen)
    levels.set(id, 1 + Math.max(-1, ...subjects.get(id)!.needs.map((need) => levels.get(need) ?? -1)));
  const byLevel = [...Map.groupBy(chosen, (id) => levels.get(id)!)].toSorted(([a], [b]) => a - b);
  const waves = byLevel.flatMap(([, ids]) => chunks(ids));
  if (waves.length <= MAX_SUBJECT_WAVES) return waves;
  const message = `the subjects are ${waves.length} waves, and there are jobs for ${MAX_SUBJECT_WAVES} of at most ${SUBJECT_WAVE_WIDTH}`;
  throw new GatelineError('SET_UNSUPPORTED', message, { hint: 'Choose some of them with `only-set`.' });
}

/** Whether a subject can find files that others handed on. */
export function handsOnFiles({ gates }: Pick<Pipeline, 'gates'>): boolean {
  return gates.some(({ files }) => files === 'changed' || files.length > 0);
}

function chunks(ids: readonly string[]): string[][] {
  const number = Math.ceil(ids.length / SUBJECT_WAVE_WIDTH);
  return Array.from({ length: number }, (_, at) => ids.slice(at * SUBJECT_WAVE_WIDTH, (at + 1) * SUBJECT_WAVE_WIDTH));
}
