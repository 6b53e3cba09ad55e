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

/**
 * The owner of a comment, by the marker in its body. `foreign`: the marker of another pipeline or subject; `undefined`:
 * no marker.
 */
export type ParseRevision = (body: string) => CommentRevision | 'foreign' | undefined;

/** Reads the marker of this pipeline's and subject's comments. */
export function revisionParser(pipeline: string, subject: string): ParseRevision {
  const ours = commentHash(pipeline, subject);
  return (body) => {
    const mark = parseCommentRevision(body);
    return mark === undefined || mark.hash === ours ? mark : 'foreign';
  };
}

/** The action for the current comments. */
export type CommentStep =
  | { readonly do: 'create' }
  /** `over`: the current revision. */
  | { readonly do: 'update'; readonly id: number; readonly over: CommentRevision }
  /** `newer`: a newer picture was written. `same`: there is nothing to add. */
  | { readonly do: 'keep'; readonly id: number; readonly because: 'newer' | 'same' };

/** A step, and the duplicates of the comment in use. */
export interface CommentChoice {
  readonly step: CommentStep;
  /** Ids of further comments of this pipeline and subject. */
  readonly duplicates: readonly number[];
}

/** Whether two pictures show the same attempt of the same run. */
export function isOfOneAttempt(a: CommentRevision, b: CommentRevision): boolean {
  return a.runNumber === b.runNumber && a.runAttempt === b.runAttempt;
}

/**
 * Chooses one step for the current comments: the marked comment with the lowest id is used, all others are duplicates.
 * It is updated by a newer picture or, if this caller has not written yet, by a different one of the same revision.
 * @param written the comment that this caller wrote last
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
  // A caller that has written does not replace a picture of the same records: two that differ only in the time of day
  // would alternate forever.
  const isSame = order === 0 && (written !== undefined || isText(standing.body, picture.body));
  return { step: isSame ? { do: 'keep', id, because: 'same' } : { do: 'update', id, over: revision }, duplicates };
}

/** GitHub may return a body with different line endings, and without trailing ones. */
function isText(a: string, b: string): boolean {
  const plain = (text: string) => text.replaceAll('\r\n', '\n').trimEnd();
  return plain(a) === plain(b);
}
