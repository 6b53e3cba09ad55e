/** A comment that this token's account wrote. */
export interface OwnComment {
  readonly id: number;
  readonly body: string;
}

/** The result of {@link CommentService.list}. */
export interface OwnComments {
  /** Lowest id first. Excludes comments of other accounts, whatever their marker. */
  readonly comments: readonly OwnComment[];
  /** False if there are more comments than were read: another one of ours may exist. */
  readonly complete: boolean;
}

/** Our comments on one pull request. Methods throw {@link GatelineError}: for the REST API, those of `RestClient`. */
export interface CommentService {
  list(): Promise<OwnComments>;
  /** Never sent twice: after a `REST_OUTAGE` the comment may have been created. */
  create(body: string): Promise<OwnComment>;
  /** Returns the updated comment. Never sent twice. `REST_NOT_FOUND`: deleted, or not permitted. */
  update(id: number, body: string): Promise<OwnComment>;
  /** A comment that no longer exists is treated as removed. */
  remove(id: number): Promise<void>;
  /** The same comments; all requests together end within this time. */
  within(milliseconds: number): CommentService;
}
