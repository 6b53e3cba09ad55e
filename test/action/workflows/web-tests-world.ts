import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unitOf, type EndedRecord } from '../../../src/run/records/record.ts';
import { REPOSITORY } from '../../support/command-line.ts';
import type { ServiceOptions } from '../../support/github/results-service.ts';
import type { JobEnvironment } from '../../support/github/job-environment.ts';
import type { JobReport } from '../../support/runner/session.ts';
import type { WorkflowRun } from '../../support/runner/workflow-run.ts';
import { filesBelow, ScratchWorkspace } from '../../support/scratch-workspace.ts';
import { ActionWorld, WORKFLOW, type WorldRunOptions } from './action-world.ts';

const EXAMPLE = 'examples/web-tests';

/** Gates in alphabetical order, as start logs are told: those before gate 3, and the others. */
export const BEFORE_3 = ['data', 'design', 'map'];
export const FROM_3 = ['code', 'execute', 'learn'];

/** Fewer cases: what each test is about is told by one of each kind. */
const SHORTER = ['valid: 3', 'valid: 1'] as const;

/** The agent of gate 3 does its work, and then fails where the file that `FAULT` names is there. */
const MAY_FAIL = ['run: node agents/code.ts', `run: node agents/code.ts && test ! -e "$FAULT"`] as const;

/** Agents run with the options of Node that `REMEMBERING` holds: none where it is not set. */
const EACH_MAY_REMEMBER = [...BEFORE_3, ...FROM_3].map(
  (gate) => [`run: node agents/${gate}.ts`, `run: node $REMEMBERING agents/${gate}.ts`] as const,
);

/** Shared by all worlds of a test file: every agent works once, and then repeats what it wrote; see remembered-agents.ts. */
const remembered = mkdtempSync(join(tmpdir(), 'gateline-remembered-'));
process.once('exit', () => rmSync(remembered, { recursive: true, force: true }));

const REMEMBERING = {
  REMEMBERED: remembered,
  REMEMBERING: `--import=${new URL('../../support/remembered-agents.ts', import.meta.url).href}`,
};

/** `actions/setup-node`, but that `npm ci` brings the packages of this repository, without any download. */
const SETUP_NODE: Readonly<Record<string, string>> = {
  'action.yml':
    'name: setup\nruns: { using: node24, main: index.cjs }\ninputs: { node-version: {}, package-manager-cache: {} }\n',
  'index.cjs': `require('node:fs').appendFileSync(process.env.GITHUB_PATH, __dirname + '/bin\\n');`,
  'bin/npm*': `#!/bin/sh\ntest "$*" = ci && ln -s '${join(REPOSITORY, 'node_modules')}' node_modules\n`,
};

/** What gates made, however they were run. */
export interface WebTestsOutcome {
  /** Digest of what each gate exports. */
  readonly exports: Readonly<Record<string, string | null>>;
  /** Path → mode and digest. */
  readonly files: Readonly<Record<string, string>>;
}

async function filesMade(root: string): Promise<Record<string, string>> {
  const made = (await filesBelow(root, ['.state', 'node_modules'])).filter((path) =>
    /^(?:tests|knowledge)\//.test(path),
  );
  const entries = made.map(async (path) => {
    const [{ mode }, bytes] = await Promise.all([stat(join(root, path)), readFile(join(root, path))]);
    return [path, `${(mode & 0o777).toString(8)} ${createHash('sha256').update(bytes).digest('hex')}`] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** The example and its workflow in a repository, as its comment says that people copy it. */
export class WebTestsWorld implements AsyncDisposable {
  readonly world: ActionWorld;
  readonly #setup: ScratchWorkspace;
  #files: Readonly<Record<string, string>> = {};

  private constructor(world: ActionWorld, setup: ScratchWorkspace) {
    this.world = world;
    this.#setup = setup;
  }

  static async create(options: ServiceOptions = {}): Promise<WebTestsWorld> {
    const folder = join(REPOSITORY, EXAMPLE);
    const names = await filesBelow(folder, ['tests', 'knowledge', '.state']);
    const entries = names.map(
      async (name) => [`${EXAMPLE}/${name}`, await readFile(join(folder, name), 'utf8')] as const,
    );
    const files = Object.fromEntries(await Promise.all(entries));
    const { [`${EXAMPLE}/workflow.yml`]: workflow, ...others } = files;
    const world = await ActionWorld.create(
      { ...others, [WORKFLOW]: workflow!, '.gitignore': 'node_modules\n' },
      options,
    );
    for (const [from, to] of [SHORTER, MAY_FAIL, ...EACH_MAY_REMEMBER])
      await world.repository.edit(`${EXAMPLE}/gateline.yml`, from, to);
    await world.repository.commitAll('shorter');
    return new WebTestsWorld(world, await ScratchWorkspace.create(SETUP_NODE));
  }

  /** From now on the agent of gate 3 fails, or not. */
  async setFault(isThere: boolean): Promise<void> {
    const path = this.world.repository.beside('fault');
    await (isThere ? writeFile(path, '') : rm(path, { force: true }));
  }

  run(options: WorldRunOptions = {}): Promise<WorkflowRun> {
    return this.world.run({
      actions: { 'actions/setup-node': this.#setup.root },
      machine: { FAULT: this.world.repository.beside('fault'), ...REMEMBERING },
      inspect: (environment, report) => this.#look(environment, report),
      ...options,
    });
  }

  /** What the latest run came to: what each gate that passed exports, and the files that the job of the last gate had. */
  outcome(): WebTestsOutcome {
    const passed = this.world
      .records()
      .filter((record): record is EndedRecord => record.kind === 'ended' && record.verdict.kind === 'passed');
    const latest = Math.max(...passed.map(({ runNumber }) => runNumber));
    const ofLatest = passed.filter(({ runNumber }) => runNumber === latest);
    return {
      exports: Object.fromEntries(ofLatest.map((one) => [unitOf(one), one.exports?.digest ?? null])),
      files: this.#files,
    };
  }

  async #look({ workspace }: JobEnvironment, { id }: JobReport): Promise<void> {
    if (id === 'learn') this.#files = await filesMade(join(workspace, EXAMPLE));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#setup[Symbol.asyncDispose]();
    await this.world[Symbol.asyncDispose]();
  }
}
