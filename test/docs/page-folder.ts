import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { Github } from '../support/github/github.ts';
import { serveCommands } from '../support/command-server.ts';
import { compileCache } from '../support/runner/bundle.ts';
import { createRepository, type Run, type TestRepository } from '../support/runner/repository.ts';
import { isWorkflow, ROOT, type Block, type Page } from './pages.ts';

/** A folder in which programs can import `gateline` and `gateline/langgraph` from the sources. */
export function createPackageFolder(): string {
  const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'gateline-docs-')));
  const modules = join(folder, 'node_modules');
  fs.mkdirSync(join(modules, 'gateline'), { recursive: true });
  for (const name of ['@langchain', '@types', 'zod'])
    fs.symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  fs.symlinkSync(join(ROOT, 'src'), join(modules, 'gateline/src'));
  const exports = { '.': './src/index.ts', './langgraph': './src/langgraph/index.ts' };
  fs.writeFileSync(join(modules, 'gateline/package.json'), JSON.stringify({ type: 'module', exports }));
  fs.writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  return folder;
}

/** Carries out a page in a git repository, as its reader would. */
export class PageFolder implements AsyncDisposable {
  readonly #page: Page;
  readonly #github: Github;
  readonly #folder = createPackageFolder();
  readonly #root = join(this.#folder, 'project');
  #cwd = this.#root;
  #repository: TestRepository | undefined;
  #run: Run | undefined;
  #commands: Disposable | undefined;
  /** What the block before printed, and whether that is the log of a run. */
  #printed = '';
  #isLog = false;

