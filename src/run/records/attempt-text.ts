import { actorOf } from './decisions.ts';
import { comparePositions, type EndedRecord, type Position, type Source, type StartedRecord } from './record.ts';

/**
 * How attempts are shown to people. A record numbers attempts from 1 in every call. On one machine that number is of
 * little use, so attempts are numbered throughout the run: claims, and outputs adopted without one. On GitHub the
 * numbers are GitHub's, and the run attempt is named unless it is the first.
 */
type Placed = Pick<StartedRecord | EndedRecord, 'runNumber' | 'runAttempt' | 'n' | 'by'>;

/** `run 3`; in a later run attempt on GitHub `run 3, run attempt 2`. */
export function runOnGithub({ runNumber, runAttempt }: Omit<Position, 'n'>): string {
  return runAttempt > 1 ? `run ${runNumber}, run attempt ${runAttempt}` : `run ${runNumber}`;
}

/** `run 3`; as {@link runOnGithub} if a job wrote the record. */
export function runText(at: Omit<Position, 'n'>, { by }: Pick<Placed, 'by'>): string {
  return by.runId === undefined ? `run ${at.runNumber}` : runOnGithub(at);
}

/**
 * Where a reused output came from: `run 3`, `run 3 of pr-7` if it is of another subject, or
 * `run 3, iteration 2 (adopted by maria: by hand)`.
 */
export function sourceText(source: Source, reuse: Pick<Placed, 'by'>): string {
  const adopter = adopterText(source, reuse);
  const adopted = adopter === undefined ? '' : ` (adopted by ${adopter})`;
  return runText(source, reuse) + ofSubject(source.subject) + iterationText(source) + adopted;
}

/** `, iteration 2`; '' if the work was never sent back. */
export function iterationText({ iteration }: Pick<Source, 'iteration'>): string {
  return iteration === undefined ? '' : `, iteration ${iteration}`;
}

/**
 * The person who adopted or kept an output, and the reason: `maria: by hand`. Any job of a CI run can write it in
 * anyone's name.
 */
export function adopterText(
  source: Pick<Source, 'adopted'> | undefined,
  { by }: Pick<Placed, 'by'>,
): string | undefined {
  if (source?.adopted === undefined) return undefined;
  const { actor, reason } = source.adopted;
  return `${actorOf({ actor, ...(by.runId !== undefined && { unverified: true }) })}: ${reason}`;
}

/** ` of pr-7`; '' without a subject. */
export function ofSubject(subject: string | undefined): string {
  if (subject === undefined) return '';
  return ` of ${subject.length > SUBJECT_SHOWN ? `${subject.slice(0, SUBJECT_SHOWN - 1)}…` : subject}`;
}

const SUBJECT_SHOWN = 100;

/** The records that attempts of a unit are numbered by, in order: claims, and outputs that were adopted without one. */
export function numberedAmong(
  started: readonly StartedRecord[],
  ended: readonly EndedRecord[],
): readonly (StartedRecord | EndedRecord)[] {
  const isClaimed = (at: Position): boolean => started.some((claim) => comparePositions(claim, at) === 0);
  const adopted = ended.filter((one) => one.how === 'adopted' && !isClaimed(one));
  return adopted.length === 0 ? started : [...started, ...adopted].toSorted(comparePositions);
}

/**
 * `attempt 2`, within its run; in a later run attempt on GitHub `attempt 1 of run attempt 2`.
 * @param numbered what {@link numberedAmong} returns for the gate's records, of this and of other runs
 */
export function attemptInRun(at: Placed, numbered: readonly Position[]): string {
  if (at.by.runId === undefined) return `attempt ${numberInRun(at, numbered)}`;
  return at.runAttempt > 1 ? `attempt ${at.n} of run attempt ${at.runAttempt}` : `attempt ${at.n}`;
}

/**
 * `attempt 2 (run 1)`; in a later run attempt on GitHub `attempt 1 (run 1, run attempt 2)`.
 * @param subject only of another subject: `attempt 2 (run 1 of pr-7)`
 */
export function attemptText(at: Placed, numbered: readonly Position[], subject?: string): string {
  const number = at.by.runId === undefined ? numberInRun(at, numbered) : at.n;
  return `attempt ${number} (${runText(at, at)}${ofSubject(subject)})`;
}

/**
 * The number of an attempt among all attempts of its run; at least its number in its call, if claims could not be read.
 */
function numberInRun(at: Position, numbered: readonly Position[]): number {
  const before = numbered.filter((one) => one.runNumber === at.runNumber && comparePositions(one, at) < 0);
  return Math.max(at.n, 1 + before.length);
}
