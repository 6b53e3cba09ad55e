import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type {
  CodeOutput,
  DataOutput,
  DesignOutput,
  ExecuteOutput,
  LearnOutput,
  MapOutput,
} from '../../examples/web-tests/agents/protocol/outputs.ts';
import { exportsOf } from '../../src/run/plan/exports.ts';
import type { JsonValue } from '../../src/json/json.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The example as it lies in the repository. */
export const EXAMPLE = join(ROOT, 'examples', 'web-tests');
export const PAGE = 'page/registration.html';
export const GATES = ['data', 'design', 'map', 'code', 'execute', 'learn'] as const;
export type GateName = (typeof GATES)[number];

export interface Outputs {
  data: DataOutput;
  design: DesignOutput;
  map: MapOutput;
  code: CodeOutput;
  execute: ExecuteOutput;
  learn: LearnOutput;
}

interface GateDefinition {
  run: string;
  needs?: string[];
  with?: Record<string, unknown>;
  output: { schema: string; threshold: number; exports?: string[] };
}

/** What became of one start of an agent. */
export interface Started {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Directory that its request, output and metrics lie in. */
  readonly directory: string;
}

/** gateline.yml of the example. */
export async function readDefinition(): Promise<{
  subject: string;
  metadata: Record<string, unknown>;
  gates: Record<GateName, GateDefinition>;
}> {
  return parse(await readFile(join(EXAMPLE, 'gateline.yml'), 'utf8')) as never;
}

/** A copy of the example whose agents are started one by one, as agent protocol 1 says, without an engine. */
export class Chain implements AsyncDisposable {
  readonly root: string;
  /** Outputs of the gates that were run, whole; nothing for the others. */
  readonly outputs = {} as Outputs;
  readonly #directory: string;
  readonly #definition: Awaited<ReturnType<typeof readDefinition>>;
  #starts = 0;

  private constructor(directory: string, definition: Awaited<ReturnType<typeof readDefinition>>) {
    this.#directory = directory;
    this.root = join(directory, 'examples', 'web-tests');
    this.#definition = definition;
  }

  static async create(): Promise<Chain> {
    const directory = await mkdtemp(join(tmpdir(), 'web-tests-'));
    const chain = new Chain(directory, await readDefinition());
    await mkdir(join(directory, 'examples'));
    await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'), 'junction');
    const generated = ['tests', 'knowledge', '.state'].map((name) => join(EXAMPLE, name));
    await cp(EXAMPLE, chain.root, { recursive: true, filter: (path) => !generated.includes(path) });
    return chain;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
  }

  /** Changes a file of the copy; the change must change something. */
  async edit(path: string, from: string | RegExp, to: string): Promise<void> {
    const text = await readFile(join(this.root, path), 'utf8');
    const changed = text.replace(from, to);
    if (changed === text) throw new Error(`${String(from)} is not in ${path}`);
    await writeFile(join(this.root, path), changed);
  }

  /** Runs these gates in order; each must answer. */
  async run(gates: readonly GateName[], environment: Record<string, string> = {}): Promise<void> {
    for (const gate of gates) {
      const { code, stderr, directory } = await this.start(gate, environment);
      if (code !== 0) throw new Error(`gate ${gate} ended with ${code}: ${stderr}`);
      this.outputs[gate] = JSON.parse(await readFile(join(directory, 'output.json'), 'utf8'));
    }
  }

  /** What later gates see of a gate's output. */
  exported(gate: GateName): JsonValue {
    const output = JSON.parse(JSON.stringify(this.outputs[gate])) as JsonValue;
    return exportsOf(output, this.#definition.gates[gate].output.exports ?? ['']);
  }

  /** Starts one agent with the request that its gate would be given. */
  async start(gate: GateName, environment: Record<string, string> = {}, request: object = {}): Promise<Started> {
    const directory = join(this.#directory, `start-${++this.#starts}`);
    await mkdir(directory);
    const path = (name: string): string => join(directory, name);
    await writeFile(path('request.json'), JSON.stringify({ ...(await this.#request(gate, directory)), ...request }));
    const variables = {
      GATELINE_REQUEST: path('request.json'),
      GATELINE_OUTPUT: path('output.json'),
      GATELINE_METRICS: path('metrics.json'),
      GATELINE_LEARNINGS: path('learnings.md'),
      GATELINE_ATTEMPT: '1',
      WEB_TESTS_BROWSER: 'embedded',
    };
    const args = this.#definition.gates[gate].run.split(' ').slice(1);
    return { ...(await startNode(args, this.root, { ...variables, ...environment })), directory };
  }

  /** Large values are handed over by file alone, small ones inline too; here every other one is inline. */
  async #request(gate: GateName, directory: string): Promise<object> {
    const { subject, metadata, gates } = this.#definition;
    const needs: Record<string, object> = {};
    for (const [at, need] of (gates[gate].needs ?? []).entries()) {
      const output = this.exported(need as GateName);
      const file = join(directory, `${need}.json`);
      await writeFile(file, JSON.stringify(output));
      needs[need] = at % 2 === 0 ? { file } : { file, output };
    }
    const definition = { run: gates[gate].run, with: gates[gate].with ?? {}, env: {} };
    return {
      format: 'gateline-request/2',
      gate,
      leg: '',
      subject,
      metadata,
      input: null,
      attempt: 1,
      definition,
      needs,
    };
  }
}

/** Runs Node to its end; `environment` comes on top of PATH and what a process needs. */
export function startNode(
  args: readonly string[],
  cwd: string,
  environment: Record<string, string>,
): Promise<Omit<Started, 'directory'>> {
  const { GATELINE_REQUEST: _request, CHROME_PATH: _chrome, ...inherited } = process.env;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, env: { ...inherited, ...environment } });
    const text = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text.stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.stderr += chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...text }));
  });
}
