import type { CommentContent } from '../../../src/action/report/sync-comment.ts';
import { revisionParser, type ParseRevision, type Picture } from '../../../src/action/report/comment-step.ts';
import { markerLine, type CommentRevision } from '../../../src/report/github/comment-marker.ts';

const PIPELINE = 'tests';
const SUBJECT = 'pr-7';

export const parseRevision: ParseRevision = revisionParser(PIPELINE, SUBJECT);

export function pictureOf(revision: CommentRevision, text: string, pipeline = PIPELINE): Picture {
  return { body: `${markerLine(pipeline, SUBJECT, revision)}\n${text}`, revision };
}

/** The picture of what is in a list of records of one run. */
export function pictureOfRecords(records: readonly string[], runNumber = 1): Picture {
  return pictureOf({ runNumber, runAttempt: 1, records: records.length }, records.toSorted().join(' '));
}

/** Content that is drawn from a list of records anew each time. */
export function contentOf(records: readonly string[], runNumber?: number): CommentContent {
  return { render: async () => pictureOfRecords(records, runNumber), parseRevision };
}