  constructor(page: Page, github: Github) {
    this.#page = page;
    this.#github = github;
    execFileSync('git', ['init', '-q', '-b', 'main', '--template=', this.#root]);
    fs.writeFileSync(join(this.#folder, 'gitconfig'), '[user]\n  name = Dev\n  email = dev@example.com\n');
  }

  /** @throws Error with the page, the line, and what was expected and printed */
  async runPage(): Promise<void> {
    let workflow: Block | undefined;
    for (const block of this.#page.blocks) {
      if (isWorkflow(block)) workflow = block;
      const problem = await (block.language === 'run' ? this.#start(block.text, workflow) : this.#runBlock(block));
      if (problem !== undefined) throw new Error(`${this.#page.path}:${block.line}: ${problem}`);
    }
  }

  async #runBlock(block: Block): Promise<string | undefined> {
    const { language, text, notes, isOutput } = block;
    const path = notes['file'] ?? notes['workflow'];
    if (path !== undefined) {
      fs.mkdirSync(dirname(join(this.#root, path)), { recursive: true });
      fs.writeFileSync(join(this.#root, path), text);
    } else if ('not run' in notes) return undefined;
    else if (isOutput) return missingLine(text, this.#printed, this.#isLog);
    else if (language === 'sh')
      return this.#execute('bash', ['-ec', `trap 'pwd > "$HOME/cwd"' EXIT\n${text}`], notes['exit']);
    else if (language === 'ts' && 'run' in notes) {
      const program = join(this.#folder, `line-${block.line}.ts`);
      fs.writeFileSync(program, text);
      return this.#execute(process.execPath, [program], notes['exit']);
    }
    return undefined;
  }

  async #execute(file: string, args: readonly string[], exit = '0'): Promise<string | undefined> {
    const bin = join(this.#folder, 'bin');
    if (this.#commands === undefined) {
      fs.mkdirSync(bin);
      this.#commands = await serveCommands(join(bin, 'gateline'));
    }
    const env = {
      PATH: [bin, dirname(process.execPath), process.env['PATH']].join(delimiter),
      HOME: this.#folder,
      TMPDIR: tmpdir(),
      GIT_CONFIG_GLOBAL: join(this.#folder, 'gitconfig'),
      GIT_CONFIG_NOSYSTEM: '1',
      NODE_COMPILE_CACHE: compileCache(),
    };
    // One file for both outputs: their order is that of a terminal.
    const output = fs.openSync(join(this.#folder, 'output'), 'a');
    const child = spawn(file, args, { cwd: this.#cwd, env, stdio: ['ignore', output, output] });
    fs.closeSync(output);
    const [status] = (await once(child, 'exit')) as [number | null];
    const stdout = fs.readFileSync(join(this.#folder, 'output'), 'utf8');
    fs.rmSync(join(this.#folder, 'output'));
    if (file === 'bash') this.#cwd = fs.readFileSync(join(this.#folder, 'cwd'), 'utf8').trim();
    [this.#printed, this.#isLog] = [stdout, false];
    return status === Number(exit) ? undefined : `exit code ${status} instead of ${exit}\n${stdout}`;
  }

  /** Runs the workflow on GitHub's stand-in, with the files of the folder. Actions of others do nothing. */
  async #start(order: string, block: Block | undefined): Promise<string | undefined> {
    const [event = '', end = 'success'] = order.split(' ');
    if (block === undefined) return 'there is no workflow before it';
    const { text, notes } = block;
    const workflow = notes['workflow'] ?? '.github/workflows/gates.yml';
    const others = [...text.matchAll(/uses: (?!gateline\/|actions\/checkout@)([\w-]+\/[^@\s]+)@/g)];
    const [actor = '', outputs = '{}'] = notes['outputs']?.split(/ (.*)/) ?? [];
    const answer = (name: string) => JSON.parse(name === actor ? outputs : '{}') as Record<string, string>;
    const actions = Object.fromEntries(others.map(([, name = '']) => [name, async () => answer(name)]));
    const names = [...text.matchAll(/secrets\.(\w+)/g)];
    const secrets = Object.fromEntries(names.map(([, name = '']) => [name, `secret-value-of-${name}`]));
    const files = { ...this.#files(), [workflow]: text };
    const name = `octo/${this.#page.path.replaceAll(/\W/g, '-')}`;
    const repository = (this.#repository ??= await createRepository(this.#github, { name, files }));
    const options = { workflow, files, actions, secrets };
    const starts: Readonly<Record<string, () => Promise<Run>>> = {
      push: () => repository.push(options),
      pull_request: () => repository.pullRequest({ ...options, branch: 'topic' }),
      workflow_dispatch: () => repository.dispatch(options),
      'rerun-failed': () => this.#run!.rerun('failed'),
      'rerun-all': () => this.#run!.rerun('all'),
    };
    if (starts[event] === undefined) return `the events are ${Object.keys(starts).join(', ')}`;
    this.#run = await starts[event]();
    const texts = this.#run.jobs.flatMap(({ log, summary }) => [log.replaceAll(/^.*?\| /gm, ''), summary]);
    [this.#printed, this.#isLog] = [texts.join('\n'), true];
    if (this.#run.conclusion === end) return undefined;
    return `the run ended with ${this.#run.conclusion}\n${this.#printed}`;
  }

  #files(): Record<string, string> {
    const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: this.#root, encoding: 'utf8' });
    const paths = list
      .split('\n')
      .filter((path) => fs.statSync(join(this.#root, path), { throwIfNoEntry: false })?.isFile());
    return Object.fromEntries(paths.map((path) => [path, fs.readFileSync(join(this.#root, path), 'utf8')]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#commands?.[Symbol.dispose]();
    await this.#repository?.[Symbol.asyncDispose]();
    fs.rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Times, which a fast machine leaves out, with what goes with them. */
const TIME =
  /^ took: [\d.]+ \w+$| \([\d.]+ m?s\)|(?:; about|: saved|[:,])? [\d.]+ (?:ms|s|min|h)\b|(?<=^# gate .*) time\b/gm;

function normalize(text: string): string[] {
  const short = text
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/: [\d.]+ m?s, /g, ': ')
    .replaceAll(TIME, '');
  return short.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}

/** Expects lines next to each other, in a log only in this order. `…` stands for any lines, and for any text in a line. */
function missingLine(expected: string, printed: string, isLog: boolean): string | undefined {
  const lines = normalize(printed);
  let from = 0;
  let isNext = false;
  for (const line of normalize(expected)) {
    const escaped = line.replaceAll(/[^\w ]/g, String.raw`\$&`);
    // A column of times is there only if one is long enough to show.
    const pattern = new RegExp(`^${escaped.replaceAll(String.raw` \…`, '(?: .*)?').replaceAll(String.raw`\…`, '.*')}$`);
    const at = lines.findIndex((other, index) => index >= from && pattern.test(other));
    if (line !== '…' && (at < 0 || (isNext && at > from))) return `expected the line\n${line}\nin\n${printed}`;
    if (line !== '…') from = at + 1;
    isNext = line !== '…' && !isLog;
  }
  return undefined;
}
