import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { pack } from '../../scripts/bundle.mjs';
import { bundledPackages, licenseText } from '../../scripts/licenses.mjs';
import { ROOT } from './repository-files.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gateline-licenses-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function writePackage(path: string, about: Readonly<Record<string, unknown>>, code: string, terms?: string): void {
  write(`${path}/package.json`, JSON.stringify({ type: 'module', main: 'index.js', ...about }));
  write(`${path}/index.js`, code);
  if (terms !== undefined) write(`${path}/LICENSE`, terms);
}

/** Packages with code in the chunks of a program: `name version (licence)`. */
const titles = (text: string): string[] => [...text.matchAll(/^(\S+ \d\S* \(.+\))$/gm)].map((match) => match[1]!);

describe('the list of licences', () => {
  it('has every package of every chunk, each version of it, and each text once', async () => {
    const now = 'import { deep } from "deep"; export const now = deep + 1;';
    writePackage(
      'node_modules/now',
      { name: 'now', version: '1.0.0', license: 'MIT' },
      now,
      'Copyright (c) 2020 Now\n\nOne  text\n',
    );
    writePackage(
      'node_modules/deep',
      { name: 'deep', version: '2.0.0', license: 'MIT' },
      'export const deep = 1;',
      'Copyright 2021 Deep\n\nOne\ntext',
    );
    const later = 'const { deep } = require("deep"); exports.later = deep;';
    writePackage(
      'node_modules/@at/later',
      { name: '@at/later', version: '3.0.0', license: 'ISC', type: 'commonjs', author: 'A. Author' },
      later,
    );
    const inner = { name: 'deep', version: '9.0.0', license: 'Apache-2.0', type: 'commonjs' };
    writePackage('node_modules/@at/later/node_modules/deep', inner, 'exports.deep = 9;', 'Another text');
    write('node_modules/@at/later/node_modules/deep/NOTICE', 'To be passed on');
    writePackage('node_modules/unused', { name: 'unused', version: '1.0.0', license: 'MIT' }, 'export default 1;', 'x');
    write('package.json', '{"type": "module"}');
    write('chunk.js', 'import { later } from "@at/later"; export { later };');
    write('entry.js', 'import { now } from "now"; console.log(now, (await import("./chunk.js")).later);');

    const text = licenseText(bundledPackages(await pack(join(folder, 'entry.js'), join(folder, 'out'))));
    expect(titles(text)).toEqual([
      '@at/later 3.0.0 (ISC)',
      'deep 2.0.0 (MIT)',
      'now 1.0.0 (MIT)',
      'deep 9.0.0 (Apache-2.0)',
    ]);
    expect(text).toContain('The package states ISC, without a text. Its origin: A. Author\n');
    expect(text).toContain('Copyright 2021 Deep\nnow 1.0.0 (MIT)\n  Copyright (c) 2020 Now\n\nOne\ntext\n');
    expect(text).toContain('Another text\n\nTo be passed on\n');
    expect(readdirSync(join(folder, 'out'))).toHaveLength(3);
  });

  it('is refused for a package that states no licence', () => {
    writePackage('node_modules/secret', { name: 'secret', version: '1.0.0' }, '');
    expect(() => licenseText([join(folder, 'node_modules/secret')])).toThrow('Package secret states no licence.');
  });

  it('has what both programs of dist/ load', () => {
    const listed = titles(readFileSync(join(ROOT, 'dist', 'licenses.txt'), 'utf8')).map((title) => title.split(' ')[0]);
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      dependencies: Readonly<Record<string, string>>;
    };
    // An interface, of which no code is left in the bundle, and packages that are not imported yet.
    const without = ['@standard-schema/spec', 'ajv', 'ajv-formats', 'commander'];
    const code = Object.keys(dependencies).filter((name) => !without.includes(name));
    expect(listed).toEqual(expect.arrayContaining([...code, '@actions/artifact', '@actions/cache', 'undici', 'zod']));
    expect(new Set(listed).size).toBeGreaterThan(150);
  });
});
