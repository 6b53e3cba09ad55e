import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ROOT, StepFailed, say, script } from './steps.mjs';
import { findTool, leftOut, mustHaveTools } from './workflow-tools.mjs';

/**
 * `uses: $/…` and `$/` in `uses:` of a job: this repository at the workflow's own commit. actionlint does not support
 * it yet.
 */
const SELF = /^(\s*(?:-\s+)?uses:\s*['"]?)\$\//gm;

/** Workflow files below a folder: the repository's own, and every YAML file with jobs in its examples. */
function workflows(root) {
  const own = yamlFiles(join(root, '.github', 'workflows'));
  const examples = yamlFiles(join(root, 'examples')).filter((path) => /^jobs:/m.test(readFileSync(path, 'utf8')));
  return [...own, ...examples];
}

function yamlFiles(folder) {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name));
  return files.map((entry) => join(entry.parentPath, entry.name)).sort();
}

/** The errors of a tool, or undefined. */
function complaint(name, args, options) {
  const path = findTool(name);
  if (path === undefined) return undefined;
  const { status, signal, stdout, stderr, error } = spawnSync(path, args, { encoding: 'utf8', ...options });
  if (error !== undefined) throw error;
  return status === 0 ? undefined : `${name}: ${signal ?? `exit code ${status}`}\n${stdout}${stderr}`.trimEnd();
}

function lint(path) {
  const input = readFileSync(path, 'utf8').replaceAll(SELF, '$1./');
  return complaint('actionlint', ['-no-color', '-shellcheck=', '-pyflakes=', '-stdin-filename', path, '-'], { input });
}

// `npm run check:workflows [folder]`: every workflow is valid for GitHub and passes the security checks.
await script(() => {
  const root = resolve(process.argv[2] ?? ROOT);
  const files = workflows(root);
  if (files.length === 0) throw new StepFailed(`There is no workflow below ${root}.`);
  const audited = ['action.yml', '.github/dependabot.yml'].map((name) => join(root, name)).filter(existsSync);
  const settings = join(root, '.github', 'zizmor.yml');
  const config = existsSync(settings) ? ['--config', settings] : [];
  const complaints = [
    ...files.map(lint),
    complaint('zizmor', ['--offline', '--no-progress', '--color=never', ...config, ...files, ...audited]),
  ].filter((text) => text !== undefined);
  const missing = leftOut();
  for (const line of missing) say(`left out: ${line}`);
  if (missing.length > 0 && mustHaveTools()) complaints.push('In CI nothing is left out.');
  if (complaints.length > 0) throw new StepFailed(complaints.join('\n'));
  say(`${files.length} workflows are as they should be.`);
});
