import { writeFile } from 'node:fs/promises';
import { hexOf, type Digest } from '../../../json/digest.ts';
import type { Content, GatelineRecord } from '../../../run/records/record.ts';
import { GatelineError, messageOf } from '../../../errors/gateline-error.ts';
import type { Written } from '../../record-store.ts';
import { writing } from '../../../errors/store-errors.ts';
import { asText, formatDocument, MAX_CARRIED_BYTES } from './artifact-document.ts';
import { filesArtifactName, MAX_UPLOADS, recordArtifactName, valueArtifactName } from './artifact-names.ts';
import type { Patience } from '../../../github/patient-calls.ts';
import type { Parcel, ParcelFile } from '../artifacts/artifact-service.ts';
import type { ContentSources } from './content-sources.ts';
import { mentionedBy } from './record-contents.ts';
import type { RecordReader } from './record-reader.ts';
import { isOutage, outageError } from '../artifacts/outage-error.ts';
import type { StoreParts } from './run-artifacts.ts';

/** The parts of a {@link RecordWriter}. */
interface RecordWriterParts extends Pick<StoreParts, 'service' | 'view' | 'spool' | 'notice'> {
  readonly reader: RecordReader;
  readonly sources: ContentSources;
}

/** Everything uploaded with one record. */
interface Shipment {
  /** Texts included in the record's document. */
  readonly carried: ReadonlyMap<Digest, string>;
  /** The value, as a separate artifact for people. */
  readonly value: Content | undefined;
  /** Everything else, in a zip. */
  readonly files: readonly Content[];
}

/** Uploads records with the contents that they refer to. */
export class RecordWriter {
  readonly #parts: RecordWriterParts;
  /** Names under which an upload of this process failed, possibly after it had arrived. */
  readonly #uncertain = new Set<string>();

  constructor(parts: RecordWriterParts) {
    this.#parts = parts;
  }

  /**
   * Contents that the record needs and does not include are uploaded before the record. A value that it includes is
   * also uploaded next to it.
   * @param record checked, and of this run
   */
  async write(record: GatelineRecord): Promise<Written> {
    const { reader } = this.#parts;
    // Refuses records that cannot have a name, before anything is uploaded.
    recordArtifactName(record);
    if (reader.knows(record)) return 'taken';
    const { carried, value, files } = await this.#pack(record);
    const document = formatDocument(record, carried);
    const isCarried = value !== undefined && carried.has(value.digest);
    // An end is the result of an agent's work; before there is one, giving up costs little.
    const patience = record.kind === 'ended' ? 'minutes' : undefined;
    const before = await Promise.all([
      files.length === 0
        ? 'created'
        : this.#uploadContent(record, (upload) => this.#zip(record, files, upload), patience),
      value === undefined || isCarried
        ? 'created'
        : this.#uploadContent(record, (upload) => this.#raw(record, value, upload), patience),
    ]);
    // Another process is writing the contents of a claim for this attempt.
    if (before.includes('taken')) return 'taken';
    const uploadRecord = (): Promise<Written> => this.#uploadRecord(record, document, patience);
    return isCarried ? this.#besides(record, value, uploadRecord) : uploadRecord();
  }

