import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countInSeries } from '../test/support/github/faults.ts';
import { startGithub, type Github } from '../test/support/github/github.ts';
import type { ThirdPartyAction } from '../test/support/runner/action.ts';
import { parseFileCommand } from '../test/support/runner/commands.ts';
import { createRepository } from '../test/support/runner/repository.ts';
import { bundleFiveSteps, DIST, megabytesIn } from './bundles.ts';
import { createFolder } from './folders.ts';
import { figureOf, sample, type Figure, type Round, type Sample } from './measure.ts';

const ROUNDS = 9;
/** Files of the checkout, and those of them that the gate reads. */
const [FILES, INPUTS] = [2_000, 200];
/** Milliseconds of each request. */
const DELAY = 40;
const SCHEMA = JSON.stringify({ type: 'object', required: ['score'], properties: { score: { type: 'number' } } });
const [DESIGN, OUTPUT] = ['{"score": 100}', '{"score": 90}'];
const FIVE = 'five steps by the official clients';

/** What a job did between its checkout and its end, without the agent of a gate. */
interface JobCost extends Sample {
  readonly requests: number;
  readonly inSeries: number;
}
type Costs = Readonly<Record<string, JobCost>>;
type Variables = Readonly<Record<string, string | undefined>>;

/**
 * All that a gate with one need costs, whose agent does nothing, beside five steps of GitHub that do as much. Real jobs
 * on the stand-in for GitHub, real bundles, without a compile cache.
 */
export async function* measureGate(): AsyncGenerator<Figure> {
  using place = createFolder();
  const five = bundleFiveSteps(join(place.path, 'five'));
  const size = { name: 'bundles of actions and command line', unit: 'MB', baseline: 'clients alone' } as const;
  const [value, baselineValue] = [DIST, join(place.path, 'five')].map(megabytesIn) as [number, number];
  yield { ...size, value, baselineValue, ratio: value / baselineValue, goal: ['value', 3.5] };
  await using github = await startGithub({ delay: DELAY });
  const bench = new Bench(github, DIST, five);
  const rounds = await bench.run();
  const against = (job: string, baseline: string, when: 'changed' | 'unchanged' = 'changed'): Round[] =>
    rounds.map(({ [when]: costs }) => [costs[baseline]!, costs[job]!]);
  yield figureOf('gate', FIVE, against('gate', 'five'), ['ratio', 0.5]);
  yield figureOf('gate by begin and complete', FIVE, against('around', 'five'), ['ratio', 0.7]);
  yield figureOf('gate that uses an earlier output', FIVE, against('gate', 'five', 'unchanged'));
  yield figureOf('post step with nothing to do', 'node -e 0', against('post', 'empty'), ['processorMs', 150]);
  yield figureOf('comment that is no command', 'node -e 0', against('comment', 'empty'), ['processorMs', 150]);
  for (const [job, when] of [
    ['gate', 'changed'],
    ['around', 'changed'],
    ['gate', 'unchanged'],
  ] as const) {
    const name = `${job === 'gate' ? 'gate' : 'begin and complete'}, ${when}`;
    yield countFigure(`requests: ${name}`, rounds.at(-1)![when], job, 'requests', 12);
    yield countFigure(`requests in series: ${name}`, rounds.at(-1)![when], job, 'inSeries', 8);
  }
}

function countFigure(name: string, costs: Costs, job: string, part: 'requests' | 'inSeries', most: number): Figure {
  const [value, baselineValue] = [costs[job]![part], costs['five']![part]];
  return { name, value, unit: '', baseline: FIVE, baselineValue, ratio: value / baselineValue, goal: ['value', most] };
}

class Bench {
  readonly #github: Github;
  readonly #product: string;
  readonly #five: string;
  /** Of the jobs of one run. */
  #costs: Record<string, JobCost> = {};

  constructor(github: Github, product: string, five: string) {
    this.#github = github;
    this.#product = product;
    this.#five = five;
  }

