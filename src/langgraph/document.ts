import { z } from 'zod';
import { messageOf } from '../errors.ts';

/** A named value as bytes of a serializer. */
export interface StoredValue {
  readonly name: string;
  /** Type of the bytes by the serializer: `json`, `bytes`, … */
  readonly type: string;
  readonly bytes: Buffer;
}

/** The content of a file: a head, and values. */
export interface StoredDocument<Head> {
  readonly head: Head;
  readonly values: readonly StoredValue[];
}

/** The fields that all heads have. */
export const HEAD_FIELDS = { v: z.literal(1), values: z.array(z.tuple([z.string(), z.string()])) };

const LINE_END = 10;
const BASE64 = ';base64';

/**
 * Encodes a document as JSON, with a line for its head and for each value, so that only the serializer parses the values.
 * A value that is not JSON becomes a text in base64.
 */
export function encodeDocument({ head, values }: StoredDocument<object>): Buffer {
  const index: [name: string, type: string][] = [];
  const lines = values.flatMap(({ name, type, bytes }, at) => {
    const isLine = type === 'json' && !bytes.includes(LINE_END);
    index.push([name, isLine ? type : type + BASE64]);
    const line = isLine ? bytes : Buffer.from(`"${bytes.toString('base64')}"`);
    return [Buffer.from(`${at === 0 ? '' : ','}\n${JSON.stringify(name)}:`), line];
  });
  const first = JSON.stringify({ v: 1, ...head, values: index }).slice(0, -1);
  return Buffer.concat([Buffer.from(`${first},`), ...lines, Buffer.from('\n}\n')]);
}

/** The inverse of {@link encodeDocument}. The values are views of `bytes`. @throws Error naming what is wrong */
export function decodeDocument<Head extends { readonly values: readonly (readonly [string, string])[] }>(
  bytes: Buffer,
  schema: z.ZodType<Head>,
): StoredDocument<Head> {
  let end = bytes.indexOf(LINE_END);
  const head = parseHead(`${bytes.toString('utf8', 0, Math.max(0, end - 1))}}`, schema);
  const values = head.values.map(([name, type], at): StoredValue => {
    const start = `${JSON.stringify(name)}:`;
    const begin = end + 1 + Buffer.byteLength(start);
    const isStart = bytes.toString('utf8', end + 1, begin) === start;
    end = bytes.indexOf(LINE_END, begin);
    if (!isStart || end < 0) throw new Error(`line ${at + 2} is not ${start} and a value`);
    const value = bytes.subarray(begin, at === head.values.length - 1 ? end : end - 1);
    if (!type.endsWith(BASE64)) return { name, type, bytes: value };
    const text = value.toString('latin1', 1, value.length - 1);
    return { name, type: type.slice(0, -BASE64.length), bytes: Buffer.from(text, 'base64') };
  });
  if (bytes.toString('latin1', end) !== '\n}\n') throw new Error('its end is missing');
  return { head, values };
}

function parseHead<Head>(line: string, schema: z.ZodType<Head>): Head {
  try {
    return schema.parse(JSON.parse(line));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error).replaceAll(/\s+/g, ' ') : messageOf(error);
    throw new Error(`its first line cannot be read: ${reason}`, { cause: error });
  }
}
