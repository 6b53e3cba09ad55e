import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Agent } from '../../src/agent/agent.ts';
import { runPipeline, type RunResult } from '../../src/engine/run-pipeline.ts';
import { localPorts } from '../../src/local/local-ports.ts';
import type { PlannedUnit } from '../../src/run/plan/plan.ts';
import { graphAgent, listingOf, type AgentRun } from './graph-agent.ts';
import type { File, Files } from './graph-oracle.ts';
import { pick, SHARED_PATHS, type MadeUpGraph } from './made-up-graph.ts';

/** What one run came to. */
export interface GraphRun {
  readonly runs: readonly AgentRun[];
  readonly result: RunResult | undefined;
  /** Gates whose agents came to their end. */
  readonly finished: ReadonlySet<string>;
  readonly planned: readonly PlannedUnit[];
}

/** The engine's process dies here. */
class Killed extends Error {}

/** A graph in a real git repository, driven by the engine on real files with agents in this process. */
export class GraphWorld implements Disposable {
  readonly #folder = realpathSync(mkdtempSync(join(tmpdir(), 'gateline-graph-')));
  readonly #graph: MadeUpGraph;
  readonly #random: () => number;
  readonly #failed = new Map<string, number>();
  #process = 1_000;

  constructor(graph: MadeUpGraph, random: () => number) {
    this.#graph = graph;
    this.#random = random;
    mkdirSync(this.root);
    this.#git('init', '-q', '-b', 'main');
    this.#write('.gitignore', '*.log\n');
    for (const [path, content] of graph.files) this.#write(path, content);
    this.#commit();
  }

  get root(): string {
    return join(this.#folder, 'user');
  }

  /** Everything in the user's folder but `.state`, git's own files included, to be compared byte by byte. */
  everything(): Map<string, string> {
    const files = listingOf(this.root);
    const refs = this.#git('for-each-ref');
    const head = readFileSync(join(this.root, '.git', 'HEAD'), 'utf8');
    const config = readFileSync(join(this.root, '.git', 'config'), 'utf8');
    const index = readFileSync(join(this.root, '.git', 'index')).toString('base64');
    return new Map([...files, ['.git', [refs, head, config, index].join('\n')]]);
  }

  /** The user's files as git sees them. */
  files(): Files {
    const visible = [...listingOf(this.root).keys()].filter((path) => !path.endsWith('.log'));
    return new Map(
      visible.map((path): [string, File] => {
        const place = join(this.root, path);
        return [path, { content: readFileSync(place, 'utf8'), executable: (statSync(place).mode & 0o100) !== 0 }];
      }),
    );
  }

  /**
   * Drives the graph on.
   * @param how edits while agents work, or an engine that is killed when some agent is at work; for which subject, which
   *   no agent sees
   */
  async run(how: { readonly edits: boolean; readonly kill: boolean; readonly subject: string }): Promise<GraphRun> {
    const runs: AgentRun[] = [];
    const finished = new Set<string>();
    const planned: PlannedUnit[] = [];
    const doomed = how.kill ? 1 + Math.floor(this.#random() * 6) : Infinity;
    const agent = graphAgent(
      this.#graph.gates,
      runs,
      (gate, request) => {
        const failures = this.#failed.get(`${gate} ${request}`) ?? 0;
        this.#failed.set(`${gate} ${request}`, failures + 1);
        return failures < this.#graph.gates.get(gate)!.failures;
      },
      () => {
        if (runs.length === doomed) throw new Killed();
        if (how.edits && this.#random() < 0.3) this.edit();
      },
    );
    const noting: Agent = {
      ...agent,
      run: async (task) => {
        const result = await agent.run(task);
        finished.add(task.env['GATELINE_GATE']!);
        return result;
      },
    };
    const result = await this.#drive(noting, planned, how.subject);
    return { runs, result, finished, planned };
  }

  async #drive(agent: Agent, planned: PlannedUnit[], subject: string): Promise<RunResult | undefined> {
    const { pipeline } = this.#graph;
    const trees = join(this.#folder, 'trees');
    const environment = { ...process.env, GATELINE_TREES: trees };
    const place = { root: this.root, isDefault: true, pipeline };
    const local = await localPorts({ place, environment });
    this.#process += 1;
    const pid = this.#process;
    const ports = {
      ...local,
      agent,
      me: { ...local.me, pid, pidStart: String(pid) },
      isGone: async (writer: { readonly pid: number }) => writer.pid !== pid,
    };
    const assignment = { pipeline, subject, isDefaultSubject: true, metadata: {}, input: null };
    try {
      return await runPipeline(ports, assignment, {
        signal: new AbortController().signal,
        observe: (event) => void (event.type === 'planned' && planned.push(event.planned)),
      });
    } catch (error) {
      if (error instanceof Killed) return undefined;
      throw error;
    }
  }

  /** Somebody changes a file, or undoes a change, or commits. */
  edit(): void {
    const path = pick(this.#random, SHARED_PATHS);
    const kind = pick(this.#random, [
      'write',
      'a',
      'b',
      'append',
      'delete',
      'commit',
      'restore',
      'mode',
      'ignored',
      'new',
    ] as const);
    const place = join(this.root, path);
    if (kind === 'write') this.#write(path, `user ${Math.floor(this.#random() * 4)}\n`);
    else if (kind === 'a') this.#write(path, 'A\n');
    else if (kind === 'b') this.#write(path, 'B\n');
    else if (kind === 'append' && existsSync(place)) appendFileSync(place, 'more\n');
    else if (kind === 'delete') rmSync(place, { force: true });
    else if (kind === 'commit') this.#commit();
    else if (kind === 'restore') this.#git('checkout', '-q', '--', '.');
    else if (kind === 'mode' && existsSync(place)) chmodSync(place, 0o755);
    else if (kind === 'ignored') this.#write('user.log', String(this.#random()));
    else if (kind === 'new') this.#write(`b/untracked-${Math.floor(this.#random() * 3)}.txt`, 'new\n');
  }

  #write(path: string, content: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), content);
  }

  #commit(): void {
    this.#git('add', '-A', '--', '.', ':(exclude).state');
    this.#git(
      '-c',
      'user.name=User',
      '-c',
      'user.email=user@example.com',
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'work',
    );
  }

  #git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
