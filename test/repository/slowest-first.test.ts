import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SLOWEST } from '../support/slowest-first.ts';
import { ROOT } from './repository-files.ts';

describe('the tests that start first', () => {
  it('are there, each once', () => {
    expect(SLOWEST.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(new Set(SLOWEST).size).toBe(SLOWEST.length);
  });
});
