import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { recordSchema, unitOf, type EndedRecord, type GatelineRecord } from '../../src/run/records/record.ts';
import {
  COMMAND_LINE,
  plainEnvironment,
  REPOSITORY,
  startNode,
  type CommandResult,
  type RunningCommand,
} from './command-line.ts';
import { PREPARED } from './programs/places.ts';

const run = promisify(execFile);

/** The worked example as it lies in the repository. */
const EXAMPLE = join(REPOSITORY, 'examples/web-tests');

/** One start of an agent, by its own word. */
export interface AgentStart {
  readonly gate: string;
  readonly attempt: number;
  readonly pid: number;
}

/** A git repository in a temporary folder, with the command line beside it. Gone after the test. */
export class ScratchWorkspace implements AsyncDisposable {
  /** Absolute, real path of the workspace. */
  readonly root: string;
  /** Where agents write that they start: `<gate> <attempt> <pid>`. */
  readonly startLog: string;
  readonly #folder: string;
  readonly #running = new Set<RunningCommand>();

  private constructor(folder: string) {
    this.#folder = folder;
    this.root = join(folder, 'workspace');
    this.startLog = join(folder, 'starts.log');
  }

  /** Committed files by path. A name that ends in `*` is executable, without the `*`. */
  static async create(files: Readonly<Record<string, string>>): Promise<ScratchWorkspace> {
    const workspace = await ScratchWorkspace.#empty();
    for (const [name, text] of Object.entries(files)) {
      const path = name.replace(/\*$/, '');
      await workspace.write(path, text);
      if (path !== name) await chmod(workspace.path(path), 0o755);
    }
    await workspace.commitAll('all');
    return workspace;
  }

  /** `examples/web-tests`, committed, with `edits` to gateline.yml. */
  static async ofExample(
    edits: readonly (readonly [from: string, to: string])[] = [],
    example = EXAMPLE,
  ): Promise<ScratchWorkspace> {
    const workspace = await ScratchWorkspace.#empty();
    const generated = ['tests', 'knowledge', '.state'].map((name) => join(example, name));
    await cp(example, workspace.root, { recursive: true, filter: (path) => !generated.includes(path) });
    for (const [from, to] of edits) await workspace.edit('gateline.yml', from, to);
    await workspace.commitAll('the example');
    return workspace;
  }

