import { digestOfJson } from '../../json/canonical-json.ts';
import { hexOf } from '../../json/digest.ts';

/** Which picture of a run a comment shows. An older one never replaces a newer one. */
export interface CommentRevision {
  readonly runNumber: number;
  readonly runAttempt: number;
  /** How many records were known. */
  readonly records: number;
}

/** The hidden mark of a comment: whose it is, and which picture it shows. */
export interface CommentMark extends CommentRevision {
  /** 16 hex digits of pipeline and subject, as {@link commentMarker} has them. */
  readonly hash: string;
}

const NAME = 'gateline-comment/1';
const MARK = /^<!-- gateline-comment\/1 ([0-9a-f]{16}) (\d{1,10})\.(\d{1,10})\.(\d{1,10}) -->(?=\r?\n|$)/;

/** What the comment of a pipeline and subject begins with, before its revision. */
export function commentMarker(pipeline: string, subject: string): string {
  return `<!-- ${NAME} ${commentHash(pipeline, subject)} `;
}

/** 16 hex digits that stand for a pipeline and a subject. */
export function commentHash(pipeline: string, subject: string): string {
  return hexOf(digestOfJson([pipeline, subject])).slice(0, 16);
}

/** The first line of a comment: an HTML comment, which GitHub does not show. */
export function markerLine(pipeline: string, subject: string, revision: CommentRevision): string {
  const { runNumber, runAttempt, records } = revision;
  return `${commentMarker(pipeline, subject)}${runNumber}.${runAttempt}.${records} -->`;
}

/**
 * The mark of a comment, which is its whole first line and nowhere else; `undefined` for any other comment. Everything that an
 * agent says stands after that line, and `<!--` of it is never left as it is. Anybody may write such a comment: look at its author too.
 */
export function parseCommentRevision(body: string): CommentMark | undefined {
  const [, hash, runNumber, runAttempt, records] = MARK.exec(body) ?? [];
  if (hash === undefined) return undefined;
  return { hash, runNumber: Number(runNumber), runAttempt: Number(runAttempt), records: Number(records) };
}

/** Negative when `a` is the older picture, 0 when both are the same. */
export function compareRevisions(a: CommentRevision, b: CommentRevision): number {
  return a.runNumber - b.runNumber || a.runAttempt - b.runAttempt || a.records - b.records;
}
