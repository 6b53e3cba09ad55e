import { describe, expect, it } from 'vitest';
import { FORMATS } from '../../src/formats/formats.ts';
import { numbersFrom, SEED } from '../support/samples.ts';
import { damaged, SOUND } from './hostile-files.ts';

const CASES = 60;

describe.each(Object.keys(FORMATS))('%s', (name) => {
  const { read } = FORMATS[name]!;
  const sound = Object.entries(SOUND[name]!).map(([path, text]) => ({ path, bytes: Buffer.from(text), modified: 0 }));

  it('reads its sound files', () => {
    expect(read(sound).problems).toEqual([]);
  });

  it('never throws because of a damaged file, and names each problem with its file', () => {
    const next = numbersFrom(SEED);
    let refused = 0;
    for (let n = 0; n < CASES; n += 1) {
      const files = sound.map((file, index) =>
        index === n % sound.length ? { ...file, bytes: damaged(file.bytes.toString(), next) } : file,
      );
      const { problems, run, notMoved, notes } = read(files);
      const paths = new Set([...files.map(({ path }) => path), ...run.documents.map((one) => `${one.name}.md`)]);
      for (const { file, pointer } of [...problems, ...notMoved]) {
        expect(paths).toContain(file);
        expect(pointer).toMatch(/^(?:\/(?:[^~/]|~[01])*)*$/);
      }
      // Everything is JSON, as records and definitions must be.
      const all = { run, problems, notMoved, notes };
      expect(JSON.parse(JSON.stringify(all))).toEqual(all);
      if (problems.length > 0) refused += 1;
    }
    expect(refused).toBeGreaterThan(CASES / 4);
  });
});
