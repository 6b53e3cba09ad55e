import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { compare, type Figure } from './measure.ts';

const ROOT = join(import.meta.dirname, '..');
const ROUNDS = 15;
const STEPS = ['one', 'two', 'three', 'four', 'five', 'six'] as const;
/** Installed for this benchmark only. */
const TOOLS = { wireit: '0.14.13', turbo: '2.11.11' };
/** Installed by pip, where there is a Python for it. */
const DVC = 'dvc==3.67.1';

/**
 * A chain of six steps in which nothing changed, by Gateline and by tools that people use for it. Gateline writes a
 * record for each gate, flushed to the disk; make looks at times, wireit, turbo and DVC at contents.
 *
 * @param cli absolute path of the bundle to measure; default: the one in dist/
 */
export async function localRuns(cli = join(ROOT, 'dist', 'cli', 'index.js')): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gateline-bench-'));
  try {
    prepare(folder, cli);
    const start = (command: string, ...args: string[]): string =>
      execFileSync(command, args, {
        cwd: folder,
        encoding: 'utf8',
        env: environment(),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    const gateline = (): void => {
      if (!start(process.execPath, cli, 'run', '--quiet').includes('6 reused')) throw new Error('not all were reused');
    };
    const throughNpm = (script: string) => (): void => void start('npm', 'run', '--silent', script);
    const name = 'a run of six gates, all reused';
    const make = { name: '`make`', work: () => start('make', 'six.txt') };
    const turbo = { name: '`turbo run`', work: () => start(join('node_modules', '.bin', 'turbo'), 'run', 'turbo-six') };
    const wireit = { name: 'wireit', work: throughNpm('six') };
    start(process.execPath, cli, 'run', '--quiet');
    const dvc = hasDvc(folder)
      ? [{ name: '`dvc repro`', work: () => start(join('venv', 'bin', 'dvc'), 'repro', '--quiet') }]
      : [];
    const others = [make, turbo, ...dvc];
    for (const { work } of [...others, wireit]) work();
    const figures: Figure[] = [];
    for (const other of others) figures.push(await compare(name, gateline, other, ROUNDS, 'children'));
    return [...figures, await compare(`${name}, started by npm`, throughNpm('gates'), wireit, ROUNDS, 'children')];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A repository in which every tool can run the chain: each step appends a line to the text of the one before. */
function prepare(folder: string, cli: string): void {
  const write = (path: string, content: unknown): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`);
  };
  const before = (index: number): string => (index === 0 ? 'begin.txt' : `${STEPS[index - 1]}.txt`);
  const command = (step: string, index: number): string =>
    `cp ${before(index)} ${step}.txt && echo ${step} >> ${step}.txt`;
  const chain = STEPS.map((step, index) => ({ step, index, needs: index === 0 ? [] : [STEPS[index - 1]!] }));
  write('begin.txt', 'begin\n');
  write('.gitignore', 'node_modules\nvenv\n.state\n.wireit\n.turbo\n*.txt\n!begin.txt\n');
  write(
    'Makefile',
    chain.map(({ step, index }) => `${step}.txt: ${before(index)}\n\t${command(step, index)}\n`).join('\n'),
  );
  write('gateline.yml', {
    pipeline: 'steps',
    gates: Object.fromEntries(
      chain.map(({ step, index, needs }) => [
        step,
        {
          run: `${command(step, index)} && echo '{"done": true}' > "$GATELINE_OUTPUT"`,
          shell: 'sh',
          needs,
          inputs: [before(index)],
          files: [`${step}.txt`],
        },
      ]),
    ),
  });
  write('dvc.yaml', {
    stages: Object.fromEntries(
      chain.map(({ step, index }) => [
        step,
        { cmd: command(step, index), deps: [before(index)], outs: [`${step}.txt`] },
      ]),
    ),
  });
  write('turbo.json', {
    $schema: 'https://turbo.build/schema.json',
    tasks: Object.fromEntries(
      chain.map(({ step, index, needs }) => [
        `turbo-${step}`,
        { dependsOn: needs.map((need) => `turbo-${need}`), inputs: [before(index)], outputs: [`${step}.txt`] },
      ]),
    ),
  });
  write('package.json', {
    name: 'steps',
    private: true,
    packageManager: 'npm@10.0.0',
    scripts: Object.fromEntries([
      ['gates', `node ${cli} run --quiet`],
      ...chain.flatMap(({ step, index }) => [
        [step, 'wireit'],
        [`turbo-${step}`, command(step, index)],
      ]),
    ]),
    wireit: Object.fromEntries(
      chain.map(({ step, index, needs }) => [
        step,
        { command: command(step, index), dependencies: needs, files: [before(index)], output: [`${step}.txt`] },
      ]),
    ),
    devDependencies: TOOLS,
  });
  const here = { cwd: folder, env: environment(), stdio: 'ignore' } as const;
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], here);
  const git = (...args: string[]): unknown => execFileSync('git', args, here);
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('-c', 'user.name=bench', '-c', 'user.email=bench@example.com', 'commit', '-qm', 'all');
}

/** Whether DVC could be installed. Without it its row is left out, and a line says so. */
function hasDvc(folder: string): boolean {
  const here = { cwd: folder, env: environment(), stdio: 'ignore' } as const;
  try {
    execFileSync('python3', ['-m', 'venv', 'venv'], here);
    execFileSync(join('venv', 'bin', 'pip'), ['install', '--quiet', DVC], here);
    execFileSync(join('venv', 'bin', 'dvc'), ['init', '--quiet'], here);
    return true;
  } catch (error) {
    process.stderr.write(
      `no row for DVC: ${error instanceof Error ? error.message.split('\n', 1)[0] : String(error)}\n`,
    );
    return false;
  }
}

function environment(): NodeJS.ProcessEnv {
  const path = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  // None of the tools asks a service on the network.
  return {
    ...process.env,
    PATH: path,
    TURBO_TELEMETRY_DISABLED: '1',
    WIREIT_CACHE: 'local',
    DVC_NO_ANALYTICS: '1',
    CI: '',
  };
}
