import { GatelineError } from '../../errors/gateline-error.ts';
import { systemClock, type Clock } from '../../github/clock.ts';
import { TimeLimitError, underLimit } from '../../github/time-limit.ts';
import { chooseStep, isOfOneAttempt, type CommentChoice, type ParseRevision, type Picture } from './comment-step.ts';
import type { CommentService, OwnComment } from './comment-service.ts';

/** The content of the comment. */
export interface CommentContent {
  /** Reads the records again, and draws them. */
  render(): Promise<Picture>;
  readonly parseRevision: ParseRevision;
}

/** All options have defaults. */
export interface SyncOptions {
  /** Milliseconds for the whole update; default 30,000. */
  readonly budgetMs?: number;
  /** Maximum number of times the comments are read; default 20. */
  readonly rounds?: number;
  /**
   * The longest pause, in milliseconds, before the first comment is created; default 0. If many jobs end at once, each
   * duplicate comment sends an email to all participants: with a few seconds there is hardly ever one.
   */
  readonly spreadMs?: number;
  /**
   * The pause, in milliseconds, before a last check if another run's picture was replaced; default 2,000. A job of that
   * run that had read the comment before may overwrite ours with its older picture, and cannot draw ours.
   */
  readonly lateLookMs?: number;
  readonly clock?: Clock;
  /** Random numbers from 0 to below 1, for the lengths of pauses. Default `Math.random`; see `seededRandom`. */
  readonly random?: () => number;
}

/**
 * The reason for the result. `written`: written, and verified by reading it again. `same`, `newer`: it already shows
 * this, or more. `unsettled`: written, but others kept writing, or it could not be read. The rest are failures.
 */
export type SyncReason =
  | 'written'
  | 'same'
  | 'newer'
  | 'unsettled'
  | 'denied'
  | 'rate-limited'
  | 'outage'
  | 'refused'
  | 'too-long'
  | 'too-many-comments'
  | 'no-picture'
  | 'failed';

/** The result of updating the comment. */
export interface SyncResult {
  /** `kept`: the comment is already right. `skipped`: nothing was written, and the comment may be out of date. */
  readonly choice: 'created' | 'updated' | 'kept' | 'skipped';
  readonly reason: SyncReason;
  readonly commentId?: number;
  /** For people, one sentence each. They contain texts of the service: escape them for their destination. */
  readonly notices: readonly string[];
}

/** Maximum number of characters in a comment. */
export const LONGEST_COMMENT = 65_536;

/** The pause after a round that did not settle grows from this, in milliseconds, to {@link LONGEST_PAUSE_MS}. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 3_000;

/** Maximum number of writes without an answer. */
const MOST_LOST = 4;

/**
 * Updates the one comment of a pipeline and subject while other jobs do the same. GitHub has no compare-and-swap, so
 * the caller reads the comment, writes only a newer picture, then draws the records again and reads again, until there
 * is nothing to do. So the last writer sees what it overwrote, and repairs it; a job that adds a record later sees a
 * picture without it, and writes. A writer that replaced another run's picture, whose jobs cannot repair ours, checks
 * again later.
 *
 * Never throws, and ends in time: a failed comment does not fail a gate. Requests of a single job: 2 if the comment is
 * right (1 to identify the account, 1 listing), 4 to create it or to update that of this run, 5 to update that of an
 * earlier one.
 */
export async function syncComment(
  comments: CommentService,
  content: CommentContent,
  options: SyncOptions = {},
): Promise<SyncResult> {
  const budget = options.budgetMs ?? 30_000;
  const sync = new CommentSync(comments.within(budget), content, options);
  try {
    return await underLimit(budget, undefined, (signal) => sync.settle(signal));
  } catch (error) {
    return sync.failed(error);
  }
}

/** A step that writes. */
type Writing = Exclude<CommentChoice['step'], { do: 'keep' }>;

class CommentSync {
  readonly #comments: CommentService;
  readonly #content: CommentContent;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #rounds: number;
  readonly #lateLookMs: number;
  readonly #notices: string[] = [];
  /** The comment that we created, unless it was a duplicate. */
  #made: number | undefined;
  #updated = false;
  /** The last comment that we wrote. */
  #written: OwnComment | undefined;
  /** Our last comment has not been read again yet. */
  #isUnseen = false;
  /** Our last comment replaced another run's picture and must be checked later. */
  #isLateLookDue = false;
  /** The comment that an update did not find. */
  #missing: number | undefined;
  /** Duplicates of an earlier round. */
  #seen: readonly number[] = [];
  #mayRemove = true;
  /** Number of writes without an answer. */
  #lost = 0;
  #pauses = 0;
  /** Used for one pause only. */
  #spreadMs: number;

  constructor(comments: CommentService, content: CommentContent, options: SyncOptions) {
    this.#comments = comments;
    this.#content = content;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#rounds = options.rounds ?? 20;
    this.#lateLookMs = options.lateLookMs ?? 2_000;
    this.#spreadMs = options.spreadMs ?? 0;
  }

  /** Repeats rounds until one finds nothing to do. */
  async settle(signal: AbortSignal): Promise<SyncResult> {
    for (let round = 1; round <= this.#rounds; round += 1) {
      const result = await this.#round(signal);
      if (result !== undefined) return result;
    }
    return this.#failure('unsettled', 'Other jobs kept updating the comment, so it may be out of date.');
  }

