import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Gateline, type RunOptions, type RunOutcome } from '../../src/gateline.ts';
import type { Entry } from '../../src/run/entry.ts';
import type { Step } from './commands.ts';

/** All files and folders below a folder, by path: bytes of files, and nothing for folders. */
export type Image = ReadonlyMap<string, { readonly mode: number; readonly bytes?: Buffer }>;

/** What a kill may leave and nothing depends on: locks, half-written files, and our index, which is a cache. */
const LEFTOVER = /^\.state\/(?:[\w.]*lock|tmp\/.*|git\/(?:index|temporary)-.*)$/;
/** Names processes that work, or that wait for the word. */
const PROCESSES = /^\.state\/(?:[\w.]*lock|entities\.jsonl)$/;
/** Larger than any process id of Linux. */
const NO_PROCESS = '"pid":4194305';

/** A small project in a temporary folder: real files, real git, agents of one line. Gone at the end of the block. */
export class Project implements AsyncDisposable {
  readonly root: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly #agents: string;

  private constructor(root: string) {
    this.root = root;
    this.folder = join(root, 'project');
    this.#agents = join(root, 'agents');
    this.environment = { PATH: process.env['PATH']!, HOME: root, AGENTS: this.#agents, GIT_CONFIG_NOSYSTEM: '1' };
  }

  static async create(files: Readonly<Record<string, string>>): Promise<Project> {
    const project = new Project(fs.realpathSync(await mkdtemp(join(tmpdir(), 'gateline-kills-'))));
    fs.mkdirSync(project.folder);
    project.forgetAgents();
    for (const [path, text] of Object.entries(files)) project.write(path, text);
    const git = ['-c', 'user.name=a', '-c', 'user.email=a@b.example'];
    for (const command of ['init -q -b main --template=', 'add -A', 'commit -q -m all'])
      execFileSync('git', [...git, ...command.split(' ')], { cwd: project.folder, env: project.environment });
    return project;
  }

  write(path: string, text: string): void {
    const place = join(this.folder, path);
    fs.mkdirSync(join(place, '..'), { recursive: true });
    fs.writeFileSync(place, text);
  }

  read(path: string): string {
    return fs.readFileSync(join(this.folder, path), 'utf8');
  }

  gateline(): Promise<Gateline> {
    return Gateline.open({ folder: this.folder, environment: this.environment });
  }

  async take(step?: Step): Promise<unknown> {
    return step?.(await this.gateline(), this);
  }

  async run(options?: RunOptions): Promise<RunOutcome> {
    return (await this.gateline()).run(options);
  }

  /** How often each agent has started since {@link forgetAgents}. */
  agents(): ReadonlyMap<string, number> {
    return countOf(fs.readFileSync(this.#agents, 'utf8').split('\n').filter(Boolean));
  }

  noteAgent(unit: string): void {
    fs.writeFileSync(this.#agents, `${unit}\n`, { flag: 'a' });
  }

  forgetAgents(): void {
    fs.writeFileSync(this.#agents, '');
  }

  files(): Readonly<Record<string, string>> {
    const files = [...this.image()].filter(([path, { bytes }]) => bytes && !/^\.(?:git|state)\//.test(path));
    return Object.fromEntries(files.map(([path, { bytes }]) => [path, String(bytes)]));
  }

  /**
   * All that a user has in the end: the files of the folder, and how the run and each gate stand.
   * @throws Error if a further run has something to do, or writes
   */
  async outcome(): Promise<object> {
    const before = digestOfImage(this.image());
    const gateline = await this.gateline();
    const { result, view } = await gateline.run();
    if (result.status !== 'nothing') throw new Error(`a further run is ${result.status}: ${result.ran.join(', ')}`);
    if (digestOfImage(this.image()) !== before) throw new Error('a further run writes');
    const { status, units } = view;
    const { entries } = await gateline.history();
    return {
      files: this.files(),
      status,
      history: entries[0]?.status,
      problems: await gateline.check(),
      units: units.map(({ key, status, done, verdict, output }) => ({
        ...{ key, status, done, score: verdict?.score, output: output?.digest },
      })),
    };
  }

  image(): Image {
    return readImage(this.folder);
  }

  /** Makes the folder what it was, as after a kill at that moment: the processes of then are gone. */
  restore(image: Image): void {
    fs.rmSync(this.folder, { recursive: true, force: true });
    fs.mkdirSync(this.folder);
    for (const [path, { mode, bytes }] of image) {
      const place = join(this.folder, path);
      if (bytes === undefined) fs.mkdirSync(place);
      else fs.writeFileSync(place, PROCESSES.test(path) ? String(bytes).replaceAll(/"pid":\d+/g, NO_PROCESS) : bytes);
      fs.chmodSync(place, mode);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}

function readImage(folder: string): Image {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const place = join(entry.parentPath, entry.name);
    const { mode } = fs.statSync(place);
    return [
      relative(folder, place),
      { mode, bytes: entry.isDirectory() ? undefined : fs.readFileSync(place) },
    ] as const;
  });
  return new Map(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Equal for images between which a kill makes no difference. */
export function digestOfImage(image: Image): string {
  const hash = createHash('sha256');
  for (const [path, { bytes }] of image) if (!LEFTOVER.test(path)) hash.update(`\0${path}\0`).update(bytes ?? '/');
  return hash.digest('hex');
}

export function entriesIn(image: Image): Entry[] {
  const lines = image.get('.state/log.jsonl')?.bytes?.toString().split('\n').slice(0, -1) ?? [];
  return lines.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Entry] : []));
}

export function countOf(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map(names.map((name) => [name, names.filter((other) => other === name).length]));
}
