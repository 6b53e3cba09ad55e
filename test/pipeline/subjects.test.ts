import { registerSchema, validate } from '@hyperjump/json-schema/draft-07';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../src/pipeline/problem.ts';
import { MAX_SET_BYTES, readSet } from '../../src/pipeline/subjects/read-set.ts';
import { SUBJECT_WAVE_WIDTH, subjectWaves } from '../../src/pipeline/subjects/subject-waves.ts';

const SCHEMA = new URL('../../schema/set.schema.json', import.meta.url);

type Json = Parameters<typeof JSON.stringify>[0];

const document = (...subjects: Json[]): string => JSON.stringify({ format: 'gateline-set/1', subjects }, null, 2);

function read(text: string | Uint8Array): ReturnType<typeof readSet> {
  return readSet(typeof text === 'string' ? new TextEncoder().encode(text) : text, 'subjects.json');
}

/** Every problem as a line, with its pointer. */
function problems(text: string | Uint8Array): string[] {
  const set = read(text);
  return set.ok ? [] : set.problems.map((one) => `${formatProblem(one)} @${one.place.pointer}`);
}

describe('the file of a set', () => {
  it('is read with defaults, each subject after those that it needs', () => {
    const subjects = [
      { id: 'REQ-1.2', needs: ['b', 'REQ-1.1'], task: 'Do it', set: 'login', metadata: { size: [1, { deep: null }] } },
      { id: 'b', needs: 'REQ-1.1' },
      { id: 'REQ-1.1' },
    ];
    const set = read(document(...subjects));
    expect(set.ok && [...set.subjects.values()]).toEqual([
      { id: 'REQ-1.1', needs: [], metadata: {} },
      { id: 'b', needs: ['REQ-1.1'], metadata: {} },
      { ...subjects[0], needs: ['b', 'REQ-1.1'] },
    ]);
  });

  it('may begin with a byte order mark, be indented with tabs, and name its schema', () => {
    const text =
      '\uFEFF{\n\t"$schema": "x",\n\t"format": "gateline-set/1",\n\t"subjects": [\n\t\t{"id": "a"}\n\t]\n}\n';
    expect(read(text)).toMatchObject({ ok: true });
  });

  it('reports every problem at once, with line, column and pointer', () => {
    const text = [
      '{',
      '  "format": "gateline-set/1",',
      '  "subjects": [',
      '    {"id": "a", "needs": ["b", "bb", "b"]},',
      '    {"id": "b", "needs": ["c"], "tasks": "x"},',
      '    {"id": "c", "needs": ["a", "c"], "metadata": []},',
      '    {"id": "A"},',
      '    {"task": 7}',
      '  ]',
      '}',
    ].join('\n');
    expect(problems(text)).toEqual([
      'subjects.json:4:27 NEEDS_CYCLE needs: these subjects wait for each other: a → b → c → a; each needs the next; remove one of these needs @/subjects/0/needs/0',
      'subjects.json:4:32 NEED_UNKNOWN needs: `bb`: no such subject; did you mean `b`? @/subjects/0/needs/1',
      'subjects.json:4:38 NEED_DUPLICATE needs: `b`: named twice @/subjects/0/needs/2',
      'subjects.json:5:33 KEY_UNKNOWN subjects.tasks: there is no such key under `subjects`; did you mean `task`? @/subjects/1/tasks',
      'subjects.json:6:32 NEED_SELF needs: `c`: a subject cannot need itself @/subjects/2/needs/1',
      'subjects.json:6:50 VALUE_INVALID subjects.metadata: expected a map, found an empty list @/subjects/2/metadata',
      'subjects.json:7:12 SUBJECT_DUPLICATE id: `A` and `a`: the subject at line 4 has this id already @/subjects/3/id',
      expect.stringMatching(
        /^subjects\.json:8:5 KEY_MISSING subjects\.id: this key is missing: .* @\/subjects\/4\/id$/,
      ),
      'subjects.json:8:14 VALUE_INVALID subjects.task: expected text, found the number 7 @/subjects/4/task',
    ]);
  });

  it.each([
    '../a',
    'a/b',
    'a\\b',
    '/etc',
    '.git',
    '-a',
    'a..b',
    'a.lock',
    'a.',
    'a#1',
    'a b',
    'a\n',
    'é',
    '',
    'x'.repeat(101),
  ])('refuses the id %j', (id) => {
    expect(problems(document({ id }))).toEqual([expect.stringMatching(/VALUE_INVALID .*@\/subjects\/0\/id$/)]);
  });

  it.each([
    [
      'keys of prototypes',
      '{"format": "gateline-set/1", "subjects": [{"id": "a", "__proto__": {"id": "b"}}]}',
      /:1:55 JSON_SYNTAX .*__proto__/,
    ],
    ['a constructor', document({ id: 'a', constructor: { prototype: {} } }), /:6:7 KEY_UNKNOWN subjects\.constructor/],
    [
      'a key twice',
      '{"format": "gateline-set/1",\n "subjects": [{"id": "a", "id": "b"}]}',
      /:2:27 JSON_SYNTAX the object has this key twice/,
    ],
    ['trailing text', `${document({ id: 'a' })}\n]`, /:\d+:1 JSON_SYNTAX/],
    ['half of it', document({ id: 'a' }).slice(0, 30), /JSON_SYNTAX/],
    [
      'a definition',
      'pipeline: p\ngates: {}\n',
      /:1:1 JSON_SYNTAX the document starts with prose.*A set is one JSON object/,
    ],
    ['comments', '{\n  // all\n}', /:2:3 JSON_SYNTAX/],
    [
      'a plain list',
      '[{"id": "a"}]',
      /:1:1 VALUE_INVALID .*write \{"format": "gateline-set\/1", "subjects": \[…\]\} around the list/,
    ],
    [
      'another format',
      '{"format": "gateline-set/2", "subjects": [{"id": "a"}]}',
      /:1:12 VALUE_INVALID format: expected "gateline-set\/1"/,
    ],
    ['nothing', '', /JSON_SYNTAX the document is empty/],
    ['no subjects', document(), /VALUE_INVALID subjects: expected a list of subjects/],
    ['depth', '['.repeat(10_000), /JSON_SYNTAX .*60/],
    ['a length that is a map', document({ id: { length: {} } }), /VALUE_INVALID subjects\.id/],
  ])('refuses %s', (_what, text, said) => {
    const found = problems(text);
    expect(found[0]).toMatch(said);
    expect(found).toHaveLength(1);
  });

  it('refuses other encodings, and files that are too large', () => {
    expect(problems(Uint8Array.of(0xff, 0xfe, 0x7b, 0))).toEqual([expect.stringContaining('UTF-16')]);
    expect(problems(Uint8Array.of(0x7b, 0xc3, 0x28))).toEqual([expect.stringContaining('JSON_SYNTAX')]);
    expect(problems(new Uint8Array(MAX_SET_BYTES + 1))).toEqual([expect.stringContaining('8,388,608 are read')]);
  });

  it('has at most 1,000 subjects, and a long chain of them is no problem', () => {
    const chain = Array.from({ length: 1_001 }, (_, index) => ({
      id: `s${index}`,
      needs: index === 0 ? [] : `s${index - 1}`,
    }));
    expect(problems(document(...chain))).toEqual([expect.stringContaining('expected a list of 1 to 1000')]);
    const set = read(document(...chain.slice(0, 1_000).toReversed()));
    expect(set.ok && [...set.subjects.keys()]).toEqual(chain.slice(0, 1_000).map(({ id }) => id));
  });

  it('counts the problems that are not listed', () => {
    const found = problems(document(...Array.from({ length: 1_000 }, () => ({ id: 'a/b', needs: ['x', 'y'] }))));
    expect(found).toHaveLength(201);
    expect(found.at(-1)).toContain('PROBLEMS_MORE 3');
  });

  it('meets its JSON Schema', async () => {
    registerSchema(
      JSON.parse(readFileSync(SCHEMA, 'utf8')),
      'https://gateline.test/set',
      'http://json-schema.org/draft-07/schema#',
    );
    const accepts = async (text: string): Promise<boolean> =>
      (await validate('https://gateline.test/set', JSON.parse(text))).valid;
    for (const text of [
      document({ id: 'a', needs: 'b', task: 't', set: 's', metadata: { x: 1 } }, { id: 'b' }),
      document({ id: 'a/b' }),
      document({ id: 'a', needs: [7] }),
      document({ id: 'a', more: 1 }),
      document(),
      '{"subjects": [{"id": "a"}]}',
    ])
      expect(await accepts(text), text).toBe(read(text).ok);
  });
});

describe('the waves of a set', () => {
  const waves = (subjects: Json[], only?: ReadonlySet<string>): readonly (readonly string[])[] => {
    const set = read(document(...subjects));
    if (!set.ok) throw new Error('the set has problems');
    return subjectWaves(set.subjects, only);
  };
  const DIAMOND = [{ id: 'd', needs: ['b', 'c'] }, { id: 'a' }, { id: 'b', needs: 'a' }, { id: 'c' }];

  it('have each subject after those that it needs, and only those that were chosen', () => {
    expect(waves(DIAMOND)).toEqual([['a', 'c'], ['b'], ['d']]);
    expect(waves(DIAMOND, new Set(['b', 'd']))).toEqual([['b'], ['d']]);
  });

  it('are as wide as a matrix may be, and no more than there are jobs', () => {
    const many = Array.from({ length: 8 * SUBJECT_WAVE_WIDTH }, (_, number) => ({ id: `s${number}` }));
    expect(waves(many).map((ids) => ids.length)).toEqual(Array<number>(8).fill(SUBJECT_WAVE_WIDTH));
    expect(() => waves([...many, { id: 'more' }])).toThrow('the subjects are 9 waves');
  });
});
