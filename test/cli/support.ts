import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/json/json.ts';
import { main } from '../../src/cli/main.ts';
import type { ProcessContext } from '../../src/cli/process-context.ts';
import type { UnitPlan } from '../../src/run/events.ts';
import type { RunView, UnitView } from '../../src/report/view.ts';

export type { RunView };

/** What a command printed, and its exit code. */
interface Answer {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

/**
 * `agent JSON`: notes its unit in a file outside of the folder, and writes its output. With a second word it also waits
 * until that file exists.
 */
const AGENT = `#!/bin/sh
echo "$GATELINE_GATE\${GATELINE_LEG:+/$GATELINE_LEG}" >> "$RUNS"
while [ -n "$2" ] && [ ! -e "$2" ]; do sleep 0.02; done
printf '%s' "$1" > "$GATELINE_OUTPUT"
`;

/** The command of an agent that writes this output. */
export function agent(output: JsonValue = {}, waitsFor = ''): string {
  return `agent '${JSON.stringify(output)}' ${waitsFor && `"${waitsFor}"`}`.trim();
}

/** A definition: JSON is YAML. A gate that says no more has an agent that reads no file. */
export function pipeline(gates: Readonly<Record<string, object>>, more: object = {}): string {
  const filled = Object.entries(gates).map(([id, gate]) => [id, { run: agent(), inputs: [], ...gate }]);
  return JSON.stringify({ pipeline: 'p', ...more, gates: Object.fromEntries(filled) }, null, 1);
}

/** A state file of the guide without a gate's number and output. */
export const ENVELOPE = {
  gate: 0,
  agent: 'x',
  status: 'SUCCESS',
  metadata: { domain: '', feature: 'main', url: '' },
  validation: { score: 90, issues: [], passed: true },
};

/** What `begin --json` prints. */
export interface Begun {
  readonly token: string;
  readonly env: Record<string, string>;
}

/** Where a gate begins in a definition, as messages name it. */
export function placeOf(definition: string, gate: string): string {
  return `gateline.yml:${definition.slice(0, definition.indexOf(`"${gate}": {`)).split('\n').length}`;
}

/** A git folder without a commit, and a terminal in it. */
export class Project {
  readonly root: string;
  /** Beside the folder: no gate reads it. */
  readonly outside: string;
  readonly environment: Record<string, string>;
  #runs = 0;

  constructor(files: Readonly<Record<string, string>> = {}, { isRepository = true } = {}) {
    this.outside = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'gateline-cli-')));
    onTestFinished(() => fs.rmSync(this.outside, { recursive: true, force: true }));
    this.root = join(this.outside, 'folder');
    fs.mkdirSync(join(this.outside, 'bin'));
    fs.mkdirSync(this.root);
    this.program('agent', AGENT);
    this.environment = {
      PATH: [join(this.outside, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter),
      HOME: this.outside,
      GIT_CONFIG_GLOBAL: join(this.outside, 'gitconfig'),
      GIT_CONFIG_NOSYSTEM: '1',
      RUNS: join(this.outside, 'runs'),
    };
    fs.writeFileSync(
      join(this.outside, 'gitconfig'),
      '[user]\n  name = Dev\n  email = dev@example.com\n[init]\n  defaultBranch = main\n',
    );
    for (const [path, text] of Object.entries(files)) this.write(path, text);
    if (!isRepository) return;
    // All that git needs of a repository without a commit: `git init` would be a process for each test.
    for (const name of ['objects', 'refs']) fs.mkdirSync(join(this.root, '.git', name), { recursive: true });
    this.write('.git/HEAD', 'ref: refs/heads/main\n');
  }

  /** Runs a command as a user would type it, in this process. */
  gateline(...words: readonly string[]): Promise<Answer> {
    return this.start(words).answer;
  }

  /** Runs a command, and expects its exit code and texts in what it prints. */
  async expect(words: string | readonly string[], exit: number, ...texts: readonly (string | RegExp)[]): Promise<void> {
    const answer = await this.gateline(...(typeof words === 'string' ? words.split(' ') : words));
    const printed = answer.out + answer.err;
    for (const text of texts) expect(printed).toMatch(text);
    expect({ exit: answer.exit, printed }).toEqual({ exit, printed });
  }

