import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sizedTests, quickTests } from '../../scripts/sized-tests.mjs';
import { ROOT } from './repository-files.ts';

it('.ci/run leaves no test out: what it does not run with coverage runs in full', () => {
  const names = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' });
  const all = names.filter((name) => name.endsWith('.test.ts')).map((name) => `test/${name.replaceAll('\\', '/')}`);
  const first = quickTests();
  expect(first.length).toBeLessThan(all.length);
  expect([...new Set([...first, ...sizedTests()])].toSorted()).toEqual(all.toSorted());
});
