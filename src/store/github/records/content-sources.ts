import { mkdtemp, rm } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { hexOf, type Digest } from '../../../json/digest.ts';
import type { Content, GatelineRecord } from '../../../run/records/record.ts';
import { writing } from '../../../errors/store-errors.ts';
import type { ReadDocument } from './artifact-document.ts';
import { filesArtifactName, MAX_UPLOADS, parseArtifactName, valueArtifactName } from './artifact-names.ts';
import type { ListedArtifact, Trouble } from '../artifacts/artifact-service.ts';
import { mentionedBy, MAX_UNTOLD_BYTES } from './record-contents.ts';
import { worstOf, type StoreParts } from './run-artifacts.ts';
import { looksZipped, readZip, type WantedEntry } from '../artifacts/zip-entries.ts';

/** Included texts that stay in memory, in characters in total; more go to the spool. */
const MEMORY = 32 * 1024 * 1024;

/** A file may be larger in a zip than by itself only by this much. */
const FRAME_BYTES = 64 * 1024;
const FRAME_BYTES_AN_ENTRY = 1_024;

/** Problems with contents of one artifact. `undefined`: none. */
interface Fetched {
  readonly trouble?: Trouble;
  readonly wrong: ReadonlySet<Digest>;
}

type Parts = Pick<StoreParts, 'service' | 'view' | 'spool' | 'temporaryFolder'>;

