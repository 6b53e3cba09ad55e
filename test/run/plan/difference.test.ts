import { describe, expect, it } from 'vitest';
import { asRequest, describeDifferences, differences, type Difference } from '../../../src/run/plan/difference.ts';
import { buildRequest, REQUEST_FORMAT, type Request } from '../../../src/run/plan/request.ts';
import type { JsonValue } from '../../../src/json/json.ts';
import { gateOf } from '../../support/pipelines.ts';

const unit = { key: 'a', gate: gateOf('a'), leg: { id: '', matrix: {} }, needs: [] };
const REQUEST = buildRequest(
  unit,
  { pipeline: 'test', subject: 's', metadata: {}, input: null, platform: { os: 'linux', arch: 'x64' } },
  { tree: new Map(), env: {}, tools: {}, needs: {} },
);

const withFiles = (files: Record<string, string>): Request => ({ ...REQUEST, inputs: { from: 'declared', files } });

describe('differences of two requests', () => {
  it('are none for equal ones', () => {
    expect(differences(REQUEST, structuredClone(REQUEST))).toEqual([]);
  });

  it('name what changed, came and went, sorted', () => {
    const found = differences(withFiles({ b: '1', c: '1', z: '1' }), withFiles({ a: '1', b: '2', z: '1' }));
    expect(found).toEqual([
      { what: 'file', name: 'a', change: 'added' },
      { what: 'file', name: 'b', change: 'changed' },
      { what: 'file', name: 'c', change: 'removed' },
    ]);
  });

  it('do not see another order of keys', () => {
    const one = { ...REQUEST, input: { a: 1, b: [2] }, metadata: { m: { x: 1, y: 2 } } };
    const two = { ...REQUEST, input: { b: [2], a: 1 }, metadata: { m: { y: 2, x: 1 } } };
    expect(differences(one, two)).toEqual([]);
  });

  it('are told exports first, then files, then the rest', () => {
    const after: Request = { ...withFiles({ f: '1' }), subject: 't', needs: { n: null }, secrets: ['S'] };
    expect(differences(REQUEST, after).map(({ what }) => what)).toEqual(['export', 'file', 'subject', 'secret']);
  });

  it('are told of names that objects have by themselves', () => {
    expect(differences(REQUEST, withFiles({ constructor: '1' }))).toEqual([
      { what: 'file', name: 'constructor', change: 'added' },
    ]);
  });
});

describe('differences as a sentence', () => {
  const files = (count: number): Difference[] =>
    Array.from({ length: count }, (_, index) => ({ what: 'file', name: `f${index}`, change: 'changed' }));

  it.each<[Difference[], string]>([
    [[], 'no input changed'],
    [files(1), 'file f0 changed'],
    [files(3), 'files f0, f1, f2 changed'],
    [files(5), 'files f0, f1, f2 and 2 more changed'],
    [[{ what: 'file', name: 'x', change: 'added' }], 'file x added'],
    [
      [
        { what: 'file', name: 'x', change: 'added' },
        { what: 'file', name: 'y', change: 'changed' },
        { what: 'file', name: 'z', change: 'added' },
      ],
      'files x, z added; file y changed',
    ],
    [[{ what: 'command', name: 'files', change: 'changed' }], 'key files changed'],
    [
      [
        { what: 'metadata', name: 'k', change: 'added' },
        { what: 'metadata', name: 'l', change: 'added' },
      ],
      'metadata k, l added',
    ],
    [[{ what: 'export', name: 'design', change: 'changed' }], 'exports of design changed'],
    [
      [
        { what: 'subject', name: 'subject', change: 'changed' },
        { what: 'env', name: 'A', change: 'changed' },
      ],
      'the subject changed; env A changed',
    ],
  ])('%j', (found, text) => {
    expect(describeDifferences(found)).toBe(text);
  });
});

describe('a request read back', () => {
  it('is one when it has the shape of this version', () => {
    expect(asRequest(structuredClone(REQUEST) as unknown as JsonValue)).toEqual(REQUEST);
  });

  it('is one when it is of version 1, whose subject may be a default one', () => {
    const old = asRequest({ ...REQUEST, format: 'gateline-request/1', subject: 'main' } as unknown as JsonValue)!;
    expect(describeDifferences(differences(old, { ...REQUEST, subject: undefined } as never))).toBe(
      'the format changed',
    );
  });

  it.each<[string, JsonValue]>([
    ['of a later version', { ...REQUEST, format: 'gateline-request/3' } as unknown as JsonValue],
    ['a format and nothing else', { format: REQUEST_FORMAT }],
    ['without inputs', { ...REQUEST, inputs: null } as unknown as JsonValue],
    ['with secrets that are no list', { ...REQUEST, secrets: 'S' } as unknown as JsonValue],
    ['a list', []],
    ['null', null],
    ['a text', 'request'],
  ])('is none when it is %s', (_what, value) => {
    expect(asRequest(value)).toBeUndefined();
  });
});
