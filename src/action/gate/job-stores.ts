import type { Digest } from '../../json/digest.ts';
import type { Checkpoint } from '../../run/checkpoint.ts';
import { isSameAttempt, type AttemptRef, type Entry } from '../../run/entry.ts';
import type { EntityEntry } from '../../run/entity/entity-log.ts';
import type { AttemptDocument, DocumentReference, OutputDecision } from '../../store/github/document.ts';
import type { Checkpoints, Entities, Log } from '../../store/stores.ts';

/** The log of a job, in memory, where its agent cannot change it. */
export class JobLog implements Log {
  readonly #entries: Entry[];

  constructor(entries: readonly Entry[]) {
    this.#entries = [...entries];
  }

  read(): Promise<readonly Entry[]> {
    return Promise.resolve([...this.#entries]);
  }

  append(...entries: readonly Entry[]): Promise<readonly Entry[]> {
    this.#entries.push(...entries);
    return this.read();
  }
}

/** The entities of a job, in memory. */
export class JobEntities implements Entities {
  readonly #entries: EntityEntry[];
  #queue: Promise<unknown> = Promise.resolve();

  constructor(entries: readonly EntityEntry[] = []) {
    this.#entries = [...entries];
  }

  read(): Promise<readonly EntityEntry[]> {
    return Promise.resolve([...this.#entries]);
  }

  update(decide: (entries: readonly EntityEntry[]) => Promise<readonly EntityEntry[]>) {
    const result = this.#queue.then(async () => {
      this.#entries.push(...(await decide([...this.#entries])));
      return this.read();
    });
    this.#queue = result.catch(() => undefined);
    return result;
  }
}

/** The output of an earlier job, and what a person decided about it. */
export interface EarlierOutput {
  readonly checkpoint: Checkpoint;
  readonly document: AttemptDocument;
  readonly reference: DocumentReference;
  readonly decision: OutputDecision | undefined;
}

/** Finds the output of an earlier job for a request; undefined: there is none that may be used. */
type FindEarlier = (fingerprint: Digest) => Promise<EarlierOutput | undefined>;

/**
 * Checkpoints of a job: its own in memory, and for the first request that the engine looks up, that of its unit, one of
 * an earlier job. Later requests are of other gates, which have jobs of their own.
 */
export class JobCheckpoints implements Checkpoints {
  /** Default: there are none. */
  findEarlier: FindEarlier = () => Promise.resolve(undefined);
  /** The output of an earlier job that the engine got. */
  earlier: EarlierOutput | undefined;
  readonly #saved = new Map<Digest, Checkpoint>();
  #search: { readonly fingerprint: Digest; readonly result: Promise<EarlierOutput | undefined> } | undefined;

  async find(fingerprint: Digest): Promise<Checkpoint | undefined> {
    const saved = this.#saved.get(fingerprint);
    if (saved !== undefined) return saved;
    this.#search ??= { fingerprint, result: this.findEarlier(fingerprint) };
    if (this.#search.fingerprint !== fingerprint) return undefined;
    this.earlier = await this.#search.result;
    return this.earlier?.checkpoint;
  }

  save(fingerprint: Digest, checkpoint: Checkpoint): Promise<void> {
    this.#saved.set(fingerprint, checkpoint);
    return Promise.resolve();
  }

  /** Whether the output for this request may be used again. */
  isSaved(fingerprint: Digest): boolean {
    return this.#saved.has(fingerprint);
  }

  /** The requests that the output of an attempt answers. */
  requestsOf(attempt: AttemptRef): Digest[] {
    return [...this.#saved].flatMap(([request, { attempt: maker }]) => (isSameAttempt(maker, attempt) ? request : []));
  }

  forget(): Promise<void> {
    return Promise.resolve();
  }
}