  async #round(signal: AbortSignal): Promise<SyncResult | undefined> {
    const picture = await this.#draw();
    if (picture.body.length > LONGEST_COMMENT) {
      const size = picture.body.length.toLocaleString('en');
      return this.#failure('too-long', `The comment would have ${size} characters, more than GitHub accepts.`);
    }
    const { comments, complete } = await this.#comments.list();
    const choice = chooseStep(comments, picture, this.#content.parseRevision, this.#written);
    if (choice.step.do === 'create' && !complete) {
      return this.#failure('too-many-comments', "The pull request has too many comments to find Gateline's.");
    }
    signal.throwIfAborted();
    const isTidy = await this.#removeDuplicates(choice);
    if (choice.step.do === 'keep') {
      if (isTidy && !this.#isLateLookDue) return this.#settled(choice.step.id, choice.step.because);
      await this.#pause(signal);
    } else if (this.#mustWait(choice.step.do)) {
      await this.#pause(signal);
    } else {
      await this.#write(choice.step, picture, signal);
    }
    return undefined;
  }

  async #draw(): Promise<Picture> {
    try {
      return await this.#content.render();
    } catch (error) {
      throw new NoPictureError(error instanceof Error ? error.message : 'no reason given', { cause: error });
    }
  }

  /**
   * Returns whether none is left. Duplicates that others have just created are theirs to remove; if one still exists in
   * the next round, its creator has ended.
   */
  async #removeDuplicates({ duplicates }: CommentChoice): Promise<boolean> {
    if (!this.#mayRemove) return true;
    const ours = duplicates.filter((id) => id === this.#made || this.#seen.includes(id));
    this.#seen = duplicates;
    for (const id of ours) {
      try {
        await this.#comments.remove(id);
        if (id === this.#made) this.#made = undefined;
      } catch (error) {
        if (!isCode(error, 'REST_DENIED')) throw error;
        this.#mayRemove = false;
        this.#notices.push(
          `A duplicate comment was not deleted, because the token has no permission: ${error.message}`,
        );
        return true;
      }
    }
    return ours.length === duplicates.length;
  }

  /**
   * A first comment waits, in case another job creates it. A job that was overwritten at once waits too, since another
   * job may repair the comment.
   */
  #mustWait(work: 'create' | 'update'): boolean {
    const mustWait = this.#isUnseen || (work === 'create' && this.#spreadMs > 0);
    this.#isUnseen = false;
    return mustWait;
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#pauses);
    const pause = Math.max(longest, this.#spreadMs) * this.#random();
    await this.#clock.sleep(this.#isLateLookDue ? this.#lateLookMs + pause : pause, signal);
    this.#pauses += 1;
    this.#spreadMs = 0;
    this.#isLateLookDue = false;
    signal.throwIfAborted();
  }

  async #write(step: Writing, { body, revision }: Picture, signal: AbortSignal): Promise<void> {
    this.#isLateLookDue = step.do === 'update' && this.#lateLookMs > 0 && !isOfOneAttempt(step.over, revision);
    try {
      if (step.do === 'create') {
        this.#written = await this.#comments.create(body);
        this.#made = this.#written.id;
      } else {
        this.#written = await this.#comments.update(step.id, body);
        this.#updated = true;
      }
      this.#isUnseen = true;
    } catch (error) {
      if (!isCode(error, ...LOST_ANSWERS) && !this.#isDeleted(step, error)) throw error;
      // It may have been carried out: the next round shows.
      this.#lost += 1;
      if (this.#lost === MOST_LOST) throw error;
      await this.#pause(signal);
    }
  }

  /**
   * An update that found nothing: the comment was deleted since it was read. If the next round finds it again, the
   * update was not permitted.
   */
  #isDeleted(step: Writing, error: unknown): boolean {
    if (step.do !== 'update' || !isCode(error, 'REST_NOT_FOUND') || this.#missing === step.id) return false;
    this.#missing = step.id;
    return true;
  }

  #settled(commentId: number, because: 'newer' | 'same'): SyncResult {
    const choice = commentId === this.#made ? 'created' : this.#updated ? 'updated' : 'kept';
    const reason = because === 'same' && choice !== 'kept' ? 'written' : because;
    return { choice, reason, commentId, notices: this.#notices };
  }

  /** The result of an error. */
  failed(error: unknown): SyncResult {
    const reason = reasonOf(error);
    const about = reason === 'no-picture' ? 'could not be drawn' : 'could not be written';
    const hint = error instanceof GatelineError ? ` ${error.hint}` : '';
    const why = (error instanceof Error ? error.message : 'no reason given').replace(/\.$/, '');
    return this.#failure(reason, `The comment on the pull request ${about}: ${why}.${hint}`);
  }

  #failure(reason: SyncReason, notice: string): SyncResult {
    const notices = [...this.#notices, notice];
    const commentId = this.#made ?? (this.#updated ? this.#written?.id : undefined);
    if (commentId === undefined) return { choice: 'skipped', reason, notices };
    return { choice: this.#made === undefined ? 'updated' : 'created', reason: 'unsettled', commentId, notices };
  }
}

/** The records could not be read or drawn. */
class NoPictureError extends Error {
  override readonly name = 'NoPictureError';
}

/** After these, a write may have been carried out. */
const LOST_ANSWERS = ['REST_OUTAGE', 'REST_ANSWER_INVALID'];

const REASONS: Readonly<Record<string, SyncReason>> = {
  REST_DENIED: 'denied',
  REST_NOT_FOUND: 'denied',
  REST_RATE_LIMITED: 'rate-limited',
  REST_REFUSED: 'refused',
};

function reasonOf(error: unknown): SyncReason {
  if (error instanceof NoPictureError) return 'no-picture';
  if (error instanceof TimeLimitError) return 'outage';
  return error instanceof GatelineError ? (REASONS[error.code] ?? 'outage') : 'failed';
}

function isCode(error: unknown, ...codes: readonly string[]): error is GatelineError {
  return error instanceof GatelineError && codes.includes(error.code);
}
