import { GatelineError } from '../../errors.ts';
import { digestOf, digestOfJson, NO_DIGEST, type Digest } from '../../json/digest.ts';
import { parseJson } from '../../json/parse-json.ts';
import type { ArtifactContent, Artifacts } from './artifacts.ts';
import {
  artifactName,
  documentSchema,
  type AttemptDocument,
  type DocumentReference,
  type HandedFile,
} from './document.ts';

const MIB = 1024 * 1024;
/** Bytes of one file, and of all files together, that are in the document itself. */
const MAX_INLINE = MIB / 4;
const MAX_INLINE_SUM = 4 * MIB;
/** Bytes of a document that is written or read. */
export const MAX_DOCUMENT = 192 * MIB;
/** Bytes of all other files of a step. They are one artifact, since a job may upload 500; it is read into memory. */
const MAX_FILES = 256 * MIB;

/**
 * Stores an attempt: its large files in one raw artifact, then its document in another. Nothing is done for files that
 * have bytes or an artifact already, or are deleted.
 * @param bytesOf reads the version `after` of a file
 * @param onDigest called with the digest of the document just before the upload
 * @throws GatelineError `failed` if files or document are too large; the error of the last try after the outage budget
 */
export async function publishAttempt(
  artifacts: Artifacts,
  document: AttemptDocument,
  bytesOf: (file: HandedFile) => Promise<Uint8Array>,
  retentionDays?: number,
  onDigest?: (digest: Digest) => void,
): Promise<DocumentReference> {
  const { unit, pipeline } = document.entry;
  const [gate = '', leg = ''] = unit.split('/');
  const name = { pipeline, gate, leg, runAttempt: document.job.runAttempt };
  const files: HandedFile[] = [];
  const large: Uint8Array[] = [];
  let [inline, start] = [0, 0];
  for (const file of document.files) {
    files.push(file);
    if (file.after === null || file.bytes !== undefined || file.artifact !== undefined) continue;
    const bytes = await bytesOf(file);
    const size = bytes.length;
    const isInline = size <= MAX_INLINE && inline + size <= MAX_INLINE_SUM;
    const location = isInline
      ? { bytes: Buffer.from(bytes).toString('base64') }
      : { artifact: { ...NOT_UPLOADED, start, size } };
    files[files.length - 1] = { ...file, ...location };
    if (isInline) inline += size;
    else {
      large.push(bytes);
      start += size;
    }
    if (start > MAX_FILES)
      throw tooLargeError(`The files of ${unit}`, MAX_FILES, 'Hand on fewer files: narrow `files`.');
  }
  const upload = (what: string, bytes: Uint8Array, extension: 'json' | 'bin') =>
    artifacts.upload(
      `The upload of the ${what} of ${unit}`,
      (nonce) => artifactName(name, nonce, extension),
      bytes,
      retentionDays,
    );
  if (large.length > 0) {
    const stored = await upload('files', Buffer.concat(large), 'bin');
    for (const [index, { artifact, ...file }] of files.entries())
      if (artifact?.id === NOT_UPLOADED.id) files[index] = { ...file, artifact: { ...artifact, ...stored } };
  }
  const bytes = Buffer.from(JSON.stringify({ ...document, files }));
  if (bytes.length > MAX_DOCUMENT)
    throw tooLargeError(`The document of ${unit}`, MAX_DOCUMENT, 'Put large data into files.');
  const parsed = parseDocument(bytes);
  if (typeof parsed === 'string') throw new GatelineError('bug', `the document of ${unit} ${parsed}`);
  onDigest?.(digestOf(bytes));
  const { id, digest } = await upload('output', bytes, 'json');
  return { artifactId: id, digest };
}

/** Stands in for an artifact until it is uploaded. */
const NOT_UPLOADED = { id: 0, digest: NO_DIGEST } as const;