/** Contents of the records that were read: where to find them, and how to bring them to the spool. */
export class ContentSources {
  readonly #parts: Parts;
  readonly #carried = new Map<Digest, string>();
  readonly #altered = new Set<Digest>();
  readonly #records = new Map<Digest, GatelineRecord[]>();
  /** By artifact id. */
  readonly #fetched = new Map<number, Promise<Fetched>>();
  #inMemory = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Registers the contents of this record. */
  async add({ record, contents, altered }: ReadDocument): Promise<void> {
    for (const { digest } of mentionedBy(record)) {
      this.#records.set(digest, [...(this.#records.get(digest) ?? []), record]);
    }
    for (const digest of altered) this.#altered.add(digest);
    for (const [digest, text] of contents) {
      this.#altered.delete(digest);
      if (this.#carried.has(digest)) continue;
      this.#inMemory += text.length;
      if (this.#inMemory <= MEMORY) this.#carried.set(digest, text);
      else await this.#parts.spool.put(text);
    }
  }

  /** Verified content included with a record. */
  carried(digest: Digest): string | undefined {
    return this.#carried.get(digest);
  }

  /** Whether any record that was read refers to it. */
  knows(digest: Digest): boolean {
    return this.#carried.has(digest) || this.#records.has(digest);
  }

  /**
   * Brings content to the spool from any artifact that has it.
   * @returns what is wrong if none has it; `undefined`: it is nowhere, or it is now in the spool, which the caller can
   *   check
   */
  async bring(digest: Digest): Promise<Trouble | undefined> {
    const troubles: Trouble[] = [];
    if (this.#altered.has(digest)) troubles.push(ALTERED);
    for (const record of this.#records.get(digest) ?? []) {
      for (const artifact of this.#candidates(record, digest)) {
        const { trouble, wrong } = await this.#fetch(artifact, record);
        if ((await this.#parts.spool.check(digest)).state === 'present') return undefined;
        if (trouble !== undefined) troubles.push(trouble);
        if (wrong.has(digest)) troubles.push(ALTERED);
      }
    }
    const { problem } = this.#parts.view;
    if (problem?.code === 'OUTAGE' || problem?.code === 'LISTING_LIMIT') {
      troubles.push({ code: problem.code, message: problem.message });
    }
    return worstOf(troubles);
  }

  #candidates(record: GatelineRecord, digest: Digest): ListedArtifact[] {
    const uploads = Array.from({ length: MAX_UPLOADS }, (_, index) => index + 1);
    const isValue = record.kind === 'ended' && record.value?.digest === digest;
    const names = [
      ...(isValue ? uploads.map((upload) => valueArtifactName(record, upload)) : []),
      ...uploads.map((upload) => filesArtifactName(record, upload)),
    ];
    return names.flatMap((name) => this.#parts.view.of(name));
  }

  /**
   * Fetches everything that an artifact has of a record at once: several of its contents are requested at the same
   * time.
   */
  #fetch(artifact: ListedArtifact, record: GatelineRecord): Promise<Fetched> {
    const known = this.#fetched.get(artifact.id);
    if (known !== undefined) return known;
    const fetching = this.#download(artifact, record);
    this.#fetched.set(artifact.id, fetching);
    const forget = () => void this.#fetched.delete(artifact.id);
    fetching.then(({ trouble }) => {
      // A temporary problem may be retried.
      if (trouble?.code === 'OUTAGE') forget();
    }, forget);
    return fetching;
  }

  async #download(artifact: ListedArtifact, record: GatelineRecord): Promise<Fetched> {
    const { service, temporaryFolder } = this.#parts;
    const wanted = wantedOf(record, artifact.name);
    const folder = await writing(temporaryFolder, () => mkdtemp(join(temporaryFolder, 'gateline-download-')));
    try {
      const path = join(folder, 'artifact');
      const answer = await service.downloadTo(artifact, limitOf(wanted), path);
      return answer.ok ? await this.#unpack(path, wanted) : { trouble: answer.trouble, wrong: new Set() };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #unpack(path: string, wanted: ReadonlyMap<string, WantedContent>): Promise<Fetched> {
    const { spool } = this.#parts;
    if (!looksZipped(await firstBytes(path))) {
      // A single unchanged file: its content is stored under its own digest.
      await spool.putStream(createReadStream(path) as AsyncIterable<Uint8Array>);
      return { wrong: new Set([...wanted.values()].map(({ digest }) => digest)) };
    }
    const { wrong, broken } = await readZip(path, wanted, async (name, chunks) => {
      const { digest }: Content = await spool.putStream(chunks);
      return digest === wanted.get(name)!.digest;
    });
    return {
      ...(broken !== undefined && {
        trouble: { code: 'CONTENT_ALTERED', message: `the zip cannot be read: ${broken}` },
      }),
      wrong: new Set([...wrong].map((name) => wanted.get(name)!.digest)),
    };
  }
}

const ALTERED: Trouble = { code: 'CONTENT_ALTERED', message: 'the stored bytes have another digest' };

type WantedContent = WantedEntry & { readonly digest: Digest };

/** The allowed entries of a record's artifact, by name. */
function wantedOf(record: GatelineRecord, artifactName: string): Map<string, WantedContent> {
  const entries = mentionedBy(record).map(({ digest, bytes }): WantedContent => ({
    digest,
    bytes: bytes ?? MAX_UNTOLD_BYTES,
    exact: bytes !== undefined,
  }));
  if (parseArtifactName(artifactName)?.holds !== 'value') {
    return new Map(entries.map((entry) => [hexOf(entry.digest), entry]));
  }
  // If the service accepts only zips, the value is in one, under the name of its artifact.
  const value = record.kind === 'ended' ? record.value?.digest : undefined;
  return new Map(entries.flatMap((entry) => (entry.digest === value ? [[artifactName, entry]] : [])));
}

function limitOf(wanted: ReadonlyMap<string, WantedContent>): number {
  const bytes = [...wanted.values()].reduce((sum, entry) => sum + entry.bytes, 0);
  return Math.ceil(bytes * 1.01) + FRAME_BYTES + wanted.size * FRAME_BYTES_AN_ENTRY;
}

async function firstBytes(path: string): Promise<Uint8Array> {
  for await (const chunk of createReadStream(path, { end: 1 })) return chunk as Buffer;
  return Buffer.alloc(0);
}