  /**
   * Uploads the value that the record includes next to it, for people: again if only the record survived an outage.
   */
  async #besides(record: GatelineRecord, value: Content, uploadRecord: () => Promise<Written>): Promise<Written> {
    const uploadValue = async (): Promise<unknown> => {
      try {
        await this.#uploadContent(record, (upload) => this.#raw(record, value, upload), 'seconds');
        return undefined;
      } catch (error) {
        return error;
      }
    };
    const beside = uploadValue();
    let written: Written;
    try {
      written = await uploadRecord();
    } finally {
      await beside;
    }
    const failed = await beside;
    const error = isOutage(failed) && written === 'written' ? await uploadValue() : failed;
    if (error !== undefined) {
      const what = `The output of ${record.gate} has no artifact of its own; it is only part of its record`;
      this.#parts.notice(`${what}: ${messageOf(error)}`);
    }
    return written;
  }

  async #uploadRecord(record: GatelineRecord, document: Uint8Array, patience: Patience | undefined): Promise<Written> {
    const { service, reader } = this.#parts;
    for (let upload = 1; ; upload += 1) {
      const name = recordArtifactName(record, upload);
      const place = (path: string) => writing(path, () => writeFile(path, document, { flag: 'wx' }));
      const parcel: Parcel = { name, form: 'raw', files: [{ name, place }], bytes: document.length };
      const uploaded = await service.upload(parcel, { patience, earlier: upload - 1 }).catch((error: unknown) => {
        this.#uncertain.add(name);
        throw error;
      });
      if (uploaded.state === 'created') {
        reader.remember(uploaded.artifact, record);
        return 'written';
      }
      // Taken by which upload? If a response was lost, our own upload looks like another process's.
      const standing = await reader.stateOf(record, patience);
      if (standing === 'same') {
        return uploaded.maybeOwn || this.#uncertain.has(name) ? 'written' : 'taken';
      }
      // A claim must stay unique, even if the artifact with its name never becomes visible.
      if (standing === 'other' || record.kind === 'started') return 'taken';
      if (standing === 'unknown') throw this.#unlisted(name);
      // The artifact with that name will never become visible. A record that ends a claim has a single writer anyway.
      if (upload === MAX_UPLOADS) throw neverSeen(name);
    }
  }

  /** An unreadable listing is not an empty one: the name may be taken by this very record. */
  #unlisted(name: string): GatelineError {
    this.#uncertain.add(name);
    const why = this.#parts.view.problem?.message ?? 'the existing artifact cannot be read';
    return outageError(`The artifact name ${name} is already in use, and the artifact cannot be read: ${why}`);
  }

  /** Uploads under the first available name: readers look for all of them, and verify what they find. */
  async #uploadContent(
    record: GatelineRecord,
    parcelOf: (upload: number) => Parcel,
    patience: Patience | undefined,
  ): Promise<'created' | 'taken'> {
    const { service, view } = this.#parts;
    for (let upload = 1; ; upload += 1) {
      const parcel = parcelOf(upload);
      const uploaded = await service.upload(parcel, { patience, earlier: upload - 1 });
      if (uploaded.state === 'created') {
        view.add(uploaded.artifact);
        return 'created';
      }
      if (record.kind === 'started') return 'taken';
      if (upload === MAX_UPLOADS) throw neverSeen(parcel.name);
    }
  }

  /**
   * The record's contents that are on this machine. The others were never stored, or are in other artifacts of the run.
   */
  async #pack(record: GatelineRecord): Promise<Shipment> {
    const { spool, sources } = this.#parts;
    const valueDigest = record.kind === 'ended' ? record.value?.digest : undefined;
    const carried = new Map<Digest, string>();
    const files: Content[] = [];
    let value: Content | undefined;
    let room = MAX_CARRIED_BYTES;
    for (const { digest } of mentionedBy(record)) {
      const known = sources.carried(digest);
      if (known !== undefined && (await spool.check(digest)).state !== 'present') await spool.put(known);
      const stored = await spool.check(digest);
      if (stored.state !== 'present') continue;
      if (digest === valueDigest) value = stored.value;
      const text = stored.value.bytes > room ? undefined : await this.#textOf(digest);
      if (text !== undefined) {
        carried.set(digest, text);
        room -= stored.value.bytes;
      } else if (digest !== valueDigest) files.push(stored.value);
    }
    return { carried, value, files };
  }

  async #textOf(digest: Digest): Promise<string | undefined> {
    const read = await this.#parts.spool.get(digest);
    return read.state === 'present' ? asText(read.value) : undefined;
  }

  #raw(record: GatelineRecord, value: Content, upload: number): Parcel {
    const name = valueArtifactName(record, upload);
    return { name, form: 'raw', files: [this.#file(name, value.digest)], bytes: value.bytes };
  }

  #zip(record: GatelineRecord, contents: readonly Content[], upload: number): Parcel {
    return {
      name: filesArtifactName(record, upload),
      form: 'zip',
      files: contents.map(({ digest }) => this.#file(hexOf(digest), digest)),
      bytes: contents.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }

  #file(name: string, digest: Digest): ParcelFile {
    return {
      name,
      place: async (path) => {
        const copied = await this.#parts.spool.copyTo(digest, path, 0o600);
        if (copied.state === 'present') return;
        throw new GatelineError('CONTENT_MISSING', `Content ${digest} was stored and is now missing`, {
          hint: 'Another program removes temporary files while the job runs.',
        });
      },
    };
  }
}

function neverSeen(name: string): GatelineError {
  return outageError(
    `Uploads were interrupted ${MAX_UPLOADS} times: the artifact name ${name} is already in use, probably by an interrupted upload`,
  );
}
