// Judges what is not committed, without running any of it. Add your own rules.
import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync, writeFileSync } from 'node:fs';

const RUNS_BY_ITSELF =
  /^\.(github|husky|vscode|devcontainer)\/|(^|\/)(package\.json|Makefile|\.npmrc|\.gitattributes)$/;
const SECRET = /-----BEGIN [A-Z ]*PRIVATE KEY|\bgh[pousr]_\w{36}|\bAKIA[0-9A-Z]{16}\b/;
const MAX_FILES = 50;

const options = ['--porcelain', '-z', '--untracked-files=all', '--no-renames'];
const status = execFileSync('git', ['status', ...options, '--', '.', ':(exclude).state'], { encoding: 'utf8' });
const changes = status.split('\0').filter(Boolean);
const findings = changes.flatMap((change) => {
  const [how, file] = [change.slice(0, 2), change.slice(3)];
  const report = (isBad, message) => (isBad ? [{ file, message }] : []);
  if (how.includes('D')) return report(/test|spec/i.test(file), 'a test is deleted');
  if (!lstatSync(file).isFile()) return report(true, 'it is not a plain file');
  const hasSecret = SECRET.test(readFileSync(file, 'latin1'));
  return [...report(RUNS_BY_ITSELF.test(file), 'it runs by itself'), ...report(hasSecret, 'it holds a secret')];
});
if (changes.length > MAX_FILES) findings.push({ file: '', message: `${changes.length} files are changed` });
writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify({ files: changes.length, findings }));
