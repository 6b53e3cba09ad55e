/** A comment that this token's account wrote. */
export interface OwnComment {
  readonly id: number;
  readonly body: string;
}

/** What {@link CommentService.list} came to. */
export interface OwnComments {
  /** Lowest id first. Nobody else's are among them, whatever marker they carry. */
  readonly comments: readonly OwnComment[];
  /** False where there are more comments than were read: one that is not among these may exist. */
  readonly complete: boolean;
}

/**
 * The comments of one pull request, as far as they are ours. Methods throw {@link GatelineError}: for the REST API, those
 * of `RestClient`.
 */
export interface CommentService {
  list(): Promise<OwnComments>;
  /** Never sent twice: after an `REST_OUTAGE` it may have been made. */
  create(body: string): Promise<OwnComment>;
  /** The comment as it stands then. Never sent twice. `REST_NOT_FOUND`: deleted, or not permitted. */
  update(id: number, body: string): Promise<OwnComment>;
  /** One that is gone already counts as removed. */
  remove(id: number): Promise<void>;
  /** The same comments; everything asked of it together ends so many milliseconds from now. */
  within(milliseconds: number): CommentService;
}
