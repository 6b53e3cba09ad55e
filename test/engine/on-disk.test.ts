import { existsSync, readFileSync } from 'node:fs';
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Agent } from '../../src/agent/agent.ts';
import { runGate } from '../../src/engine/begin.ts';
import type { EnginePorts } from '../../src/engine/ports.ts';
import { runPipeline } from '../../src/engine/run-pipeline.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import type { JsonObject } from '../../src/json/json.ts';
import { openWorkspace } from '../../src/workspace/open-workspace.ts';
import { plainEnvironment } from '../support/command-line.ts';
import { engineWorld } from '../support/engine-world.ts';
import { pipelineOf } from '../support/pipelines.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';

interface Started {
  readonly unit: string;
  readonly attempt: number;
  /** Absolute path of the workspace. */
  readonly root: string;
  /** Paths that the request names, with mode and blob. */
  readonly named: Readonly<Record<string, string>>;
}

/** The engine on real files and git, with agents that are functions. */
async function portsOn(
  scratch: ScratchWorkspace,
  kind: 'local' | 'job',
  script: (started: Started) => Promise<number | undefined>,
): Promise<EnginePorts> {
  const ports = engineWorld(() => ({})).ports();
  const workspace = await openWorkspace(scratch.root, {
    environment: plainEnvironment(),
    store: scratch.path('.state/git'),
    trees: scratch.beside('trees'),
    kind,
  });
  const texts = new Map<string, string>();
  const create: typeof ports.attempts.create = async (id) => {
    const directory = await ports.attempts.create(id);
    return {
      ...directory,
      write: (name, chunks) => {
        const text = [...chunks].join('');
        texts.set(directory.pathOf(name), text);
        return directory.write(name, [text]);
      },
      read: async (name, limit) => {
        const text = texts.get(directory.pathOf(name));
        return text === undefined ? directory.read(name, limit) : { state: 'present', bytes: Buffer.from(text) };
      },
    };
  };
  const agent: Agent = {
    endLeftovers: async () => [],
    keepLeft: async () => undefined,
    run: async ({ env, workingDirectory: root }) => {
      const request = JSON.parse(texts.get(env['GATELINE_REQUEST']!)!) as JsonObject;
      const { files: named } = request['inputs'] as { files: Record<string, string> };
      const attempt = Number(env['GATELINE_ATTEMPT']);
      const output = await script({ unit: env['GATELINE_GATE']!, attempt, root, named });
      if (output !== undefined) texts.set(env['GATELINE_OUTPUT']!, String(output));
      return { outcome: 'exited', exitCode: 0, stdout: '', stderr: '' };
    },
  };
  return { ...ports, workspace, agent, attempts: { ...ports.attempts, create } };
}

const assignmentOf = (pipeline: Pipeline) => ({ pipeline, subject: 'subject', metadata: {}, input: null });
const OPTIONS = { observe: () => undefined, signal: new AbortController().signal };

describe('on real files', () => {
  it('each attempt of a job starts on the files that its request names', async () => {
    await using scratch = await ScratchWorkspace.create({
      'src/a': 'a\n',
      'src/gone': 'here\n',
      '.gitignore': 'cache\n',
    });
    await scratch.write('setup', 'left by a setup step');
    await scratch.write('cache', 'ignored');
    const saw: unknown[] = [];
    const ports = await portsOn(scratch, 'job', async ({ attempt, root, named }) => {
      const look = (path: string): string | undefined => {
        return existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined;
      };
      saw.push([Object.keys(named), ...['src/a', 'src/gone', 'src/new/b', 'setup', 'cache'].map(look)]);
      await appendFile(join(root, 'src/a'), `edited ${attempt}\n`);
      await rm(join(root, 'src/gone'), { force: true });
      await mkdir(join(root, 'src/new'), { recursive: true });
      await writeFile(join(root, 'src/new/b'), 'new');
      await scratch.git('add', '-A');
      return attempt < 3 ? undefined : attempt;
    });
    const pipeline = pipelineOf({ a: { inputs: ['src/**'], files: ['src/**'], retries: 2 } });
    const job = { call: { numbers: { runNumber: 1, runAttempt: 1 } } };
    const { ended } = await runGate(ports, assignmentOf(pipeline), 'a', { ...OPTIONS, job });
    const first = [['src/a', 'src/gone'], 'a\n', 'here\n', undefined, 'left by a setup step', 'ignored'];
    expect(saw).toEqual([first, first, first]);
    expect(ended!.files.map(({ path }) => path)).toEqual(['src/a', 'src/gone', 'src/new/b']);
    expect(await readFile(scratch.path('src/a'), 'utf8')).toBe('a\nedited 3\n');
  });

  it('an input may be a submodule, by its commit, or a glob that names files in it', async () => {
    await using library = await ScratchWorkspace.create({ 'lib/x': 'x' });
    await using scratch = await ScratchWorkspace.create({ readme: 'mine' });
    await scratch.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.root, 'vendor/lib');
    await scratch.commitAll('with a library');
    const commit = (await library.git('rev-parse', 'HEAD')).trim();
    for (const glob of ['vendor/lib', 'vendor/lib/lib/**', 'vendor/**', '**']) {
      const named: unknown[] = [];
      const ports = await portsOn(scratch, 'local', async (started) => {
        named.push(started.named['vendor/lib']);
        return 1;
      });
      const pipeline = pipelineOf({ a: { inputs: [glob] }, all: { inputs: undefined } });
      const { errors } = await runPipeline(ports, assignmentOf(pipeline), OPTIONS);
      expect(errors, glob).toEqual([]);
      expect(named, glob).toEqual([`160000 ${commit}`, `160000 ${commit}`]);
    }
  });
});
