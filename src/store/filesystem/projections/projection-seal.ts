import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../../json/json.ts';
import { digestOfJson } from '../../../json/canonical-json.ts';
import { digestOf } from '../../../json/digest.ts';
import { linedJson } from '../../../json/lined-json.ts';
import { parseStoredJson } from '../../parse-record.ts';

/** The pipeline, subject and run whose state a projection shows. */
export interface ProjectionOwner {
  readonly pipeline: string;
  readonly subject: string;
  readonly run: number;
}

/** Content found in the place of a projection: ours, unchanged; or why it is not. */
export type Sealed =
  | { readonly state: 'ours'; readonly owner: ProjectionOwner }
  | { readonly state: 'foreign'; readonly why: string };

const ownerSchema = z.object({ pipeline: z.string(), subject: z.string(), run: z.int() });

/**
 * A projection as JSON text, with a digest of itself in `gateline.checksum`, so that an edited file can be
 * distinguished from one that is only out of date.
 */
export function sealJson(value: JsonObject): string {
  const gateline = value['gateline'];
  const inner = isJsonObject(gateline) ? gateline : {};
  const sealed = { ...value, gateline: { ...inner, checksum: digestOfJson(value) } };
  return `${linedJson(sealed, 'gateline')}\n`;
}

/** Whether bytes are a projection that {@link sealJson} made. */
export function readSealedJson(bytes: Uint8Array): Sealed {
  const json = parseStoredJson(bytes);
  if ('fault' in json) return foreign(`it is damaged: ${json.fault.message}`);
  if (!isJsonObject(json.value) || !isJsonObject(json.value['gateline'])) return foreign('Gateline did not write it');
  const { checksum, ...gateline } = json.value['gateline'];
  const owner = ownerSchema.safeParse(gateline);
  if (!owner.success) return foreign('Gateline did not write it');
  if (digestOfJson({ ...json.value, gateline }) !== checksum) return foreign('somebody edited it');
  return { state: 'ours', owner: owner.data };
}

const SEAL_LINE = /\n<!-- gateline-checkpoint\/1 ([A-Za-z0-9+/=]+) (sha256:[0-9a-f]{64}) -->\n$/;

/** A Markdown projection with an invisible last line that contains its owner and a digest of the rest. */
export function sealMarkdown(text: string, owner: ProjectionOwner): string {
  const { pipeline, subject, run } = owner;
  const packed = Buffer.from(JSON.stringify({ pipeline, subject, run })).toString('base64');
  return `${text}\n<!-- gateline-checkpoint/1 ${packed} ${digestOf(`${packed}\n${text}`)} -->\n`;
}

/** Whether bytes are a projection that {@link sealMarkdown} made. */
export function readSealedMarkdown(bytes: Uint8Array): Sealed {
  const text = Buffer.from(bytes).toString('utf8');
  const [line, packed = '', digest] = SEAL_LINE.exec(text) ?? [];
  if (line === undefined) return foreign('Gateline did not write it');
  if (digestOf(`${packed}\n${text.slice(0, -line.length)}`) !== digest) return foreign('somebody edited it');
  const unpacked = parseStoredJson(Buffer.from(packed, 'base64'));
  const owner = ownerSchema.safeParse('fault' in unpacked ? undefined : unpacked.value);
  return owner.success ? { state: 'ours', owner: owner.data } : foreign('Gateline did not write it');
}

function foreign(why: string): Sealed {
  return { state: 'foreign', why };
}
