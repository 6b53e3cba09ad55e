import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OPTIONS = [
  '--noEmit',
  '--strict',
  '--noUncheckedIndexedAccess',
  '--erasableSyntaxOnly',
  '--allowImportingTsExtensions',
];
const TARGET = ['--target', 'es2023', '--module', 'nodenext', '--types', ''];

/** Compiles files without writing anything. Gives each error that the TypeScript compiler tells, with its place. */
export function typeCheck(files: readonly string[]): Promise<string[]> {
  const compiler = join(dirname(fileURLToPath(import.meta.resolve('typescript/package.json'))), 'bin', 'tsc');
  // --ignoreConfig: the files are judged by themselves, not by the configuration of the repository around them.
  const args = [compiler, '--ignoreConfig', '--pretty', 'false', ...OPTIONS, ...TARGET, ...files];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { encoding: 'utf8' }, (error, stdout, stderr) => {
      const errors = stdout.split(/\r?\n/).filter((line) => /\berror TS\d+:/.test(line));
      if (error && errors.length === 0)
        reject(new Error(`the TypeScript compiler failed: ${stderr || error.message}`, { cause: error }));
      else resolve(errors);
    });
  });
}
