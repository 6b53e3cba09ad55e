import { join } from 'node:path';
import { DIST } from './bundles.ts';
import { commitAll, createFolder, start, startUnchanged, writeFiles } from './folders.ts';
import { compare, type Figure } from './measure.ts';

const ROUNDS = 15;
const STEPS = ['one', 'two', 'three', 'four', 'five', 'six'];
/** Installed for this benchmark only. */
const TOOLS = { wireit: '0.14.13', turbo: '2.11.11' };

/** A chain of six steps in which nothing has changed, by Gateline and by tools that people use for it. */
export async function* measureReuse(): AsyncGenerator<Figure> {
  using place = createFolder();
  const folder = join(place.path, 'work');
  const cli = join(DIST, 'cli.js');
  writeFiles(folder, filesOf(cli));
  commitAll(folder);
  start(folder, process.execPath, cli, 'run', '--quiet');
  const run = { name: 'run of six gates, all reused', work: () => startUnchanged(folder, cli) };
  if (install(folder, 'wireit')) {
    const work = (script: string) => () => start(folder, 'npm', 'run', '--silent', script);
    const byNpm = { name: `${run.name}, by npm`, work: work('gates') };
    yield await compare(byNpm, { name: 'wireit', work: work('six') }, ROUNDS, ['ratio', 1.3]);
  }
  if (install(folder, 'turbo')) {
    const program = join(folder, 'node_modules', '.bin', 'turbo');
    const turbo = { name: 'turbo', work: () => start(folder, program, 'run', 'turbo-six') };
    yield await compare(run, turbo, ROUNDS, ['ratio', 4]);
  }
  const empty = { name: 'node -e 0', work: () => start(folder, process.execPath, '-e', '0') };
  for (const command of ['--help', 'status', 'plan', 'run']) {
    const work = () => start(folder, process.execPath, cli, command);
    yield await compare({ name: `gateline ${command}`, work }, empty, ROUNDS);
  }
}

/** Whether a tool could be installed; if not, a line says why its row is absent. */
function install(folder: string, tool: keyof typeof TOOLS): boolean {
  try {
    start(folder, 'npm', 'install', '--no-audit', '--no-fund', '--save-dev', `${tool}@${TOOLS[tool]}`);
    return true;
  } catch (error) {
    process.stderr.write(`no row for ${tool}: ${String(error).slice(0, 300)}\n`);
    return false;
  }
}

/** A folder in which every tool can run the chain: each step appends a line to the text of the one before. */
function filesOf(cli: string): Record<string, unknown> {
  const [gates, tasks, wireit]: Record<string, unknown>[] = [{}, {}, {}];
  const scripts: Record<string, string> = { gates: `node ${cli} run --quiet` };
  for (const [index, step] of STEPS.entries()) {
    const needs = STEPS.slice(0, index).slice(-1);
    const [input, output] = [`${needs[0] ?? 'begin'}.txt`, `${step}.txt`];
    const command = `cp ${input} ${output} && echo ${step} >> ${output}`;
    const run = `${command} && echo '{}' > "$GATELINE_OUTPUT"`;
    gates![step] = { run, shell: 'sh', needs, inputs: [input], files: [output] };
    tasks![`turbo-${step}`] = { dependsOn: needs.map((need) => `turbo-${need}`), inputs: [input], outputs: [output] };
    wireit![step] = { command, dependencies: needs, files: [input], output: [output] };
    Object.assign(scripts, { [step]: 'wireit', [`turbo-${step}`]: command });
  }
  return {
    'begin.txt': 'begin\n',
    '.gitignore': 'node_modules\n.wireit\n.turbo\n',
    'gateline.yml': { pipeline: 'steps', gates },
    'turbo.json': { tasks },
    'package.json': { name: 'steps', private: true, packageManager: 'npm@11.0.0', scripts, wireit },
  };
}
