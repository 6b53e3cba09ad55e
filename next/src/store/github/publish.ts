import { GatelineError } from '../../errors.ts';
import { digestOfJson } from '../../json/digest.ts';
import { parseJson } from '../../json/parse-json.ts';
import type { Artifacts, ReadOptions, UploadOptions } from './artifacts.ts';
import {
  artifactName,
  documentSchema,
  type AttemptDocument,
  type AttemptReference,
  type HandedFile,
} from './document.ts';

/** A larger file is not in the document. */
const MAX_INLINE = 256 * 1024;
/** Bytes of all files in a document. */
const MAX_INLINE_SUM = 4 * 1024 * 1024;
/** Bytes of all files beside it: one artifact, read into memory. */
const MAX_PACK = 256 * 1024 * 1024;
/** Largest document that is written and read. */
export const MAX_DOCUMENT = 192 * 1024 * 1024;

/**
 * Stores an attempt: its large files in one raw artifact, then its document in another. Files that have bytes or an
 * artifact already, or are deleted, stay as they are.
 * @param bytesOf reads the version `after` of a file
 * @throws GatelineError `failed` if files or document are too large; the error of the last try after the outage budget
 */
export async function publishAttempt(
  artifacts: Artifacts,
  document: AttemptDocument,
  bytesOf: (file: HandedFile) => Promise<Uint8Array>,
  options: Pick<UploadOptions, 'retentionDays'> = {},
): Promise<AttemptReference> {
  const { unit, pipeline } = document.entry;
  const [gate = '', leg = ''] = unit.split('/');
  const name = { pipeline, gate, leg, runAttempt: document.job.runAttempt };
  const files: HandedFile[] = [];
  const pack: Uint8Array[] = [];
  let [inline, start] = [0, 0];
  const places = new Map<HandedFile, { readonly start: number; readonly size: number }>();
  for (const file of document.files) {
    files.push(file);
    if (file.after === null || file.bytes !== undefined || file.artifact !== undefined) continue;
    const bytes = await bytesOf(file);
    if (bytes.length <= MAX_INLINE && inline + bytes.length <= MAX_INLINE_SUM) {
      inline += bytes.length;
      files[files.length - 1] = { ...file, bytes: Buffer.from(bytes).toString('base64') };
    } else {
      places.set(file, { start, size: bytes.length });
      pack.push(bytes);
      start += bytes.length;
      if (start > MAX_PACK) throw tooLarge(`The files of ${unit}`, MAX_PACK, 'Hand on fewer files: narrow `files`.');
    }
  }
  if (pack.length > 0) {
    const nameOf = (nonce: string) => artifactName(name, nonce, 'bin');
    const stored = await artifacts.upload(`The upload of the files of ${unit}`, nameOf, Buffer.concat(pack), options);
    for (const [index, file] of files.entries()) {
      const place = places.get(file);
      if (place) files[index] = { ...file, artifact: { ...stored, ...place } };
    }
  }
  const bytes = Buffer.from(JSON.stringify({ ...document, files }));
  if (bytes.length > MAX_DOCUMENT) throw tooLarge(`The output of ${unit}`, MAX_DOCUMENT, 'Put large data into files.');
  const nameOf = (nonce: string) => artifactName(name, nonce);
  const { id, digest } = await artifacts.upload(`The upload of the output of ${unit}`, nameOf, bytes, options);
  return { artifactId: id, digest };
}

function tooLarge(what: string, limit: number, hint: string): GatelineError {
  return new GatelineError('failed', `${what} have more than ${limit / 1024 / 1024} MiB`, { hint });
}

/** Whose document is expected: as messages name it, and as it must say itself. */
export interface AttemptSource extends Pick<ReadOptions, 'waitMs'> {
  /** The job in the workflow, for messages. */
  readonly job: string;
  readonly pipeline: string;
  readonly runId: number;
}

/**
 * Reads the document of an attempt, verified: by the digest of its bytes, its format, and the digest of its output.
 * @throws GatelineError `failed` that says what is wrong with it and what helps; the error of the last try in an outage
 */
export async function readAttempt(
  artifacts: Artifacts,
  { artifactId, digest }: AttemptReference,
  { job, pipeline, runId, waitMs }: AttemptSource,
): Promise<AttemptDocument> {
  const what = `The artifact ${artifactId} of job '${job}'`;
  const refuse = (reason: string, hint: string) => new GatelineError('failed', `${what} ${reason}`, { hint });
  const content = await artifacts.read(artifactId, { runId, maxBytes: MAX_DOCUMENT, waitMs });
  if (content === undefined)
    throw refuse(
      `of run ${runId} has expired or was deleted`,
      'Run the workflow again from its start: Re-run all jobs.',
    );
  if (content.digest !== digest)
    throw refuse(
      `has the digest ${content.digest}, but the job's output names ${digest}`,
      'Something else was uploaded in its place. Re-run the job; `outputs` must come from the step of Gateline.',
    );
  const document = parseDocument(content.bytes);
  if (typeof document === 'string')
    throw refuse(document, 'Use the same version of Gateline in all jobs of a workflow.');
  if (document.entry.pipeline !== pipeline)
    throw refuse(
      `is of the pipeline '${document.entry.pipeline}', not '${pipeline}'`,
      'Name only jobs of the same pipeline in `needs`.',
    );
  if (document.job.runId !== runId)
    throw refuse(`is of run ${document.job.runId}, not of run ${runId}`, 'Re-run the job.');
  return document;
}

/** The document in bytes, or why there is none. */
function parseDocument(bytes: Uint8Array): AttemptDocument | string {
  const json = parseJson(bytes, { maxBytes: MAX_DOCUMENT, maxDepth: 210 });
  if (!json.ok) return `is no document of Gateline: ${json.message}`;
  const parsed = documentSchema.safeParse(json.value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `is no document of this version of Gateline: /${issue?.path.join('/')}: ${issue?.message}`;
  }
  const { output, entry } = parsed.data;
  const actual = output === undefined ? undefined : digestOfJson(output);
  if (actual !== entry.output?.digest)
    return `has an output with the digest ${actual}, but names ${entry.output?.digest}`;
  return parsed.data;
}

/** Reads files of a document; an artifact that several of them are in is read once. */
export function createFileReader(artifacts: Artifacts, runId?: number): (file: HandedFile) => Promise<Uint8Array> {
  const packs = new Map<number, ReturnType<Artifacts['read']>>();
  return async ({ path, bytes, artifact }) => {
    if (bytes !== undefined) return Buffer.from(bytes, 'base64');
    if (artifact === undefined) throw new GatelineError('bug', `the file ${path} has no bytes: it was deleted`);
    const { id, digest, start, size } = artifact;
    if (!packs.has(id)) packs.set(id, artifacts.read(id, { runId, maxBytes: MAX_PACK }));
    const content = await packs.get(id);
    const reason =
      content === undefined ? 'has expired or was deleted' : `has the digest ${content.digest}, not ${digest}`;
    if (content?.digest !== digest || start + size > content.bytes.length)
      throw new GatelineError('failed', `The artifact ${id} with the file ${path} ${reason}`, {
        hint: 'Run the workflow again from its start: Re-run all jobs.',
      });
    return content.bytes.subarray(start, start + size);
  };
}