function tooLargeError(what: string, limit: number, hint: string): GatelineError {
  return new GatelineError('failed', `${what}: more than ${limit / MIB} MiB`, { hint });
}

/**
 * Reads the document of an attempt and verifies the digest of its bytes, its format, and the digest of its output.
 * @throws GatelineError `failed` that says what is wrong and what helps; the error of the last try in an outage
 */
export async function readAttempt(
  artifacts: Artifacts,
  { artifactId, digest }: DocumentReference,
  { job, pipeline, runId }: DocumentSource,
): Promise<AttemptDocument> {
  const documentError = (reason: string, hint: string): GatelineError =>
    new GatelineError('failed', `the artifact ${artifactId} of job '${job}' ${reason}`, { hint });
  const content = await artifacts.read(artifactId, runId, MAX_DOCUMENT);
  if (content === undefined) throw documentError('has expired or was deleted', RUN_AGAIN);
  if (content.digest !== digest)
    throw documentError(`has the digest ${content.digest}, but the job's output names ${digest}`, 'Re-run that job.');
  const document = parseDocument(content.bytes);
  if (typeof document === 'string')
    throw documentError(document, 'Use one version of Gateline in all jobs of a workflow.');
  const [actual, expected] = [document.entry.pipeline, await pipeline];
  if (expected !== undefined && actual !== expected)
    throw documentError(`is of the pipeline '${actual}', not of '${expected}'`, ONE_PIPELINE);
  if (document.job.runId !== runId)
    throw documentError(`says that it is of run ${document.job.runId}`, 'Re-run that job.');
  return document;
}

/** Where a document is expected to be from. */
export interface DocumentSource {
  /** For messages. */
  readonly job: string;
  /** Undefined: any. A promise is awaited after the download. */
  readonly pipeline: string | Promise<string> | undefined;
  readonly runId: number;
}

const ONE_PIPELINE =
  'Name jobs of one pipeline in `needs`. If their steps describe their gates, a report needs `file: none`.';
const RUN_AGAIN = 'Run the workflow again from its start: Re-run all jobs.';

/** The document in these bytes, or what is wrong with them: the predicate of a message. */
function parseDocument(bytes: Uint8Array): AttemptDocument | string {
  const json = parseJson(bytes, { maxBytes: MAX_DOCUMENT, maxDepth: 210, maxValues: 2_000_000 });
  if (!json.ok) return `is no document of an attempt: ${json.message}`;
  const { data, error } = documentSchema.safeParse(json.value);
  if (error) return `is no document of this version: /${error.issues[0]?.path.join('/')}: ${error.issues[0]?.message}`;
  const actual = data.output === undefined ? undefined : digestOfJson(data.output);
  const stated = data.entry.output?.digest;
  return actual === stated ? data : `has an output with the digest ${actual}, and states ${stated}`;
}

/**
 * A function that reads files of documents. An artifact with several of them is read once. The function throws
 * GatelineError `failed` if an artifact is gone or has another digest.
 */
export function createFileReader(artifacts: Artifacts, runId: number): (file: HandedFile) => Promise<Uint8Array> {
  const contents = new Map<number, Promise<ArtifactContent | undefined>>();
  return async ({ path, bytes, artifact }) => {
    if (bytes !== undefined) return Buffer.from(bytes, 'base64');
    if (artifact === undefined) throw new GatelineError('bug', `no bytes of ${path} are stored`);
    const { id, digest, start, size } = artifact;
    if (!contents.has(id)) contents.set(id, artifacts.read(id, runId, MAX_FILES));
    const content = await contents.get(id);
    const file = content?.digest === digest ? content.bytes.subarray(start, start + size) : undefined;
    if (file?.length === size) return file;
    const reason = content === undefined ? 'has expired or was deleted' : 'is another one than its document names';
    throw new GatelineError('failed', `the artifact ${id}, which has ${path}, ${reason}`, { hint: RUN_AGAIN });
  };
}
