import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { architecturePage } from '../../scripts/write-architecture.ts';
import { ROOT } from './repository-files.ts';

const PAGE = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');

describe('docs/architecture.md', () => {
  it('has the rooms as they are: run `node scripts/write-architecture.ts`', () => {
    expect(architecturePage()).toEqual({ 'docs/architecture.md': PAGE });
  });

  it('names files and folders that exist', () => {
    const named = [...PAGE.matchAll(/`((?:src|scripts)\/[^`]*)`/g)].map(([, path]) => path!);
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
