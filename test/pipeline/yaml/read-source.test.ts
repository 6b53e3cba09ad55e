import { describe, expect, it } from 'vitest';
import { parsePipeline } from '../../../src/pipeline/parse-pipeline.ts';
import { codes, gateOf, pipelineOf, said } from '../reading.ts';

describe('a file that is no sound YAML says so with its place', () => {
  it.each([
    ['an empty file', '', '1:1 VALUE_INVALID'],
    ['only a comment', '# nothing\n', '1:1 VALUE_INVALID'],
    ['a list that does not end', 'a: [1\nb: 2', '2:1 YAML_SYNTAX'],
    ['a tab as indentation', 'gates:\n\ta: {}', '2:1 YAML_SYNTAX'],
    ['a colon in a text', 'gates:\n  a: {}\nsubject: a: b', '3:10 YAML_SYNTAX'],
    ['two documents', 'gates: {a: {}}\n---\nx: 1', '2:1 YAML_DOCUMENTS'],
    ['another version of YAML', '%YAML 1.1\n---\ngates: {a: {}}', '1:1 YAML_VERSION'],
    ['a key given twice', 'gates:\n  a: {}\n  b: {}\n  a: {}', '4:3 KEY_DUPLICATE'],
    ['a merge key', 'gates:\n  a:\n    <<: {run: x}', '3:5 YAML_MERGE'],
    ['a key that is a list', 'gates:\n  ? [a]\n  : {}', '2:5 YAML_SYNTAX'],
    ['a tag', 'gates: {a: {run: !cmd x}}', '1:18 YAML_TAG'],
    ['an alias without its anchor', 'gates: {a: *x}', '1:12 YAML_ALIAS'],
    ['an alias inside its anchor', 'gates: &g\n  a: *g', '2:6 YAML_ALIAS'],
    ['a number that is none', 'metadata: {x: .nan}\ngates: {a: {}}', '1:15 VALUE_INVALID'],
    ['a key of every prototype', 'metadata: {__proto__: {x: 1}}\ngates: {a: {}}', '1:12 KEY_RESERVED'],
    ['half a character', 'metadata: {x: "\\ud800"}\ngates: {a: {}}', '1:15 TEXT_INVALID'],
    ['a NUL', 'gates: {a: {}}\n#\0', '2:2 YAML_SYNTAX'],
    ['nesting without end', `gates: ${'['.repeat(100)}${']'.repeat(100)}`, '1:72 FILE_TOO_DEEP'],
  ])('%s', (_what, text, expected) => {
    expect(codes(text)).toContain(expected);
  });

  it('names the line on which a key stands first', () => {
    expect(said('gates:\n  a: {}\n  a: {}')).toEqual([
      '3:3 KEY_DUPLICATE key `a` appears twice; the first is on line 2',
    ]);
  });

  it('helps with a glob that YAML takes for an alias', () => {
    expect(said('gates:\n  a:\n    inputs: [*.md]')).toEqual([
      '3:14 YAML_ALIAS alias `*.md`: no anchor of that name is defined before it; put a glob that begins with `*` in quotes',
    ]);
  });

  it('refuses more than 1 MiB of UTF-8 without parsing it', () => {
    const text = `gates: {a: {}}\n#${'é'.repeat(524_288)}`;
    expect(codes(text)).toEqual(['1:1 FILE_TOO_LARGE']);
    expect(parsePipeline(text.slice(0, 524_000), 'f').ok).toBe(true);
  });

  it('survives nesting that no stack holds', () => {
    expect(codes('['.repeat(1_000_000))).toEqual(['1:65 FILE_TOO_DEEP']);
    expect(codes('- '.repeat(5_000)).some((line) => line.endsWith(' FILE_TOO_DEEP'))).toBe(true);
  });

  it('refuses an alias bomb', () => {
    const levels = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i}, `.repeat(9).slice(0, -2)}]`);
    const found = codes(`metadata:\n  a0: &a0 [x]\n  ${levels.join('\n  ')}\ngates: {a: {}}`);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/ FILE_TOO_LARGE$/);
  });
});

describe('what YAML allows', () => {
  it('a byte order mark, CRLF and comments', () => {
    expect(gateOf('\uFEFF# c\r\ngates:\r\n  a:\r\n    run: |\r\n      x\r\n      y\r\n').run).toBe('x\ny\n');
    expect(codes('\uFEFFgate: 1')).toContain('1:1 KEY_UNKNOWN');
  });

  it('anchors and aliases, the last one of a name', () => {
    const { gates } = pipelineOf(
      'gates:\n  a: {env: &e {X: a}}\n  b: {env: *e}\n  c: {env: &e {X: c}}\n  d: {env: *e}',
    );
    expect(gates.map(({ env }) => env['X'])).toEqual(['a', 'a', 'c', 'c']);
  });

  it('tells an error in an anchored value once, where it is written', () => {
    expect(codes('gates:\n  a: &g\n    retries: 11\n  b: *g\n  c: *g')).toEqual(['3:14 VALUE_INVALID']);
  });

  it('on, yes and no are texts, as YAML 1.2 has them', () => {
    expect(pipelineOf('metadata: {a: yes, b: no, c: on, d: 0o17}\ngates: {a: {}}').metadata).toEqual({
      a: 'yes',
      b: 'no',
      c: 'on',
      d: 15,
    });
  });
});
