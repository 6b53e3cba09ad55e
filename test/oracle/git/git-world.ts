import { fork, type ChildProcess, type ForkOptions } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ports } from '../../../src/engine/ports.ts';
import { hexOf, type Digest } from '../../../src/json/digest.ts';
import type { JsonValue } from '../../../src/json/json.ts';
import { Folder } from '../../../src/local/folder/folder.ts';
import type { Checkpoint } from '../../../src/run/checkpoint.ts';
import { entrySchema, type AttemptRef, type Entry } from '../../../src/run/entry.ts';
import { subjectSlug } from '../../../src/store/files/attempts.ts';
import type { Crew, SimulatedAgent } from '../memory-agents.ts';
import { bundlePrograms, compileCache } from '../../support/runner/bundle.ts';
import { Random } from '../random.ts';
import { watchPorts, type Command, type Hooks } from '../watched-ports.ts';
import type { AttemptDirectory, Call, Running, State, World } from '../world.ts';
import { AgentProcesses } from './agent-processes.ts';
import { GitFolder, type FolderKind } from './git-folder.ts';
import { HostedCall } from './hosted-call.ts';

/** `.state` as it is on the disk. */
class DiskState implements State {
  readonly directories = new Map<string, AttemptDirectory>();
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  get entries(): Entry[] {
    const log = join(this.path, 'log.jsonl');
    const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : [];
    return lines.map((line) => entrySchema.parse(JSON.parse(line)));
  }

  valueOf(digest: Digest): JsonValue {
    const hex = hexOf(digest);
    return JSON.parse(readFileSync(join(this.path, 'content', hex.slice(0, 2), hex), 'utf8')) as JsonValue;
  }

  directoryOf({ subject, run, unit, n }: AttemptRef): string {
    return join(this.path, 'attempts/main', subjectSlug(subject), String(run), unit.replace('/', '.'), String(n));
  }

  hasCheckpoint(fingerprint: Digest, checkpoint: Checkpoint): boolean {
    const path = join(this.path, 'checkpoints', `${hexOf(fingerprint)}.json`);
    return existsSync(path) && readFileSync(path, 'utf8') === `${JSON.stringify(checkpoint)}\n`;
  }

  /** What was in the directory before is gone. */
  note(directory: string): void {
    const files: AttemptDirectory = {
      get: (name) => readFileSync(join(directory, name)),
      set(name, bytes) {
        writeFileSync(join(directory, name), bytes);
        return files as Map<string, Uint8Array>;
      },
    };
    this.directories.set(directory, files);
  }
}

/** A folder on the disk with git; the engine in a process that SIGKILL ends, agents in processes of their own. */
export class GitWorld implements World {
  readonly random: Random;
  readonly folder: GitFolder;
  readonly state: DiskState;
  /** How often somebody wrote in the folder. */
  activity = 0;
  readonly #top: string;
  readonly #agents: AgentProcesses;
  readonly #env: NodeJS.ProcessEnv;
  readonly #program: string;
  readonly #faults: string[] = [];
  #host: ChildProcess | undefined;
  /** Lines of the log that were told. */
  #entries = 0;
  #wake = (): void => {};
  #hasNews = false;

  private constructor(top: string, program: string, agents: AgentProcesses, folder: GitFolder, random: Random) {
    this.#top = top;
    this.#program = program;
    this.#agents = agents;
    this.random = random;
    this.folder = folder;
    this.state = new DiskState(join(folder.root, '.state'));
    const path = [top, process.env['PATH']].join(delimiter);
    this.#env = { ...process.env, PATH: path, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
    folder.onWrite = () => (this.activity += 1);
    agents.onNews = () => this.wake();
  }

  static async open(seed: number, paths: readonly string[], kind: FolderKind): Promise<GitWorld> {
    const top = mkdtempSync(join(tmpdir(), 'gateline-oracle-'));
    const random = new Random(seed);
    const folder = new GitFolder(join(top, 'folder'), paths, kind, random);
    const program = join(await bundlePrograms(), 'oracle-host.mjs');
    return new GitWorld(top, program, await AgentProcesses.open(join(top, 'agent')), folder, random);
  }

  get crew(): Crew {
    return this.#agents.crew;
  }

