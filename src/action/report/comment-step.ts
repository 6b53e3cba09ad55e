import {
  commentHash,
  compareRevisions,
  parseCommentRevision,
  type CommentRevision,
} from '../../report/github/comment-marker.ts';
import type { OwnComment } from './comment-service.ts';

/** The comment as it should be. */
export interface Picture {
  readonly body: string;
  readonly revision: CommentRevision;
}

/** How a body tells what it is. `foreign`: the marker of another pipeline or subject; `undefined`: no marker. */
export type ParseRevision = (body: string) => CommentRevision | 'foreign' | undefined;

/** Reads the marker that comments of this pipeline and subject carry. */
export function revisionParser(pipeline: string, subject: string): ParseRevision {
  const ours = commentHash(pipeline, subject);
  return (body) => {
    const mark = parseCommentRevision(body);
    return mark === undefined || mark.hash === ours ? mark : 'foreign';
  };
}

/** What is to be done with what stands. */
export type CommentStep =
  | { readonly do: 'create' }
  /** `over`: the revision that stands. */
  | { readonly do: 'update'; readonly id: number; readonly over: CommentRevision }
  /** `newer`: somebody who knew more was here. `same`: nobody could add anything. */
  | { readonly do: 'keep'; readonly id: number; readonly because: 'newer' | 'same' };

/** A step, and the comments beside the one that counts. */
export interface CommentChoice {
  readonly step: CommentStep;
  /** Ids of further comments of this pipeline and subject. */
  readonly duplicates: readonly number[];
}

/** Whether two pictures are of the same attempt of the same run. */
export function isOfOneAttempt(a: CommentRevision, b: CommentRevision): boolean {
  return a.runNumber === b.runNumber && a.runAttempt === b.runAttempt;
}

/**
 * One look at what stands: the marked comment with the lowest id counts, all others are duplicates. It is updated by a newer
 * picture, and by another one of the same revision where `written`, the comment that this caller wrote last, does not stand.
 */
export function chooseStep(
  own: readonly OwnComment[],
  picture: Picture,
  parseRevision: ParseRevision,
  written?: OwnComment,
): CommentChoice {
  const marked = own
    .flatMap((comment) => {
      const revision = parseRevision(comment.body);
      return typeof revision === 'object' ? [{ ...comment, revision }] : [];
    })
    .toSorted((a, b) => a.id - b.id);
  const [standing, ...others] = marked;
  const duplicates = others.map(({ id }) => id);
  if (standing === undefined) return { step: { do: 'create' }, duplicates };
  const { id, revision } = standing;
  const order = compareRevisions(revision, picture.revision);
  if (order > 0) return { step: { do: 'keep', id, because: 'newer' }, duplicates };
  // One who has written does not answer back to a picture of the same records: two that differ in
  // nothing but the time of day would take turns for ever.
  const isSame = order === 0 && (written !== undefined || isText(standing.body, picture.body));
  return { step: isSame ? { do: 'keep', id, because: 'same' } : { do: 'update', id, over: revision }, duplicates };
}

/** GitHub may give a body back with other line ends, and without the last ones. */
function isText(a: string, b: string): boolean {
  const plain = (text: string) => text.replaceAll('\r\n', '\n').trimEnd();
  return plain(a) === plain(b);
}
