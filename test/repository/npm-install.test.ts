import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../contract/temporary-folder.ts';
import { plainEnvironment } from '../support/command-line.ts';
import { IS_FULL } from '../support/test-size.ts';
import { ROOT, repositoryFiles } from './repository-files.ts';

const started = promisify(execFile);

const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly devDependencies: Readonly<Record<string, string>>;
};

/** Runs a graph, and prints how many steps its thread has. */
const GRAPH = `
import { Annotation, START, StateGraph } from '@langchain/langgraph';
import { createFileCheckpointer } from 'gateline/langgraph';

const checkpointer = createFileCheckpointer('checkpoints');
const graph = new StateGraph(Annotation.Root({ count: Annotation() }))
  .addNode('add', ({ count }) => ({ count: count + 1 }))
  .addEdge(START, 'add')
  .compile({ checkpointer });
await graph.invoke({ count: 1 }, { configurable: { thread_id: 'thread' } });
console.log((await checkpointer.steps('thread')).length, 'steps');
`;

/** Runs a command that is given nothing to read. What it printed. */
async function run(command: string, words: readonly string[], cwd: string): Promise<string> {
  // The machine's variables too: npm finds its registry there.
  const running = started(command, words, { cwd, env: { ...process.env, ...plainEnvironment() } });
  running.child.stdin?.end();
  return (await running).stdout;
}

/** What `npm pack` makes of the repository as it is, built anew. */
async function packed(folder: string): Promise<string> {
  const copy = join(folder, 'copy');
  for (const path of repositoryFiles()) await cp(join(ROOT, path), join(copy, path));
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'junction');
  await run('npm', ['pack', '--pack-destination', folder], copy);
  const name = (await readdir(folder)).find((one) => one.endsWith('.tgz'));
  return join(folder, name!);
}

/** The options with which the release publishes. */
function publishOptions(): string[] {
  const workflow = readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8');
  const [, options] = /npm publish \.\/package\/\*\.tgz (.*)/.exec(workflow) ?? [];
  return options!.replace('"$tag"', 'latest').split(' ');
}

describe.runIf(IS_FULL)('the package from npm', () => {
  it('works in an empty folder: install, `npx gateline init`, `npx gateline run`', { timeout: 600_000 }, async () => {
    await using folder = await temporaryFolder();
    const user = join(folder.path, 'user');
    await mkdir(user);
    const archive = await packed(folder.path);
    await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '-D', archive], user);
    const gateline = (...words: string[]): Promise<string> => run('npx', ['--no-install', 'gateline', ...words], user);
    expect(await gateline('init')).toContain('wrote gateline.yml\n');
    expect(await gateline('run', '--quiet')).toContain('4 of 4 gates done');
    expect(await gateline('run', '--quiet')).toContain('4 of 4 gates done');
    expect((await readdir(user)).toSorted()).toContain('.state');

    // As the release publishes it, to a registry that is not there: a dry run sends nothing.
    const nowhere = ['--dry-run', '--registry=http://127.0.0.1:9', '--fetch-retries=0'];
    const published = await run('npm', ['publish', archive, ...publishOptions(), ...nowhere], user);
    expect(published).toMatch(/^\+ gateline@\d/m);

    // LangGraph is the user's: without it all but gateline/langgraph can be loaded.
    await writeFile(join(user, 'graph.mjs'), GRAPH);
    await run(process.execPath, ['-e', "import('gateline')"], user);
    await expect(run(process.execPath, ['graph.mjs'], user)).rejects.toThrow(/Cannot find package '@langchain\//);
    const peers = ['langgraph', 'langgraph-checkpoint', 'core'].map((name) => `@langchain/${name}`);
    const versions = peers.map((name) => `${name}@${devDependencies[name]}`);
    await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...versions], user);
    expect(await run(process.execPath, ['graph.mjs'], user)).toBe('3 steps\n');
    expect(await run(process.execPath, ['graph.mjs'], user)).toBe('6 steps\n');
  });
});
