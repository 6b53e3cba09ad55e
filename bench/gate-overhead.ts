import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { constantDelay } from '../test/support/github/delays.ts';
import type { JobEnvironment } from '../test/support/github/job-environment.ts';
import { startResultsService, type ResultsService } from '../test/support/github/results-service.ts';
import type { Figure } from './measure.ts';

/*
 * The cost of a gate beside its agent: the processes of `begin` and `complete` with their post steps, compared with one
 * process for each of GitHub's own actions. Every request takes 40 ms longer on both sides.
 */

const ROOT = join(import.meta.dirname, '..');
const ROUNDS = 5;
/** Milliseconds before each request takes effect, and again before its response. */
const EACH_WAY = 20;

const BASELINE = ['download', 'restore', 'check', 'upload', 'save'] as const;
/** Files of the checkout that the action works in. */
const FILES = 200;
const SCHEMA = JSON.stringify({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['score'],
});

/** The figures, and the number of requests per gate on each side. */
export interface GateOverhead {
  readonly figures: readonly Figure[];
  readonly requests: Readonly<Record<string, number>>;
}

/** @param program absolute path of the action's bundle; default: the one in dist/ */
export async function gateOverhead(program = join(ROOT, 'dist', 'index.js')): Promise<GateOverhead> {
  const folder = mkdtempSync(join(tmpdir(), 'gateline-bench-'));
  try {
    const baseline = bundleBaseline(folder);
    await using service = await startResultsService({ delays: constantDelay(EACH_WAY) });
    const bench = new Bench(service, program, baseline);
    const quiet = await bench.sideBySide('never', '`begin` and `complete`, no comment', "five of GitHub's actions");
    const live = await bench.sideBySide('always', 'the same, with a live comment', 'six, one of which comments');
    return {
      figures: [quiet.figure, live.figure],
      requests: {
        'five actions': quiet.theirs,
        gate: quiet.ours,
        'six actions': live.theirs,
        'gate with comment': live.ours,
      },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The baseline as a bundle, each library in a chunk that its step loads at its start. */
function bundleBaseline(folder: string): string {
  const out = join(folder, 'baseline');
  const ncc = join(ROOT, 'node_modules', '@vercel', 'ncc', 'dist', 'ncc', 'cli.js');
  const source = join(ROOT, 'bench', 'baseline', 'steps.mjs');
  execFileSync(process.execPath, [ncc, 'build', source, '--out', out, '--no-cache', '--quiet'], {
    cwd: ROOT,
    stdio: 'ignore',
  });
  return join(out, 'index.mjs');
}

/** The duration of one round. */
interface Round {
  readonly milliseconds: number;
  readonly requests: number;
}

class Bench {
  readonly #service: ResultsService;
  readonly #program: string;
  readonly #baseline: string;
  #run = 0;
  /** Variables of the job for the checked out commit. */
  #commit: Readonly<Record<string, string>> = {};

  constructor(service: ResultsService, program: string, baseline: string) {
    this.#service = service;
    this.#program = program;
    this.#baseline = baseline;
  }

  /** The gate and the baseline in turns: with a comment on both sides, or on neither. */
  async sideBySide(
    comment: 'always' | 'never',
    name: string,
    baseline: string,
  ): Promise<{ readonly figure: Figure; readonly ours: number; readonly theirs: number }> {
    const [ours, theirs]: [Round[], Round[]] = [[], []];
    for (let round = 0; round <= ROUNDS; round += 1) {
      theirs.push(await this.baseline(round, comment));
      ours.push(await this.gate(comment));
    }
    const times = (rounds: readonly Round[]): number[] => rounds.slice(1).map(({ milliseconds }) => milliseconds);
    const figure = { name, times: times(ours), baseline, baselineTimes: times(theirs) };
    return { figure, ours: ours.at(-1)!.requests, theirs: theirs.at(-1)!.requests };
  }

  /** One gate that needs another one: begun, its output written, completed. The other gate's time is not included. */
  async gate(comment: 'always' | 'never'): Promise<Round> {
    this.#run += 1;
    await using design = await this.#job('design');
    await this.#action(design, { RUN: `echo '{"score": 1}' > "$GATELINE_OUTPUT"`, INPUTS: '[]', CACHE: 'off' });
    await using job = await this.#job('code');
    const commit = checkOut(job.workspace);
    this.#commit = { GITHUB_SHA: commit, GITHUB_WORKFLOW_SHA: commit };
    const common = { 'GITHUB-TOKEN': job.token, COMMENT: comment, 'JOB-STATUS': 'success' };
    const begin = { ...common, COMMAND: 'begin', NEEDS: 'design', INPUTS: '[]', SCHEMA, INPUT: String(this.#run) };
    return await this.#round(async () => {
      const begun = await this.#action(job, begin);
      const outputs = await begun.outputs();
      writeFileSync(outputs['output-file']!, '{"score": 2}');
      const next = await job.nextStep();
      const complete = { ...common, COMMAND: 'complete', TOKEN: outputs['token']! };
      const completed = await this.#action(next, complete);
      await this.#action(await next.nextStep(), complete, await completed.state());
      await this.#action(await next.nextStep(), begin, await begun.state());
    });
  }

  async baseline(round: number, comment: 'always' | 'never'): Promise<Round> {
    this.#run += 1;
    await using design = await this.#job('design');
    mkdirSync(join(design.temp, 'checkpoint'));
    const output = join(design.temp, 'design.json');
    writeFileSync(output, '{"score": 1}');
    await this.#theirs(design, 'upload', { OUTPUT: output, NAME: 'design' });
    await using job = await this.#job('code');
    const files = { OUTPUT: join(job.temp, 'code.json'), SCHEMA: join(job.temp, 'schema.json') };
    mkdirSync(join(job.temp, 'checkpoint'));
    writeFileSync(join(job.temp, 'checkpoint', 'output.json'), '{"score": 2}');
    writeFileSync(files.OUTPUT, '{"score": 2}');
    writeFileSync(files.SCHEMA, SCHEMA);
    const more = { ...files, NAME: 'code', ROUND: `${round}-${this.#run}`, TOKEN: job.token };
    const steps = comment === 'always' ? [...BASELINE, 'comment'] : BASELINE;
    return await this.#round(async () => {
      for (const step of steps) await this.#theirs(job, step, more);
    });
  }

  async #round(work: () => Promise<void>): Promise<Round> {
    const before = this.#service.calls.length;
    const began = performance.now();
    await work();
    return { milliseconds: performance.now() - began, requests: this.#service.calls.length - before };
  }

  #job(job: string): Promise<JobEnvironment> {
    const about = { event: 'pull_request', headBranch: 'work', pullRequests: [7], number: this.#run } as const;
    const side = { repo: { full_name: 'octo/gates' }, sha: 'a'.repeat(40), ref: 'work' };
    const payload = {
      pull_request: { number: 7, head: side, base: { ...side, ref: 'main' } },
      repository: { default_branch: 'main' },
    };
    return this.#service.environmentFor({ run: this.#run, job, about: { ...about }, payload });
  }

  /** One process of the action, main or post; its files are those of the step. */
  async #action(
    step: JobEnvironment,
    inputs: Readonly<Record<string, string>>,
    state: Readonly<Record<string, string>> = {},
  ): Promise<JobEnvironment> {
    const given = Object.entries(inputs).map(([name, value]) => [`INPUT_${name}`, value]);
    const saved = Object.entries(state).map(([name, value]) => [`STATE_${name}`, value]);
    const program = saved.length === 0 ? this.#program : join(dirname(this.#program), 'post.js');
    await node([program], { ...step.env, ...this.#commit, ...Object.fromEntries([...given, ...saved]) });
    return step;
  }

  async #theirs(job: JobEnvironment, step: string, more: Readonly<Record<string, string>>): Promise<void> {
    await node([this.#baseline], { ...job.env, ...more, STEP: step });
  }
}

/** A folder as `actions/checkout` leaves one: git commands in it are part of the cost of a gate. @returns the commit */
function checkOut(workspace: string): string {
  mkdirSync(join(workspace, 'src'), { recursive: true });
  for (let file = 0; file < FILES; file += 1)
    writeFileSync(join(workspace, 'src', `file${file}.ts`), `export const file = ${file};\n`);
  const git = (...args: string[]): unknown => execFileSync('git', args, { cwd: workspace, stdio: 'ignore' });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('-c', 'user.name=bench', '-c', 'user.email=bench@example.com', 'commit', '-qm', 'all');
  return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: workspace, encoding: 'utf8' }).trim();
}

async function node(args: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
  const path = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };
  const child = spawn(process.execPath, args, { env: { ...path, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (log += text));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}:\n${log}`);
}
