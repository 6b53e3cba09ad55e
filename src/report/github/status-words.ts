import { codeCell } from '../markdown/markdown.ts';
import { iconOf } from '../wording.ts';
import { adopterText, iterationText, ofSubject, runOnGithub } from '../../run/records/attempt-text.ts';
import type { Position, Source } from '../../run/records/record.ts';
import type { UnitState, UnitStatus } from '../../run/state/run-state.ts';

/**
 * A status with its icon: `✅ passed`. The word alone is sufficient, and the two are never separated by a line break.
 */
export function statusText(status: UnitStatus | undefined): string {
  return status === undefined ? '' : `${iconOf(status)}\u00a0${status}`;
}

/** Whether it needs no attention: it passed, or its condition is false. */
export function isWell(status: UnitStatus): boolean {
  return status === 'passed' || status === 'not-applicable';
}

/** Why a unit has its status, as untrusted text: the run state's reason, in GitHub's words for a reused output. */
export function reasonText({ reused, decided, ended, reason }: UnitState): string {
  const source = reused && decided === undefined ? ended?.source : undefined;
  if (source === undefined || ended === undefined) return reason;
  const adopter = adopterText(source, ended);
  const adopted = adopter === undefined ? '' : ` (adopted by ${adopter})`;
  return `output reused from ${placeText(source)}${ofSubject(source.subject)}${iterationText(source)}${adopted}`;
}

/** An attempt, in GitHub's words: `attempt 1 (run 3, run attempt 2)`. */
export function placeText(at: Position): string {
  return `attempt ${at.n} (${runOnGithub(at)})`;
}

/** {@link placeText} of a reused output as Markdown, with its subject if that is another one, and its iteration. */
export function originText(source: Position & Pick<Source, 'subject' | 'iteration'>): string {
  const subject = source.subject === undefined ? '' : ` of ${codeCell(source.subject, 200)}`;
  return placeText(source) + subject + iterationText(source);
}
