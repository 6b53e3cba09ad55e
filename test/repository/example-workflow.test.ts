import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './repository-files.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8').replace(/^(?:#.*\n)+/, '');

it('.github/workflows/example.yml is the workflow of examples/web-tests, with the action of this commit', () => {
  const shown = read('examples/web-tests/workflow.yml');
  expect(shown.split('uses: gateline/gateline@v1')).toHaveLength(8);
  expect(read('.github/workflows/example.yml')).toBe(shown.replaceAll('uses: gateline/gateline@v1', 'uses: $/'));
});

it('examples/web-tests/workflow.yml names all packages that its agents use, in the versions that are tested', () => {
  const agents = globSync('examples/web-tests/agents/**/*.ts', { cwd: ROOT }).filter((path) => !path.endsWith('.d.ts'));
  // Imports of what agents write (`from '${…}'`) and of the example itself (`./…`) are no packages.
  const imports = /\b(?:from|import|import\(|import\.meta\.resolve\()\s*'((?:@[\w.-]+\/)?[a-z][\w.-]*)(?:\/[^']*)?'/g;
  const used = agents.flatMap((path) => [...readFileSync(join(ROOT, path), 'utf8').matchAll(imports)]);
  const packages = new Set(used.map(([, name]) => name!).filter((name) => !isBuiltin(name)));
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  const expected = [...packages].toSorted().map((name) => `${name}@${devDependencies[name]}`);
  expect(expected).toHaveLength(4);
  const lines = readFileSync(join(ROOT, 'examples/web-tests/workflow.yml'), 'utf8').split('\n');
  const command = lines.find((line) => line.startsWith('#') && line.includes('npm install'))!;
  expect([...command.matchAll(/\S+@\d[\w.]*/g)].map(([name]) => name).toSorted()).toEqual(expected);
});