  /** A command that works on while the test does something else. */
  start(words: readonly string[], { input = '', folder = this.root, columns = 0 } = {}) {
    const interrupts = new Set<() => void>();
    const text = { out: '', err: '' };
    const screen = (name: 'out' | 'err') => ({
      write: (more: string) => void (text[name] += more),
      isInteractive: columns > 0,
      hasColors: false,
      columns: columns || undefined,
      rows: columns > 0 ? 40 : undefined,
    });
    const context: ProcessContext = {
      arguments: words,
      environment: this.environment,
      workingDirectory: folder,
      out: screen('out'),
      err: screen('err'),
      readStandardInput: async () => Buffer.from(input),
      onInterrupt: (listener) => {
        interrupts.add(listener);
        return { [Symbol.dispose]: () => void interrupts.delete(listener) };
      },
    };
    const answer = main(context).then((exit): Answer => ({ exit, ...text }));
    return { answer, text, interrupt: () => interrupts.forEach((listener) => listener()) };
  }

  /** The document of a command with `--json`. */
  async json<T = Record<string, unknown>>(...words: readonly string[]): Promise<T> {
    const { out } = await this.gateline(...words, '--json');
    return JSON.parse(out) as T;
  }

  async unit(key: string): Promise<UnitView> {
    const { units } = await this.json<RunView>('status');
    return units.find((unit) => unit.key === key)!;
  }

  /** What `plan` says of each unit. */
  async plan(...words: readonly string[]): Promise<Record<string, UnitPlan>> {
    const { plan } = await this.json<{ plan: UnitPlan[] }>('plan', ...words);
    return Object.fromEntries(plan.map((unit) => [unit.unit, unit]));
  }

  /** What `plan` says of one unit: `choice: reason (hint)`. */
  async why(unit: string): Promise<string> {
    const { choice, reason, hint } = (await this.plan())[unit]!;
    return `${choice}: ${reason}${hint === undefined ? '' : ` (${hint})`}`;
  }

  /** What `plan` says of all units: `unit choice, …` */
  async choices(...words: readonly string[]): Promise<string> {
    return Object.values(await this.plan(...words))
      .map(({ unit, choice }) => `${unit} ${choice}`)
      .join(', ');
  }

  /** `unit status, …` */
  async statuses(): Promise<string> {
    const { units } = await this.json<RunView>('status');
    return units.map(({ key, status }) => `${key} ${status}`).join(', ');
  }

  /** Runs, and says whose agents worked: `code: units`. */
  async run(...words: readonly string[]): Promise<string> {
    const { exit } = await this.gateline('run', ...words);
    return `${exit}: ${this.ran()}`;
  }

  /** Waits until the agents of these units have begun. */
  async waitFor(...units: readonly string[]): Promise<void> {
    const runs = () => fs.existsSync(this.environment['RUNS']!) && fs.readFileSync(this.environment['RUNS']!, 'utf8');
    await expect.poll(runs).toBe(units.map((unit) => `${unit}\n`).join(''));
  }

  /** Units whose agents have worked since this was asked last. */
  ran(): string {
    const runs = fs.existsSync(this.environment['RUNS']!)
      ? fs.readFileSync(this.environment['RUNS']!, 'utf8').split('\n')
      : [''];
    const more = runs.slice(this.#runs, -1);
    this.#runs = runs.length - 1;
    return more.join(' ');
  }

  write(path: string, text: string): void {
    fs.mkdirSync(dirname(resolve(this.root, path)), { recursive: true });
    fs.writeFileSync(resolve(this.root, path), text);
  }

  read(path: string): string | undefined {
    return fs.existsSync(resolve(this.root, path)) ? fs.readFileSync(resolve(this.root, path), 'utf8') : undefined;
  }

  readJson(path: string): JsonObject {
    return JSON.parse(this.read(path)!) as JsonObject;
  }

  /** Names in a folder. */
  files(path: string): string[] {
    return fs.readdirSync(join(this.root, path)).sort();
  }

  remove(path: string): void {
    fs.rmSync(join(this.root, path), { recursive: true });
  }

  /** Replaces a text in a file. */
  edit(path: string, before: string, after: string): void {
    this.write(path, this.read(path)!.replace(before, after));
  }

  /** A program on the PATH of agents. */
  program(name: string, text: string): void {
    fs.writeFileSync(join(this.outside, 'bin', name), text);
    fs.chmodSync(join(this.outside, 'bin', name), 0o755);
  }

  git(...words: readonly string[]): string {
    return execFileSync('git', words, { cwd: this.root, env: this.environment, encoding: 'utf8' });
  }

  commit(): void {
    this.git('add', '-A');
    this.git('commit', '-q', '--allow-empty', '-m', 'x');
  }

  /** Path, time and bytes of everything in `.state/`: equal only if nothing was written. */
  state(): string {
    return fs
      .readdirSync(join(this.root, '.state'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => `${path} ${fs.readFileSync(path).toString('base64')}`)
      .join('\n');
  }
}
