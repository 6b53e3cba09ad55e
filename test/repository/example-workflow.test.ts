import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './repository-files.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8').replace(/^(?:#.*\n)+/, '');

it('.github/workflows/example.yml is the workflow of examples/web-tests, with the action of this commit', () => {
  const shown = read('examples/web-tests/workflow.yml');
  expect(shown.split('uses: gateline/gateline@v1')).toHaveLength(8);
  expect(read('.github/workflows/example.yml')).toBe(shown.replaceAll('uses: gateline/gateline@v1', 'uses: $/'));
});
