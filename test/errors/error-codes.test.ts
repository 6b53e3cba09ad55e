import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CODE_SECTIONS } from '../../src/errors/error-codes.ts';

const catalogue = new Map(CODE_SECTIONS.flatMap(({ codes }) => Object.entries(codes)));

const files = globSync('src/**/*.ts').filter((file) => !file.startsWith('src/errors/'));
const sources = files.map((file) => ({
  file,
  // Without comments, which may name codes.
  text: readFileSync(file, 'utf8').replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, ''),
}));

/** What is spelt like a code and is none. */
const NO_CODES = new Set([
  // Variables of the environment.
  ...readFileSync('src/environment.ts', 'utf8').match(/[A-Z][A-Z0-9_]{3,}/g)!,
  'GITHUB_TOKEN',
  // Words of the YAML library.
  'MULTIPLE_DOCS',
  'TAB_AS_INDENT',
  'NON_STRING_KEY',
  'RESOURCE_EXHAUSTION',
  'TAG_RESOLVE_FAILED',
  'BLOCK_AS_IMPLICIT_KEY',
  // Words of Node.
  'ERR_STREAM_DESTROYED',
  'ERR_BUFFER_TOO_LARGE',
  'NODE_OPTIONS',
  'NODE_CHANNEL_FD',
  'ENOSPC',
]);

/** The rooms in which words in capitals are those of other formats. */
const FOREIGN_WORDS = /^src\/formats\//;

function spelt(text: string): string[] {
  return [...text.matchAll(/'([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)'/g)].map(([, code]) => code!);
}

/** Codes of one word cannot be told from other words, but where they stand says it. */
function placed(text: string): string[] {
  const places =
    /(?:GatelineError\(\s*'\w+',\s*|\bsuper\('\w+', |\bcode: |\bfault\(|\?\? |#problem\(\w+, )'([A-Z][A-Z0-9_]{3,})'/g;
  return [...text.matchAll(places)].map(([, code]) => code!);
}

describe('the catalogue of error codes', () => {
  it('has every code that the sources speak of', () => {
    const missing = sources.flatMap(({ file, text }) => {
      const words = FOREIGN_WORDS.test(file) ? placed(text) : [...spelt(text), ...placed(text)];
      return words.filter((word) => !NO_CODES.has(word) && !catalogue.has(word)).map((word) => `${file}: ${word}`);
    });
    expect(missing).toEqual([]);
  });

  it('has no code that the sources do not speak of', () => {
    const all = sources.map(({ text }) => text).join('\n');
    expect([...catalogue.keys()].filter((code) => !new RegExp(`\\b${code}\\b`).test(all))).toEqual([]);
  });

  it('says of each thrown code whose fault it is', () => {
    const thrown = new Map<string, Set<string>>();
    for (const { text } of sources) {
      for (const [, fault, code] of text.matchAll(/GatelineError\(\s*'(\w+)',\s*'([A-Z0-9_]+)'/g)) {
        thrown.set(code!, (thrown.get(code!) ?? new Set()).add(fault!));
      }
    }
    expect(thrown.size).toBeGreaterThan(60);
    for (const [code, faults] of thrown) {
      const known = catalogue.get(code)!.from.filter((origin) => !['definition', 'contract', 'state'].includes(origin));
      expect(known.toSorted(), code).toEqual([...faults].toSorted());
    }
  });

  it('names each code once, with one sentence of meaning and a remedy', () => {
    const codes = CODE_SECTIONS.flatMap((section) => Object.keys(section.codes));
    expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([]);
    for (const [code, { from, means, remedy }] of catalogue) {
      expect(from.length, code).toBeGreaterThan(0);
      for (const text of [means, remedy]) expect(text, code).toMatch(/^\S.{5,}\.$/);
    }
  });
});
