import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fileSchema } from '../../src/pipeline/schema.ts';
import { problemsOf } from './support.ts';

interface EditorSchema {
  readonly description?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, EditorSchema>>;
  readonly additionalProperties?: boolean | EditorSchema;
  readonly items?: EditorSchema;
  readonly anyOf?: readonly EditorSchema[];
}
type Path = readonly (string | number)[];

const schema = z.toJSONSchema(fileSchema, { io: 'input' }) as EditorSchema;

/** Every fixed key below a schema, and every place where a value may be. */
function keysIn(part: EditorSchema, path: Path = []): { path: Path; key?: EditorSchema }[] {
  const { anyOf = [], properties = {}, additionalProperties: entry, items } = part;
  return [
    ...anyOf.flatMap((option) => keysIn(option, path)),
    ...Object.entries(properties).flatMap(([key, value]) => [
      { path: [...path, key], key: value },
      ...keysIn(value, [...path, key]),
    ]),
    ...(typeof entry === 'object' ? [{ path: [...path, 'a'] }, ...keysIn(entry, [...path, 'a'])] : []),
    ...(items ? [{ path: [...path, 0] }, ...keysIn(items, [...path, 0])] : []),
  ];
}

describe('the JSON Schema of gateline.yml', () => {
  it('describes every key in a sentence', () => {
    const keys = keysIn(schema).filter(({ key }) => key !== undefined);
    expect(keys.length).toBeGreaterThan(70);
    const bare = keys.filter(({ key }) => !/^\S.{9,}[.`]$/s.test(key!.description ?? ''));
    expect(bare.map(({ path }) => path.join('.'))).toEqual([]);
  });

  it('rejects unknown keys, as the parser does', () => {
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(schema.properties!['gates']).toMatchObject({ additionalProperties: { additionalProperties: false } });
  });

  it('explains every wrong value in our own messages', () => {
    const wrong = ['x', 3, true, { zz: 1 }, [], null, [3], { length: 5 }, '\0', -1, '${{ x }}'];
    const texts = keysIn(schema).flatMap(({ path }) =>
      wrong.flatMap((value) => {
        const file = path.toReversed().reduce<unknown>((inner, key) => (key === 0 ? [inner] : { [key]: inner }), value);
        return problemsOf(JSON.stringify({ gates: { g: {} }, ...(file as object) }));
      }),
    );
    expect(texts.length).toBeGreaterThan(500);
    expect(texts.filter((text) => /received|Invalid|Too (?:small|big)|Unrecognized|undefined/.test(text))).toEqual([]);
  });
});
