import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CODE_SECTIONS } from '../../src/errors/error-codes.ts';
import { GatelineError } from '../../src/errors/gateline-error.ts';
import { FINDINGS } from '../../src/local/doctor/finding.ts';

const catalogue = new Map(CODE_SECTIONS.flatMap(({ codes }) => Object.entries(codes)));

const files = globSync('src/**/*.ts').filter(
  (file) => !file.startsWith('src/errors/codes/') && file !== 'src/errors/error-codes.ts',
);
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
  // A word of git, and one of a template.
  'GIT_COMMITTER_IDENT',
  'TC_001',
  // Words of zlib.
  'Z_DATA_ERROR',
  'Z_BUF_ERROR',
  // Words of the YAML library.
  'QUOTE_DOUBLE',
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
  // What `gateline doctor` finds, which docs/reference/state-files.md explains.
  ...Object.keys(FINDINGS),
]);

/** The rooms in which words in capitals are those of other formats. */
const FOREIGN_WORDS = /^src\/formats\//;

function spelt(text: string): string[] {
  return [...text.matchAll(/'([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)'/g)].map(([, code]) => code!);
}

/** Codes of one word cannot be told from other words, but where they stand says it. */
function placed(text: string): string[] {
  const places = /(?:GatelineError\(\s*|\bsuper\(|\bcode: |\bfault\(|\?\? |#problem\(\w+, )'([A-Z][A-Z0-9_]{3,})'/g;
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

  it('names only faults that an error of the code has', () => {
    const others = sources.flatMap(({ text }) => [
      ...text.matchAll(/GatelineError\(\s*'([A-Z0-9_]+)'(?:(?!GatelineError)[^])*?\bfault: '(\w+)'/g),
    ]);
    expect(others.length).toBeGreaterThan(2);
    for (const [, code, fault] of others) expect(catalogue.get(code!)!.from.slice(1), code).toContain(fault);
    for (const [code, { from }] of catalogue) {
      const faults = from.filter((origin) => !['definition', 'contract', 'state'].includes(origin));
      const named = others.filter(([, other]) => other === code).map(([, , fault]) => fault!);
      expect([...new Set(named)], code).toEqual(faults.slice(1));
    }
  });

  it('gives an error the fault, the hint and the title of its code, unless it has its own', () => {
    const plain = new GatelineError('GATE_CLAIMED', 'x');
    const { remedy, title } = catalogue.get('GATE_CLAIMED')!;
    expect(plain).toMatchObject({ fault: 'user', hint: remedy, title });
    const own = new GatelineError('FILE_UNREADABLE', 'x', { fault: 'platform', hint: 'Look.' });
    expect(own).toMatchObject({ fault: 'platform', hint: 'Look.', title: undefined });
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