  static async #empty(): Promise<ScratchWorkspace> {
    const workspace = await ScratchWorkspace.#inTemporaryFolder();
    await mkdir(workspace.root);
    await cp(await emptyRepository(), workspace.path('.git'), { recursive: true });
    return workspace;
  }

  static async #inTemporaryFolder(): Promise<ScratchWorkspace> {
    const workspace = new ScratchWorkspace(await realpath(await mkdtemp(join(tmpdir(), 'gateline-'))));
    await symlink(join(REPOSITORY, 'node_modules'), join(workspace.#folder, 'node_modules'), 'junction');
    return workspace;
  }

  /**
   * Another one with the same files, repository and state. Its start log is empty.
   * @param image a folder with a `workspace`, its `trees` and its `starts.log`, to be copied instead of this one
   */
  async copy(image?: string): Promise<ScratchWorkspace> {
    const copy = await ScratchWorkspace.#inTemporaryFolder();
    const from = image === undefined ? this.root : join(image, 'workspace');
    await cp(from, copy.root, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    if (image === undefined) return copy;
    await writeFile(copy.startLog, await readIfThere(join(image, 'starts.log')));
    const trees = join(image, 'trees', this.#treesId());
    if (existsSync(trees)) await cp(trees, copy.trees, { recursive: true, verbatimSymlinks: true });
    return copy;
  }

  /** Folder of the slots of this workspace. */
  get trees(): string {
    return this.beside(join('trees', this.#treesId()));
  }

  #treesId(): string {
    return digest(Buffer.from(this.root)).slice(0, 16);
  }

  /** What each slot is: `idle`, `busy` or `retired`, by its number. */
  async slots(): Promise<Record<string, string>> {
    const names = existsSync(this.trees) ? await readdir(this.trees) : [];
    const slots = names.filter((name) => /^\d+$/.test(name));
    const states = slots.map(async (name): Promise<[string, string]> => {
      const text = (await readIfThere(join(this.trees, name, 'slot.json'))) || '{"state": "retired"}';
      return [name, (JSON.parse(text) as { state: string }).state];
    });
    return Object.fromEntries(await Promise.all(states));
  }

  /** Ends commands that still run. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const command of this.#running) command.process.kill('SIGKILL');
    await Promise.all([...this.#running].map((command) => command.ended));
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  path(name: string): string {
    return join(this.root, name);
  }

  /** A path beside the workspace, where nothing counts. */
  beside(name: string): string {
    return join(this.#folder, name);
  }

  async write(name: string, text: string): Promise<void> {
    await mkdir(dirname(this.path(name)), { recursive: true });
    await writeFile(this.path(name), text);
  }

  read(name: string): Promise<string> {
    return readFile(this.path(name), 'utf8');
  }

  /** Changes a file; the change must change something. */
  async edit(name: string, from: string | RegExp, to: string): Promise<void> {
    const text = await this.read(name);
    const changed = text.replace(from, to);
    if (changed === text) throw new Error(`${String(from)} is not in ${name}`);
    await this.write(name, changed);
  }

  async git(...args: string[]): Promise<string> {
    return (await run('git', args, { cwd: this.root, env: plainEnvironment() })).stdout;
  }

  async commitAll(message: string): Promise<void> {
    await this.git('add', '-A');
    await this.git('commit', '-q', '-m', message);
  }

  /** Variables that the command line is given here, and its agents with it. */
  variables(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    // Work trees lie beside the workspace, where the example finds its packages and where they go with the test.
    const places = { START_LOG: this.startLog, GATELINE_TREES: this.beside('trees') };
    return { ...places, WEB_TESTS_BROWSER: 'embedded', ...more };
  }

  /** Starts the command line, or another script that is one. */
  start(args: readonly string[], options: StartOptions = {}): RunningCommand {
    const env = plainEnvironment(this.variables(options.env));
    const command = startNode(options.script ?? COMMAND_LINE, args, { cwd: this.root, env });
    this.#running.add(command);
    void command.ended.finally(() => this.#running.delete(command));
    return command;
  }

  gateline(args: readonly string[], options: StartOptions = {}): Promise<CommandResult> {
    return this.start(args, options).ended;
  }

  /** Every start that an agent told of, in order. */
  async starts(): Promise<AgentStart[]> {
    const lines = (await readIfThere(this.startLog)).split('\n').filter((line) => line !== '');
    return lines.map((line) => {
      const [gate = '', attempt, pid] = line.split(' ');
      return { gate, attempt: Number(attempt), pid: Number(pid) };
    });
  }

  /** Gates whose agents started, in alphabetical order, once for each start. */
  async startedGates(): Promise<string[]> {
    return (await this.starts()).map(({ gate }) => gate).toSorted();
  }

  async forgetStarts(): Promise<void> {
    await rm(this.startLog, { force: true });
  }

  /** Files of the workspace without `.git` and `.state`: path → mode and digest. */
  async files(): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const path of await filesBelow(this.root, ['.git', '.state'])) {
      const { mode } = await stat(this.path(path));
      found[path] = `${(mode & 0o777).toString(8)} ${digest(await readFile(this.path(path)))}`;
    }
    return found;
  }

  /** Every record that is on disk, of all runs. One that is not whole is an error. */
  async records(): Promise<GatelineRecord[]> {
    const runs = this.path('.state/runs');
    const paths = (await filesBelow(runs, [])).filter((path) => path.endsWith('.json'));
    const texts = await Promise.all(paths.map((path) => readFile(join(runs, path), 'utf8')));
    return texts.map((text) => recordSchema.parse(JSON.parse(text)));
  }

  /** Units that have an `ended` record which satisfies what needs them. */
  async satisfied(): Promise<string[]> {
    const ended = (await this.records()).filter((record): record is EndedRecord => record.kind === 'ended');
    const good = ended.filter(({ verdict }) => verdict.status === 'passed' || verdict.status === 'not-applicable');
    return [...new Set(good.map(unitOf))].toSorted();
  }
}

let prepared: Promise<string> | undefined;

/** The `.git` of a repository without a commit. It is made once, and stays for the next tests. */
function emptyRepository(): Promise<string> {
  prepared ??= prepareRepository();
  return prepared;
}

async function prepareRepository(): Promise<string> {
  const folder = join(PREPARED, 'repository-1');
  if (existsSync(folder)) return folder;
  await mkdir(PREPARED, { recursive: true });
  const fresh = await mkdtemp(`${folder}-`);
  const git = (...args: string[]) => run('git', args, { cwd: fresh, env: plainEnvironment() });
  await git('init', '-q', '-b', 'main', '--template=', '.');
  await git('config', 'user.name', 'Tester');
  await git('config', 'user.email', 'tester@example.test');
  // A process less for each commit.
  await git('config', 'maintenance.auto', 'false');
  // Other tests may have made it meanwhile.
  await rename(join(fresh, '.git'), folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST' && error.code !== 'EPERM') throw error;
  });
  await rm(fresh, { recursive: true, force: true });
  return folder;
}

/** What a command is started with. */
export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the command line from the sources. */
  readonly script?: string;
}

/** Paths of all plain files below a folder, `/`-separated and sorted. None where there is no folder. */
export async function filesBelow(folder: string, without: readonly string[]): Promise<string[]> {
  const names = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const nested = await Promise.all(
    names
      .filter(({ name }) => !without.includes(name))
      .map(async (entry) => {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) return (await filesBelow(path, [])).map((below) => `${entry.name}/${below}`);
        return entry.isFile() ? [relative(folder, path).replaceAll(sep, '/')] : [];
      }),
  );
  return nested.flat().toSorted();
}

/** A file's text; '' when it is not there. */
export async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
