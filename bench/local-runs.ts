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

/**
 * A chain of six steps in which nothing changed, by Gateline and by tools that people use for it. Gateline writes a
 * record for each gate, flushed to the disk; make looks at times, wireit and turbo at contents.
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
    for (const work of [make.work, turbo.work, wireit.work]) work();
    return [
      await compare(name, gateline, make, ROUNDS, 'children'),
      await compare(name, gateline, turbo, ROUNDS, 'children'),
      await compare(`${name}, started by npm`, throughNpm('gates'), wireit, ROUNDS, 'children'),
    ];
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
  write('.gitignore', 'node_modules\n.state\n.wireit\n.turbo\n*.txt\n!begin.txt\n');
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

function environment(): NodeJS.ProcessEnv {
  const path = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  // Neither tool asks a service on the network.
  return { ...process.env, PATH: path, TURBO_TELEMETRY_DISABLED: '1', WIREIT_CACHE: 'local', CI: '' };
}
