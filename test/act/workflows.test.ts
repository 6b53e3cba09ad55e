import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findTool, leftOut, mustHaveTools } from '../../scripts/workflow-tools.mjs';

const FOLDER = join(import.meta.dirname, 'workflows');

it('the workflows that act runs here are sound to actionlint', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.yml'));
  expect(files).toEqual(['chain.yml', 'matrix.yml', 'reviewers.yml']);
  const actionlint = findTool('actionlint');
  if (actionlint === undefined) {
    const message = `left out: ${leftOut().find((line) => line.startsWith('no actionlint,'))}`;
    if (mustHaveTools()) throw new Error(message);
    console.warn(message);
    return;
  }
  const args = ['-no-color', '-shellcheck=', '-pyflakes=', ...files];
  const { status, stdout, stderr } = spawnSync(actionlint, args, { cwd: FOLDER, encoding: 'utf8' });
  expect(`${stdout}${stderr}`).toBe('');
  expect(status).toBe(0);
});
