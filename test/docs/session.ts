import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { ROOT } from '../repository/repository-files.ts';
import { COMMAND_LINE, plainEnvironment } from '../support/command-line.ts';
import { packagesOf } from './page-packages.ts';
import { unprinted, type Block } from './page.ts';

/** A folder in which a page's commands are run, one after the other, with `gateline` on the PATH. */
export class Session implements AsyncDisposable {
  readonly #folder: string;
  #printed = '';

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(): Promise<Session> {
    const session = new Session(await mkdtemp(join(tmpdir(), 'gateline-docs-')));
    await mkdir(session.#path('workspace'));
    await mkdir(session.#path('bin'));
    await writeFile(session.#path('bin/gateline'), `#!/bin/sh\nexec "${process.execPath}" "${COMMAND_LINE}" "$@"\n`);
    await chmod(session.#path('bin/gateline'), 0o755);
    return session;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }

  /** Does what a block says. Answers what is wrong: nothing, when the page tells the truth. */
  async follow(block: Block): Promise<string[]> {
    const [what, rest = ''] = block.says.split(/: (.*)/s);
    if (what === 'file') return this.#write(rest, block.text);
    if (what === 'packages') {
      for (const [name, text] of Object.entries(packagesOf(block.text))) await this.#write(name, text);
      return [];
    }
    if (what === 'run') return this.#run(block.text, Number(/^exit (\d+)$/.exec(rest)?.[1] ?? 0));
    return what === 'prints' ? this.#compare(block.text) : [];
  }

  async #write(name: string, text: string): Promise<string[]> {
    const path = join(this.#path('workspace'), name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    return [];
  }

  async #run(script: string, expected: number): Promise<string[]> {
    const environment = plainEnvironment({ GATELINE_CLONE: ROOT, NO_COLOR: '1' });
    const env = { ...environment, PATH: [this.#path('bin'), environment['PATH']].join(delimiter) };
    const child = spawn('sh', ['-e', '-c', script], {
      cwd: this.#path('workspace'),
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (this.#printed += text));
    const [code] = (await once(child, 'close')) as [number | null];
    return code === expected ? [] : [`exit code ${code}, not ${expected}:\n${this.#printed}`];
  }

  #compare(text: string): string[] {
    return unprinted(text, this.#printed);
  }
}