  /** In each round a run in which an input has changed, and one in which none has. The first round only warms up. */
  async run(): Promise<{ readonly changed: Costs; readonly unchanged: Costs }[]> {
    const actions = { 'bench/gate': this.#gate, 'bench/around': this.#around, 'bench/five': this.#fiveSteps };
    const options = { files: filesOf(), parallel: 1, actions: { ...actions, 'bench/cold': this.#cold } };
    await using repository = await createRepository(this.#github, options);
    const push = async (files: Record<string, string> = {}): Promise<Costs> => {
      this.#costs = {};
      const run = await repository.push({ files });
      if (run.conclusion !== 'success') throw new Error(run.jobs.map(({ log }) => log).join('\n'));
      return this.#costs;
    };
    const rounds = [];
    for (let n = 0; n <= ROUNDS; n += 1)
      rounds.push({ changed: await push({ 'src/0.ts': `edit ${n}` }), unchanged: await push() });
    return rounds.slice(1);
  }

  /** A gate as `uses: gateline/gateline@v1` starts it. */
  readonly #gate: ThirdPartyAction = ({ env }) =>
    this.#measure(env, async () => {
      await startNode(env, this.#path('gate'));
      await this.#measure({ ...env, GITHUB_JOB: 'post' }, () => this.#post(env));
    });

  readonly #around: ThirdPartyAction = ({ env }) =>
    this.#measure(env, async () => {
      await startNode(env, this.#path('begin'));
      const { token = '', choice, 'output-file': file = '' } = readCommands(env, 'GITHUB_OUTPUT');
      if (choice === 'run') {
        writeFileSync(file, OUTPUT);
        const inputs = { INPUT_TOKEN: token, 'INPUT_GITHUB-TOKEN': env['INPUT_GITHUB-TOKEN'] };
        await startNode({ ...withoutInputs(env), ...inputs }, this.#path('complete'));
      }
      await this.#post(env);
    });

  readonly #fiveSteps: ThirdPartyAction = async ({ env }) => {
    const temp = env['RUNNER_TEMP']!;
    mkdirSync(join(temp, 'checkpoint'));
    for (const name of ['output.json', 'checkpoint/output.json']) writeFileSync(join(temp, name), OUTPUT);
    writeFileSync(join(temp, 'schema.json'), SCHEMA);
    // The need of this side: an artifact that has a job of its own elsewhere.
    const design = { ...env, GITHUB_JOB: 'design', STEP: 'upload' };
    await startNode(design, this.#five);
    await this.#measure(env, async () => {
      for (const step of ['download', 'restore', 'check', 'upload', 'save'])
        await startNode({ ...env, STEP: step }, this.#five);
    });
  };

  /** Steps that find nothing to do. */
  readonly #cold: ThirdPartyAction = async ({ env }) => {
    const event = join(env['RUNNER_TEMP']!, 'comment.json');
    const comment = { comment: { id: 1, body: 'Thank you.', user: { type: 'User' } }, issue: { number: 1 } };
    writeFileSync(event, JSON.stringify({ action: 'created', ...comment, repository: { default_branch: 'main' } }));
    const of = { ...env, GITHUB_EVENT_NAME: 'issue_comment', GITHUB_EVENT_PATH: event };
    await this.#measure({ ...env, GITHUB_JOB: 'comment' }, () => startNode(of, this.#path('comment')));
    await this.#measure({ ...env, GITHUB_JOB: 'empty' }, () => startNode(env, '-e', '0'));
  };

  #path(name: string): string {
    return join(this.#product, `${name}.js`);
  }

  #post(env: Variables): Promise<void> {
    const state = Object.entries(readCommands(env, 'GITHUB_STATE')).map(([name, value]) => [`STATE_${name}`, value]);
    return startNode({ ...env, ...Object.fromEntries(state) }, this.#path('post'));
  }

  async #measure(env: Variables, work: () => Promise<void>): Promise<void> {
    const before = this.#github.calls.length;
    // The services are in this process.
    const spent = await sample(work, 'children');
    const calls = this.#github.calls.slice(before);
    this.#costs[env['GITHUB_JOB']!] = { ...spent, requests: calls.length, inSeries: countInSeries(calls) };
  }
}

/** Node without the compile cache of the tests: a fresh runner has none. */
async function startNode(env: Variables, ...args: readonly string[]): Promise<void> {
  const options = { cwd: env['GITHUB_WORKSPACE'], env: { ...env, NODE_COMPILE_CACHE: undefined } };
  const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (log += text));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}:\n${log}`);
}

function withoutInputs(env: Variables): Variables {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('INPUT_')));
}

function readCommands(env: Variables, name: 'GITHUB_OUTPUT' | 'GITHUB_STATE'): Record<string, string> {
  return parseFileCommand(readFileSync(env[name]!, 'utf8'));
}

function filesOf(): Record<string, string> {
  const sources = Array.from({ length: FILES }, (_, n) => [
    n < INPUTS ? `src/${n}.ts` : `lib/${n % 50}/${n}.ts`,
    `export const value = ${n};\n`.repeat(1 + (n % 20)),
  ]);
  const run = (output: string): string => `printf '%s' '${output}' > "$GATELINE_OUTPUT"`;
  const common = { needs: ['design'], inputs: ['src/**'], output: { schema: 'schema.json', score: '/score' } };
  const gates = {
    design: { run: run(DESIGN), shell: 'sh', inputs: [] },
    gate: { ...common, run: run(OUTPUT), shell: 'sh' },
    around: { ...common, uses: './' },
  };
  const inputs = { 'github-token': '${{ github.token }}', 'job-status': 'success', needs: '${{ toJSON(needs) }}' };
  // One after the other, so that nothing else runs beside what is measured.
  const job = (needs: readonly string[], uses: string, ...more: readonly object[]) => ({
    needs,
    'runs-on': 'ubuntu-latest',
    outputs: { attempt: '${{ steps.gate.outputs.attempt }}' },
    steps: [{ uses: 'actions/checkout@v5' }, { id: 'gate', uses, with: inputs }, ...more],
  });
  const jobs = {
    design: job([], 'bench/gate@v1'),
    five: job(['design'], 'bench/five@v1'),
    gate: job(['design'], 'bench/gate@v1'),
    around: job(['design'], 'bench/around@v1'),
    cold: job(['design'], 'bench/cold@v1'),
  };
  return {
    ...Object.fromEntries(sources),
    'schema.json': SCHEMA,
    'gateline.yml': JSON.stringify({ pipeline: 'bench', gates }),
    '.github/workflows/bench.yml': JSON.stringify({ name: 'Bench', on: { push: null }, jobs }),
  };
}
