import { createHash } from 'node:crypto';
import { BLOB_ROOT, type Grant } from './blob-store.ts';
import type { World } from './model.ts';
import { Refusal, empty, type Operation, type Reply, type ServiceRequest } from './protocol.ts';

type Work = (world: World, grant: Grant, request: ServiceRequest) => Reply;

const READS: Readonly<Record<string, readonly [name: string, work: Work]>> = {
  GET: ['GetBlob', read],
  HEAD: ['HeadBlob', read],
};
const WRITES: Readonly<Record<string, readonly [name: string, work: Work]>> = {
  '': ['PutBlob', putBlob],
  block: ['PutBlock', putBlock],
  blocklist: ['PutBlockList', putBlockList],
};

/**
 * Block blobs as Azure stores them: Put Block, Put Block List, Put Blob, Get Blob with ranges, Get Blob Properties.
 * https://learn.microsoft.com/rest/api/storageservices/operations-on-block-blobs
 */
export function routeBlob(request: ServiceRequest, world: World): Operation | undefined {
  const { method, url } = request;
  if (!url.pathname.startsWith(BLOB_ROOT)) return undefined;
  const found = method === 'PUT' ? WRITES[url.searchParams.get('comp') ?? ''] : READS[method];
  if (found === undefined) return undefined;
  const [name, work] = found;
  const grant = world.blobs.grantOf(url.searchParams.get('sig'));
  const permission = method === 'PUT' ? 'write' : 'read';
  return {
    name,
    protocol: 'blob',
    caller: grant?.caller,
    subject: grant?.subject,
    carryOut: (received) => {
      const allowed = grant?.permission === permission && grant.blob === url.pathname.slice(BLOB_ROOT.length);
      if (!allowed) throw new Refusal(403, 'Server failed to authenticate the request.');
      return work(world, grant, received);
    },
  };
}

function putBlob(world: World, grant: Grant, request: ServiceRequest): Reply {
  verifyMd5(request);
  const { etag, modified } = world.blobs.put(grant.blob, request.body, contentTypeOf(request), world.now());
  return written({ etag, 'last-modified': modified.toUTCString() });
}

function putBlock(world: World, grant: Grant, request: ServiceRequest): Reply {
  verifyMd5(request);
  const id = request.url.searchParams.get('blockid');
  if (id === null) throw new Refusal(400, 'A block needs an id.');
  world.blobs.stageBlock(grant.blob, id, request.body);
  return written({});
}

function putBlockList(world: World, grant: Grant, request: ServiceRequest): Reply {
  const xml = request.body.toString('utf8');
  const ids = [...xml.matchAll(/<(?:Latest|Uncommitted)>([^<]*)<\/(?:Latest|Uncommitted)>/g)].map(([, id]) => id!);
  const blob = world.blobs.commitBlocks(grant.blob, ids, contentTypeOf(request), world.now());
  if (blob === undefined) throw new Refusal(400, 'The specified block list is invalid.');
  return written({ etag: blob.etag, 'last-modified': blob.modified.toUTCString() });
}

function read(world: World, grant: Grant, request: ServiceRequest): Reply {
  const blob = world.blobs.blobs.get(grant.blob);
  if (blob === undefined) throw new Refusal(404, 'The specified blob does not exist.');
  const condition = request.headers['if-match'];
  if (condition !== undefined && condition !== '*' && condition !== blob.etag) {
    throw new Refusal(412, 'The condition specified using HTTP conditional header(s) is not met.');
  }
  const headers = {
    'content-type': blob.contentType,
    etag: blob.etag,
    'last-modified': blob.modified.toUTCString(),
    'accept-ranges': 'bytes',
    'x-ms-blob-type': 'BlockBlob',
    ...protocolHeaders(),
    ...grant.headers,
  };
  const size = blob.content.length;
  const range = request.method === 'GET' ? rangeOf(request, size) : undefined;
  if (range === undefined) return { status: 200, headers, body: blob.content };
  const [first, last] = range;
  const part = { ...headers, 'content-range': `bytes ${first}-${last}/${size}` };
  return { status: 206, headers: part, body: blob.content.subarray(first, last + 1) };
}

/** First and last byte asked for. */
function rangeOf({ headers }: ServiceRequest, size: number): readonly [number, number] | undefined {
  const asked = headers['x-ms-range'] ?? headers.range;
  const match = /^bytes=(\d+)-(\d*)$/.exec(String(asked ?? ''));
  if (match === null) return undefined;
  const first = Number(match[1]);
  if (first >= size) throw new Refusal(416, 'The range specified is invalid for the current size of the resource.');
  return [first, match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1)];
}

function verifyMd5({ headers, body }: ServiceRequest): void {
  const told = headers['content-md5'];
  if (told !== undefined && told !== createHash('md5').update(body).digest('base64')) {
    throw new Refusal(400, 'The MD5 value specified in the request did not match with the MD5 value calculated.');
  }
}

function contentTypeOf({ headers }: ServiceRequest): string {
  return String(headers['x-ms-blob-content-type'] ?? 'application/octet-stream');
}

function written(headers: Readonly<Record<string, string>>): Reply {
  return empty(201, { ...protocolHeaders(), 'x-ms-request-server-encrypted': 'true', ...headers });
}

function protocolHeaders(): Record<string, string> {
  return { 'x-ms-version': '2025-11-05', 'x-ms-request-id': '00000000-0000-0000-0000-000000000000' };
}
