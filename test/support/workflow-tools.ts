import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { isSystemError } from '../../src/errors.ts';

/** Workflows name our own actions by their release, all others by a commit. */
const POLICIES = { 'gateline/gateline/*': 'ref-pin', 'gateline/gateline': 'ref-pin', '*': 'hash-pin' };
const ARGUMENTS = {
  actionlint: ['-no-color', '-shellcheck=', '-pyflakes='],
  zizmor: ['--offline', '--no-progress', '--color=never', '--config', 'config.json'],
};
export const WORKFLOW_TOOLS = Object.keys(ARGUMENTS) as (keyof typeof ARGUMENTS)[];

/** Expects that a tool of the PATH has nothing to say about workflows, by name. Without it: an error in CI, else a note. */
export function expectClean(tool: keyof typeof ARGUMENTS, workflows: Readonly<Record<string, string>>): void {
  expect(checkWorkflows(tool, workflows)).toBe('');
}

/** What a tool says about workflows, by name; '' if it has nothing to say. */
export function checkWorkflows(tool: keyof typeof ARGUMENTS, workflows: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'gateline-workflows-'));
  try {
    const files = Object.entries(workflows).map(([name, text]) => {
      // actionlint does not know `$/`: this repository at the commit of the workflow.
      writeFileSync(
        join(folder, `${name}.yml`),
        tool === 'actionlint' ? text.replaceAll(/(uses: )\$\//g, '$1./') : text,
      );
      return `${name}.yml`;
    });
    const rules = { 'unpinned-uses': { config: { policies: POLICIES } } };
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ rules }));
    const options = { encoding: 'utf8', cwd: folder } as const;
    const { status, stdout, stderr, error } = spawnSync(tool, [...ARGUMENTS[tool], ...files], options);
    if (isSystemError(error, 'ENOENT') && !process.env['CI']) {
      console.warn(`left out: there is no ${tool} here`);
      return '';
    }
    return status === 0 ? '' : `${tool} fails:\n${stdout}${stderr}${error ?? ''}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
