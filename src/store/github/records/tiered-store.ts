import type { Digest } from '../../../json/digest.ts';
import { unreadIn, type HiddenBy } from '../../../run/records/reading.ts';
import type { Content, GatelineRecord } from '../../../run/records/record.ts';
import type { Chunks } from '../../chunks.ts';
import type { Read, RecordListing, RecordStore, Selection, Written } from '../../record-store.ts';
import type { ArtifactIds, GithubStore, NameStatuses } from './github-store.ts';
import { mentionedBy } from './record-contents.ts';

/**
 * The run's own store, and other read-only ones: for example an earlier run that this one continues. Their records and
 * problems join every listing; their contents are used if the run has none. Writing a record also copies the contents
 * that it needs from the others, so that later jobs need only this run.
 */
export function openTieredStore(primary: GithubStore, others: readonly RecordStore[]): GithubStore {
  return new TieredStore(primary, others);
}

class TieredStore implements GithubStore {
  readonly #primary: GithubStore;
  readonly #others: readonly RecordStore[];

  constructor(primary: GithubStore, others: readonly RecordStore[]) {
    this.#primary = primary;
    this.#others = others;
  }

  async write(record: GatelineRecord): Promise<Written> {
    await Promise.all(mentionedBy(record).map(({ digest }) => this.#takeAlong(digest)));
    return this.#primary.write(record);
  }

  async list(pipeline: string, subject: string, selection?: Selection): Promise<RecordListing> {
    const own = this.#primary.list(pipeline, subject, selection);
    // A gate may be upstream in this run only: earlier decisions on it are requested too.
    const wanted = selection?.upstream === true ? withGatesOf(selection, await own) : selection;
    const listings = await Promise.all([own, ...this.#others.map((store) => store.list(pipeline, subject, wanted))]);
    return {
      records: listings.flatMap(({ records }) => records),
      problems: listings.flatMap(({ problems }) => problems),
      unprovenDecisions: true,
    };
  }

  async subjects(pipeline: string): Promise<string[]> {
    const found = await Promise.all(this.#all().map((store) => store.subjects(pipeline)));
    return [...new Set(found.flat())].toSorted();
  }

  put(content: Uint8Array | string): Promise<Content> {
    return this.#primary.put(content);
  }

  putStream(chunks: Chunks): Promise<Content> {
    return this.#primary.putStream(chunks);
  }

  get(digest: Digest): Promise<Read<Uint8Array>> {
    return this.#first((store) => store.get(digest));
  }

  check(digest: Digest): Promise<Read<Content>> {
    return this.#first((store) => store.check(digest));
  }

  copyTo(digest: Digest, path: string, mode: number): Promise<Read<Content>> {
    return this.#first((store) => store.copyTo(digest, path, mode));
  }

  artifactOf(record: GatelineRecord): ArtifactIds {
    return this.#primary.artifactOf(record);
  }

  statuses(pipeline: string, subject: string): Promise<NameStatuses> {
    return this.#primary.statuses(pipeline, subject);
  }

  listedStatuses(pipeline: string, subject: string): NameStatuses {
    return this.#primary.listedStatuses(pipeline, subject);
  }

  hiddenBy(): HiddenBy | undefined {
    return this.#primary.hiddenBy();
  }

  knows(digest: Digest): Promise<boolean> {
    return this.#primary.knows(digest);
  }

  #all(): readonly RecordStore[] {
    return [this.#primary, ...this.#others];
  }

  /** The first store that has it. If none has it, a result that is unknown to one of them is not absent. */
  async #first<T>(ask: (store: RecordStore) => Promise<Read<T>>): Promise<Read<T>> {
    let answer: Read<T> = { state: 'absent' };
    for (const store of this.#all()) {
      const read = await ask(store);
      if (read.state === 'present') return read;
      if (answer.state === 'absent') answer = read;
    }
    return answer;
  }

  async #takeAlong(digest: Digest): Promise<void> {
    if (await this.#primary.knows(digest)) return;
    for (const store of this.#others) {
      // Check first: that needs no memory.
      if ((await store.check(digest)).state !== 'present') continue;
      const read = await store.get(digest);
      if (read.state === 'present') await this.#primary.put(read.value);
      return;
    }
  }
}

/** A selection extended by every gate in a listing, including those of unreadable records. */
function withGatesOf(selection: Selection, { records, problems }: RecordListing): Selection {
  const gates = new Set([...records, ...unreadIn(problems)].map(({ gate }) => gate));
  return { ...selection, only: (unit) => selection.only(unit) || gates.has(unit.gate) };
}