  set crew(crew: Crew) {
    this.#agents.crew = crew;
  }

  /** Isolated runs take place in memory only. */
  get place(): GitFolder {
    return this.folder;
  }

  apply(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  /** Whether agents of the present call work. */
  get isWorking(): boolean {
    return this.crew.live.some(({ files }) => this.#present.has(files));
  }
  readonly #present = new Set<AttemptDirectory>();

  async write(agent: SimulatedAgent, path: string, content: string | null): Promise<void> {
    const [text, sign] = [content?.replace(/^[x@]/, ''), content?.startsWith('x') ? '+' : '-'];
    const remove = `rm -f ${path}`;
    const write = `[ -L ${path} ] && ${remove}; echo ${text} >${path}; chmod ${sign}x ${path}`;
    this.activity += 1;
    await this.#agents.do(
      agent,
      content === null ? remove : content.startsWith('@') ? `${remove}; ln -s ${text} ${path}` : write,
    );
    this.activity += 1;
  }

  startAgent(directory: string, env: Readonly<Record<string, string>>): void {
    this.#agents.start(directory, this.folder.root, { ...this.#env, ...env });
  }

  async quietly<Result>(call: Call, isAlone: boolean, work: (ports: Ports) => Promise<Result>): Promise<Result> {
    const [access, environment] = [isAlone ? 'engine' : 'beside', this.#env] as const;
    const { pipeline } = call;
    await using folder = await Folder.open({
      root: this.folder.root,
      pipeline,
      access,
      environment,
      observe: () => {},
    });
    return await work(watchPorts(folder.ports, this.#hooksOf(call)));
  }

  start(call: Call, command: Command): Running {
    const env = { ...this.#env, NODE_COMPILE_CACHE: compileCache() };
    const options: ForkOptions = { serialization: 'advanced', execArgv: [], env };
    this.#host ??= fork(this.#program, options);
    this.#present.clear();
    const { pipeline, options: orderOptions } = call;
    const job = { root: this.folder.root, pipeline, options: orderOptions, command };
    return new HostedCall(this.#host, job, this.#hooksOf(call), this);
  }

  async turn(): Promise<void> {
    const news = new Promise<void>((resolve) => (this.#wake = resolve));
    if (!this.#hasNews) await Promise.race([news, sleep(this.crew.isWaiting ? 1 : 20)]);
    this.#hasNews = false;
    this.#agents.begin();
  }

  wake(): void {
    this.#hasNews = true;
    this.#wake();
  }

  /** The engine is gone: what it did without saying so is told. */
  async recover(hooks: Hooks): Promise<void> {
    this.#host = undefined;
    for (const entry of this.state.entries.slice(this.#entries)) hooks.onEntry(entry);
    await this.#agents.awaitArrivals();
  }

  /** Nobody wrote while this snapshot was taken. */
  compare(snapshot: string): void {
    const tree = this.folder.tree(snapshot);
    for (const path of this.folder.paths) {
      const [onDisk, inTree] = [this.folder.read(path), tree.get(path) ?? null];
      if (onDisk !== inTree) this.#faults.push(`g: a snapshot has ${path}=${inTree}, the disk ${onDisk}`);
    }
  }

  /** @returns faults of git, and what is left that should not be */
  close(): string[] {
    this.#host?.disconnect();
    const locks = readdirSync(this.state.path, { recursive: true, encoding: 'utf8' });
    const files = [...locks, ...readdirSync(this.folder.root)].filter((name) => /[/.]lock$|^lock|\.tmp$/.test(name));
    const left = [...files, ...this.#agents.close()].map((name) => `g: ${name} is left`);
    rmSync(this.#top, { recursive: true, force: true });
    return [...this.#faults, ...left];
  }

  #hooksOf({ hooks }: Call): Call['hooks'] {
    return {
      ...hooks,
      onEntry: (entry) => {
        this.#entries += 1;
        if (entry.kind === 'started') this.#agents.started.add(this.state.directoryOf(entry));
        hooks.onEntry(entry);
      },
      onPrepare: (directory, process) => {
        if (process) this.#agents.note(directory, process);
        else this.state.note(directory);
        this.#present.add(this.state.directories.get(directory)!);
      },
      onLeftoverEnd: (process) => this.#agents.end(process),
    };
  }
}
