import { describe, expect, it } from 'vitest';
import { findDependencyFolders } from '../../src/workspace/dependencies/link-dependencies.ts';
import { Folder } from './folder.ts';

describe('folders of installed packages', () => {
  it('are found at the top and beside the files that name dependencies', async () => {
    await using folder = await Folder.plain();
    for (const place of ['', 'packages/a/', 'packages/b/', 'docs/', 'fixtures/node_modules/x/']) {
      folder.write(`${place}node_modules/foo/index.js`, '');
    }
    for (const place of ['.venv', 'services/api/.venv', 'services/old/venv', 'services/web/venv', 'docs/.venv']) {
      folder.write(`${place}/pyvenv.cfg`, '');
    }
    folder.write('tools/venv/notes.txt', '');
    folder.write('tools/node_modules', 'a file');
    const files = [
      'packages/a/package.json',
      'packages/none/package.json',
      'packages/b/package.json.orig',
      'services/api/pyproject.toml',
      'services/old/requirements-dev.txt',
      'services/web/Pipfile',
      'fixtures/node_modules/x/package.json',
      'tools/package.json',
      'tools/setup.py',
      'docs/readme.md',
    ];
    expect(await findDependencyFolders(folder.root, files)).toEqual([
      '.venv',
      'node_modules',
      'packages/a/node_modules',
      'services/api/.venv',
      'services/old/venv',
      'services/web/venv',
    ]);
  });

  it('of 50,000 files are found without a walk', async () => {
    await using folder = await Folder.plain();
    const files = Array.from({ length: 50_000 }, (_, index) => `packages/p${index % 200}/src/deep/file-${index}.ts`);
    for (let index = 0; index < 200; index += 1) files.push(`packages/p${index}/package.json`);
    folder.write('packages/p7/node_modules/foo/index.js', '');
    const times: number[] = [];
    for (let run = 0; run < 5; run += 1) {
      const begun = performance.now();
      expect(await findDependencyFolders(folder.root, files)).toEqual(['packages/p7/node_modules']);
      times.push(performance.now() - begun);
    }
    expect(Math.min(...times)).toBeLessThan(150);
  });
});
