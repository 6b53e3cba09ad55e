import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { findTool, leftOut, mustHaveTools } from '../../../scripts/workflow-tools.mjs';

/** Workflows name our own actions by their release, all others by a commit. */
const POLICIES = { 'gateline/gateline/*': 'ref-pin', 'gateline/gateline': 'ref-pin', '*': 'hash-pin' };
const ARGUMENTS = {
  actionlint: ['-no-color', '-shellcheck=', '-pyflakes='],
  zizmor: ['--offline', '--no-progress', '--color=never', '--config', 'config.json'],
};
export const WORKFLOW_TOOLS = Object.keys(ARGUMENTS) as (keyof typeof ARGUMENTS)[];

/** Expects that a tool has nothing to say about workflows, by name. Without the tool: an error in CI, else a note. */
export function expectClean(tool: keyof typeof ARGUMENTS, workflows: Readonly<Record<string, string>>): void {
  const program = findTool(tool);
  if (program === undefined) {
    if (mustHaveTools()) throw new Error(leftOut().join('\n'));
    return console.warn(`left out: ${leftOut().join(', ')}`);
  }
  const folder = mkdtempSync(join(tmpdir(), 'gateline-workflows-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const files = Object.entries(workflows).map(([name, text]) => {
    // actionlint does not know `$/`: this repository at the commit of the workflow.
    writeFileSync(join(folder, `${name}.yml`), tool === 'actionlint' ? text.replaceAll(/(uses: )\$\//g, '$1./') : text);
    return `${name}.yml`;
  });
  const rules = { 'unpinned-uses': { config: { policies: POLICIES } } };
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ rules }));
  const { status, stdout, stderr } = spawnSync(program, [...ARGUMENTS[tool], ...files], {
    encoding: 'utf8',
    cwd: folder,
  });
  expect(status, `${stdout}${stderr}`).toBe(0);
}
