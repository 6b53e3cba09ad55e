import { GatelineError } from '../../errors/gateline-error.ts';
import { systemClock, type Clock } from '../../github/clock.ts';
import { TimeLimitError, underLimit } from '../../github/time-limit.ts';
import { chooseStep, isOfOneAttempt, type CommentChoice, type ParseRevision, type Picture } from './comment-step.ts';
import type { CommentService, OwnComment } from './comment-service.ts';

/** What the comment shows. */
export interface CommentContent {
  /** Reads the records anew, and draws them. */
  render(): Promise<Picture>;
  readonly parseRevision: ParseRevision;
}

/** Everything has a default. */
export interface SyncOptions {
  /** Milliseconds for the whole; default 30,000. */
  readonly budgetMs?: number;
  /** Looks at what stands; default 20. */
  readonly rounds?: number;
  /**
   * The longest pause, in milliseconds, before a first comment is made; default 0. Where many jobs end at once, each
   * comment made too many is a mail to everybody: with a few seconds there is hardly ever one.
   */
  readonly spreadMs?: number;
  /**
   * The pause, in milliseconds, before a last look where another run's picture was replaced; default 2,000. A job of that
   * run that had looked before may write its older picture over ours, and cannot draw ours.
   */
  readonly lateLookMs?: number;
  readonly clock?: Clock;
  /** Numbers from 0 to below 1: the lengths of pauses. Default `Math.random`; see `seededRandom`. */
  readonly random?: () => number;
}

/**
 * Why it came to that. `written`: it is right, and was looked at afterwards. `same`, `newer`: what stands already shows this, or
 * more. `unsettled`: written, but others kept writing, or nobody could look. The rest are failures.
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

/** What happened to the comment. */
export interface SyncResult {
  /** `kept`: what stands is right without us. `skipped`: nothing was written, and what stands may be out of date. */
  readonly choice: 'created' | 'updated' | 'kept' | 'skipped';
  readonly reason: SyncReason;
  readonly commentId?: number;
  /** For people, one sentence each. Texts of the service are in them: escape them for where they go. */
  readonly notices: readonly string[];
}

/** Most characters of a comment. */
export const LONGEST_COMMENT = 65_536;

/** The pause after a round that did not settle grows from this, in milliseconds, to {@link LONGEST_PAUSE_MS}. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 3_000;

/** Writes without an answer, after which it is given up. */
const MOST_LOST = 4;

/**
 * Brings the one comment of a pipeline and subject up to date, while other jobs do the same. GitHub has no compare-and-swap,
 * so: look, write only what is newer than what stands, then draw the records again and look again, until nothing is left
 * to do. Whoever wrote last therefore sees what he wrote over, and repairs it; whoever brings a record later sees a picture
 * without it, and writes. Who replaced the picture of another run, whose jobs cannot repair ours, looks once more, later.
 *
 * Never throws, and ends in time: a comment that fails fails no gate. Requests of a lone job: 2 where the comment is right
 * (1 to learn who we are, 1 listing), 4 to make it or to update that of this run, 5 to update that of an earlier one.
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
  /** The comment that we made, as long as it was not one too many. */
  #made: number | undefined;
  #updated = false;
  /** What we wrote last. */
  #written: OwnComment | undefined;
  /** Nobody has looked at what we wrote last. */
  #isUnseen = false;
  /** What we wrote last replaced the picture of another run, and is to be looked at later. */
  #isLateLookDue = false;
  /** The comment that an update did not find. */
  #missing: number | undefined;
  /** Duplicates that stood in an earlier round. */
  #seen: readonly number[] = [];
  #mayRemove = true;
  /** Writes whose answer did not come. */
  #lost = 0;
  #pauses = 0;
  /** Waited for once. */
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

  /** Rounds until one finds nothing to do. */
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
   * Tells whether none is left. Those that others have just made are theirs to remove; if such a one is still there the
   * next time, its maker has gone.
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

  /** A first comment waits for others to make it; and who was overwritten at once is in a crowd, where another may repair it. */
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
      // Carried out or not: the next look tells.
      this.#lost += 1;
      if (this.#lost === MOST_LOST) throw error;
      await this.#pause(signal);
    }
  }

  /** An update that found nothing: deleted since we looked. If the next look finds it all the same, it was not permitted. */
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

  /** What an error comes to. */
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
