import { digestOfJson } from '../../json/canonical-json.ts';
import { hexOf } from '../../json/digest.ts';

/** Which picture of a run a comment shows. An older picture never replaces a newer one. */
export interface CommentRevision {
  readonly runNumber: number;
  readonly runAttempt: number;
  /** Number of known records. */
  readonly records: number;
}

/** The hidden mark of a comment: its pipeline and subject, and which picture it shows. */
export interface CommentMark extends CommentRevision {
  /** 16 hex digits of pipeline and subject, as in {@link commentMarker}. */
  readonly hash: string;
}

const NAME = 'gateline-comment/1';
const MARK = /^<!-- gateline-comment\/1 ([0-9a-f]{16}) (\d{1,10})\.(\d{1,10})\.(\d{1,10}) -->(?=\r?\n|$)/;

/** The beginning of a comment of a pipeline and subject, before its revision. */
export function commentMarker(pipeline: string, subject: string): string {
  return `<!-- ${NAME} ${commentHash(pipeline, subject)} `;
}

/** 16 hex digits that identify a pipeline and a subject. */
export function commentHash(pipeline: string, subject: string): string {
  return hexOf(digestOfJson([pipeline, subject])).slice(0, 16);
}

/** The first line of a comment: an HTML comment, which GitHub hides. */
export function markerLine(pipeline: string, subject: string, revision: CommentRevision): string {
  const { runNumber, runAttempt, records } = revision;
  return `${commentMarker(pipeline, subject)}${runNumber}.${runAttempt}.${records} -->`;
}

/**
 * Parses the mark of a comment, which must be its complete first line; `undefined` for any other comment. Text of
 * agents is always after that line, and `<!--` in it is escaped. Any account may write such a comment: check its author
 * too.
 */
export function parseCommentRevision(body: string): CommentMark | undefined {
  const [, hash, runNumber, runAttempt, records] = MARK.exec(body) ?? [];
  if (hash === undefined) return undefined;
  return { hash, runNumber: Number(runNumber), runAttempt: Number(runAttempt), records: Number(records) };
}

/** Negative if `a` is the older picture, 0 if both are the same. */
export function compareRevisions(a: CommentRevision, b: CommentRevision): number {
  return a.runNumber - b.runNumber || a.runAttempt - b.runAttempt || a.records - b.records;
}
