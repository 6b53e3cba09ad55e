import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import picomatch from 'picomatch';
import type { Agent, AgentResult, AgentTask } from '../../src/agent/agent.ts';
import type { MadeUpGate } from './made-up-graph.ts';

/** Files of a folder: path → `<mode> <blob id>`. */
export type Listing = ReadonlyMap<string, string>;

/** What an agent saw and did, for the oracle. */
export interface AgentRun {
  readonly gate: string;
  /** What the engine called its request. */
  readonly request: string;
  /** Where its disk and its request disagree. */
  readonly disagreements: readonly string[];
}

/** All files below a folder but git's and Gateline's own, as git would list them. */
export function listingOf(root: string): Listing {
  const found = new Map<string, string>();
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.name === '.git' || path === '.state') continue;
      if (entry.isDirectory()) walk(path);
      else found.set(path, fileOf(join(root, path)));
    }
  };
  walk('');
  return found;
}

function fileOf(path: string): string {
  const content = readFileSync(path);
  const blob = createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
  return `${statSync(path).mode & 0o100 ? '100755' : '100644'} ${blob}`;
}

/** Paths that a list of globs takes, by a reading of the documentation that shares no code with ours. */
export function takes(globs: readonly string[], path: string): boolean {
  return globs.some(
    (glob) => glob === path || path.startsWith(`${glob}/`) || picomatch.isMatch(path, glob, { dot: true }),
  );
}

/** What an agent does to its files. It looks at nothing but the request's digest, so that the oracle can do the same to a map. */
export function contentFor(gate: string, path: string, request: string): string {
  return `${gate} wrote ${path} for ${request}\n`;
}

/** Which of the two contents an alternating edit has for a request. */
export function alternative(request: string): string {
  return Number.parseInt(request.slice(0, 2), 16) % 2 === 0 ? 'A\n' : 'B\n';
}

/** Agents of a graph, in this process. `runs` is added to; `meanwhile` is called while one works. */
export function graphAgent(
  gates: ReadonlyMap<string, MadeUpGate>,
  runs: AgentRun[],
  shouldFail: (gate: string, request: string) => boolean,
  meanwhile: (gate: string) => void,
): Agent {
  return {
    endLeftovers: async () => [],
    keepLeft: async () => undefined,
    run: async (task) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      return act(task, gates, runs, shouldFail, meanwhile);
    },
  };
}

function act(
  task: AgentTask,
  gates: ReadonlyMap<string, MadeUpGate>,
  runs: AgentRun[],
  shouldFail: (gate: string, request: string) => boolean,
  meanwhile: (gate: string) => void,
): AgentResult {
  const id = task.env['GATELINE_GATE']!;
  const { gate, edits } = gates.get(id)!;
  const root = task.workingDirectory;
  const request = JSON.parse(readFileSync(task.env['GATELINE_REQUEST']!, 'utf8')) as {
    fingerprint: string;
    inputs: { files: Record<string, string> };
  };
  const disk = listingOf(root);
  const mine = gate.inputs === undefined ? disk : new Map([...disk].filter(([path]) => takes(gate.inputs!, path)));
  const key = request.fingerprint.replace('sha256:', '');
  const listed = new Map(Object.entries(request.inputs.files));
  runs.push({ gate: id, request: key, disagreements: disagreements(mine, listed) });
  meanwhile(id);
  const done: AgentResult = { outcome: 'exited', exitCode: 0, stdout: '', stderr: '' };
  for (const { kind, path } of edits) edit(root, id, kind, path, key);
  if (shouldFail(id, key)) return { ...done, exitCode: 1 };
  writeFileSync(task.env['GATELINE_OUTPUT']!, JSON.stringify({ gate: id, request: key }));
  return done;
}

function disagreements(disk: Listing, request: Listing): string[] {
  const paths = new Set([...disk.keys(), ...request.keys()]);
  return [...paths]
    .filter((path) => disk.get(path) !== request.get(path))
    .map((path) => `${path}: disk ${disk.get(path)}, request ${request.get(path)}`);
}

function edit(root: string, gate: string, kind: string, path: string, request: string): void {
  const place = join(root, path);
  const write = (content: string): void => {
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, content);
  };
  if (kind === 'write') write(contentFor(gate, path, request));
  else if (kind === 'append') {
    mkdirSync(dirname(place), { recursive: true });
    appendFileSync(place, `${gate}\n`);
  } else if (kind === 'delete') rmSync(place, { force: true });
  else if (kind === 'alternate') write(alternative(request));
  else if (kind === 'executable' && existsSync(place)) chmodSync(place, 0o755);
  else if (kind === 'ignored') writeFileSync(join(root, `${gate}.log`), 'ignored\n');
  else if (kind === 'commit') {
    write(contentFor(gate, path, request));
    git(root, 'add', '-A');
    git(root, 'commit', '-q', '--allow-empty', '-m', `${gate} commits`);
    git(root, 'branch', '-f', `made-by-${gate}`);
  }
}

function git(cwd: string, ...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=Agent', '-c', 'user.email=agent@example.com', ...args], { cwd, stdio: 'pipe' });
}
