import { createHash, randomBytes } from 'node:crypto';
import type { Github } from './github.ts';
import { Refusal, empty, type Operation, type Reply, type Request } from './http.ts';
import type { Blob, JobIdentity } from './model.ts';

/** What a signed address allows. */
export interface Grant {
  readonly blob: Blob;
  readonly mode: 'read' | 'write';
  readonly job: JobIdentity | undefined;
  /** Artifact name or cache key. */
  readonly subject: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `/<account>/<container>/`: the form that Azure's client expects of a server without host names. */
const ROOT = '/productionresults/actions-results/';

export function createBlob(content?: Buffer): Blob {
  return { content, blocks: new Map() };
}

/** A signed address of a blob. */
export function signAddress({ origin, grants }: Github, grant: Grant): string {
  const signature = randomBytes(16).toString('hex');
  grants.set(signature, grant);
  return `${origin}${ROOT}${signature}?sv=2025-11-05&sr=b&sp=${grant.mode === 'read' ? 'r' : 'cw'}&sig=${signature}`;
}

type Work = (blob: Blob, request: Request, headers: Readonly<Record<string, string>>) => Reply;

const READS: Readonly<Record<string, readonly [route: string, work: Work]>> = {
  GET: ['GetBlob', read],
  HEAD: ['HeadBlob', read],
};
const WRITES: Readonly<Record<string, readonly [route: string, work: Work]>> = {
  '': ['PutBlob', putBlob],
  block: ['PutBlock', putBlock],
  blocklist: ['PutBlockList', putBlockList],
};

/**
 * Block blobs as Azure stores them: Put Block, Put Block List, Put Blob, Get Blob with ranges.
 * https://learn.microsoft.com/rest/api/storageservices/operations-on-block-blobs
 */
export function routeBlob(github: Github, request: Request): Operation | undefined {
  const { method, url } = request;
  const entry = method === 'PUT' ? WRITES[url.searchParams.get('comp') ?? ''] : READS[method];
  if (!url.pathname.startsWith(ROOT) || entry === undefined) return undefined;
  const [route, work] = entry;
  const grant = github.grants.get(url.searchParams.get('sig') ?? '');
  const execute = (): Reply => {
    if (grant?.mode !== (method === 'PUT' ? 'write' : 'read')) throw new Refusal(403, 'Not authenticated.');
    return work(grant.blob, request, grant.headers ?? {});
  };
  return { route, protocol: 'blob', job: grant?.job, subject: grant?.subject, execute };
}

function putBlob(blob: Blob, request: Request): Reply {
  blob.content = request.body;
  return written(blob.content);
}

function putBlock(blob: Blob, { url, body }: Request): Reply {
  blob.blocks.set(url.searchParams.get('blockid') ?? '', body);
  return written(body);
}

function putBlockList(blob: Blob, { body }: Request): Reply {
  const parts = [...body.toString('utf8').matchAll(/<(?:Latest|Uncommitted)>([^<]*)</g)].map(([, id = '']) => {
    const block = blob.blocks.get(id);
    if (block === undefined) throw new Refusal(400, 'The specified block list is invalid.');
    return block;
  });
  blob.content = Buffer.concat(parts);
  return written(blob.content);
}

function read({ content }: Blob, { method, headers }: Request, grantHeaders: Readonly<Record<string, string>>): Reply {
  if (content === undefined) throw new Refusal(404, 'The specified blob does not exist.');
  const all = {
    'content-type': 'application/octet-stream',
    'accept-ranges': 'bytes',
    'x-ms-blob-type': 'BlockBlob',
    ...written(content).headers,
    ...grantHeaders,
  };
  const range = /^bytes=(\d+)-(\d*)$/.exec(String(headers['x-ms-range'] ?? headers.range ?? ''));
  if (range === null || method === 'HEAD') return { status: 200, headers: all, body: content };
  const first = Number(range[1]);
  if (first >= content.length) throw new Refusal(416, 'The range specified is invalid.');
  const last = range[2] === '' ? content.length - 1 : Math.min(Number(range[2]), content.length - 1);
  const part = { ...all, 'content-range': `bytes ${first}-${last}/${content.length}` };
  return { status: 206, headers: part, body: content.subarray(first, last + 1) };
}

function written(content: Buffer): Reply {
  return empty(201, {
    'x-ms-version': '2025-11-05',
    'x-ms-request-id': '00000000-0000-0000-0000-000000000000',
    'x-ms-request-server-encrypted': 'true',
    etag: `"0x${createHash('md5').update(content).digest('hex').slice(0, 15).toUpperCase()}"`,
    'last-modified': new Date(0).toUTCString(),
  });
}
