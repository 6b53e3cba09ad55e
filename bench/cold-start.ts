import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compare, type Figure } from './measure.ts';

const ROOT = join(import.meta.dirname, '..');
const ROUNDS = 11;

/**
 * The time that a user waits: whole processes, from the command to the prompt, in a copy of examples/web-tests.
 *
 * @param cliPath absolute path of the bundle to measure. Default: the one in dist/, else one built for this run
 */
export async function coldStart(cliPath: string | undefined): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gateline-bench-'));
  try {
    const cli = cliPath ?? (await bundledCli(folder));
    const workspace = join(folder, 'web-tests');
    copyExample(workspace);
    // The agents are TypeScript: they run with the same Node as this process.
    const path = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
    const environment = { ...process.env, PATH: path, WEB_TESTS_BROWSER: 'embedded' };
    const gateline = (...args: string[]): string =>
      execFileSync(process.execPath, [cli, ...args], {
        cwd: workspace,
        encoding: 'utf8',
        env: environment,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
    gateline('run', '--quiet');
    const empty = {
      name: '`node -e 0`',
      work: () => execFileSync(process.execPath, ['-e', '0'], { cwd: workspace, stdio: 'ignore' }),
    };
    const reuse = (): void => {
      if (!gateline('run', '--quiet').includes('6 reused')) throw new Error('not every gate was reused');
    };
    return [
      await compare('`gateline help`', () => gateline('help'), empty, ROUNDS, 'children'),
      await compare('`gateline status`, 6 gates', () => gateline('status'), empty, ROUNDS, 'children'),
      await compare('`gateline plan`, 6 gates reused', () => gateline('plan'), empty, ROUNDS, 'children'),
      await compare('`gateline run --quiet`, 6 gates reused', reuse, empty, ROUNDS, 'children'),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The bundle as users run it: from dist/ if it was built, else one built for this run. */
async function bundledCli(folder: string): Promise<string> {
  const built = join(ROOT, 'dist', 'cli', 'index.js');
  if (existsSync(built)) return built;
  const { bundle, compile } = (await import(pathToFileURL(join(ROOT, 'scripts', 'bundle.mjs')).href)) as {
    bundle: (folder: string) => Promise<void>;
    compile: () => void;
  };
  compile();
  await bundle(join(folder, 'dist'));
  return join(folder, 'dist', 'cli', 'index.js');
}

/** The example without leftovers of runs, committed to its own repository. Its agents find their libraries here. */
function copyExample(to: string): void {
  const left = new Set(['.state', 'tests', 'knowledge']);
  const from = join(ROOT, 'examples', 'web-tests');
  cpSync(from, to, { recursive: true, filter: (path) => !left.has(path.slice(from.length + 1)) });
  symlinkSync(join(ROOT, 'node_modules'), join(to, 'node_modules'), 'junction');
  const git = (...args: string[]): Buffer => execFileSync('git', args, { cwd: to });
  git('init', '--quiet');
  git('add', '--all');
  git('-c', 'user.name=bench', '-c', 'user.email=bench@example.org', 'commit', '--quiet', '--message', 'the example');
}
