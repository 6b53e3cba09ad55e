import { randomUUID } from 'node:crypto';
import { canonicalJson } from '../../../src/json/canonical-json.ts';
import { digestOf } from '../../../src/json/digest.ts';
import type { EndedRecord, GatelineRecord, StartedRecord } from '../../../src/run/records/record.ts';
import { recordArtifactName } from '../../../src/store/github/records/artifact-names.ts';
import type { JsonObject } from '../../../src/json/json.ts';
import type { StoredArtifact } from '../../support/github/model.ts';
import { RUN, type GateJobs } from '../gate-jobs.ts';

/** The document of a record's artifact, as whoever has the run's token may write it. */
export interface Document<R extends GatelineRecord = GatelineRecord> {
  format: string;
  record: R;
  contents: Record<string, string>;
}

/** Every job of a run may list, delete and upload whatever it likes: what a hostile one does to the artifacts of the others. */
export class Forger {
  readonly #jobs: GateJobs;

  constructor(jobs: GateJobs) {
    this.#jobs = jobs;
  }

  /** Artifacts of a gate whose name fits. */
  find(pattern: RegExp): StoredArtifact {
    const found = this.#jobs.service.world.artifacts.find(({ name }) => pattern.test(name));
    if (found === undefined) throw new Error(`no artifact is named like ${pattern}`);
    return found;
  }

  content(artifact: StoredArtifact): Buffer {
    return this.#jobs.service.world.blobs.blobs.get(artifact.blob)!.content;
  }

  claim(gate = 'plan'): Document<StartedRecord> {
    return JSON.parse(this.content(this.find(new RegExp(`\\.${gate}\\..*started\\.json$`))).toString()) as never;
  }

  end(gate = 'plan'): Document<EndedRecord> {
    return JSON.parse(this.content(this.find(new RegExp(`\\.${gate}\\..*ended\\..*\\.json$`))).toString()) as never;
  }

  remove(pattern: RegExp): void {
    const { artifacts } = this.#jobs.service.world;
    artifacts.splice(artifacts.indexOf(this.find(pattern)), 1);
  }

  /** Uploads bytes under a name, from a job of its own. */
  put(name: string, content: Buffer | string, told: Partial<StoredArtifact> = {}): void {
    const { world } = this.#jobs.service;
    const number = world.nextNumber();
    const bytes = Buffer.from(content);
    const blob = `artifacts/${number}`;
    world.blobs.put(blob, bytes, 'application/octet-stream', world.now());
    world.artifacts.push({
      run: RUN,
      attempt: 1,
      job: 'evil',
      id: 5_000_000_000 + number,
      name,
      mimeType: 'application/octet-stream',
      blob,
      createdAt: world.now(),
      expiresAt: new Date(world.now().getTime() + 1e9),
      finalized: true,
      size: bytes.length,
      digest: digestOf(bytes),
      ...told,
    });
  }

  /** Uploads a record under the name that it should have, or another one. */
  putDocument(document: Document, name = recordArtifactName(document.record)): void {
    this.put(name, JSON.stringify(document));
  }

  /** Puts another end in the place of a gate's. */
  replaceEnd(edit: (document: Document<EndedRecord>) => void, gate = 'plan'): void {
    const document = this.end(gate);
    this.remove(new RegExp(`\\.${gate}\\..*ended\\..*\\.json$`));
    edit(document);
    this.putDocument(document);
  }

  /** Puts another claim in the place of a gate's. */
  replaceClaim(edit: (document: Document<StartedRecord>) => void, gate = 'plan'): void {
    const document = this.claim(gate);
    this.remove(new RegExp(`\\.${gate}\\..*started\\.json$`));
    edit(document);
    this.putDocument(document);
  }
}

/** Gives a record another value, with everything that goes with it. */
export function withValue(document: Document<EndedRecord>, value: JsonObject): void {
  const text = canonicalJson(value);
  const content = { digest: digestOf(text), bytes: Buffer.byteLength(text) };
  document.contents[content.digest] = text;
  Object.assign(document.record, { value: content, exports: content });
}

/** Somebody else, in a job of the same attempt. */
export function otherWriter(record: GatelineRecord): GatelineRecord['by'] {
  return { ...record.by, pid: 4_711, pidStart: randomUUID(), job: 'evil' };
}
