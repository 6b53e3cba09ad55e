import { gateOf } from '../support/pipelines.ts';
import type { Gate, Pipeline } from '../../src/pipeline/pipeline.ts';
import { DEFAULT_SNAPSHOTS, DEFAULT_WORKSPACE } from '../../src/pipeline/pipeline.ts';

/** What an agent does to the files of its work tree. Decided by its request and nothing else. */
export interface Edit {
  readonly kind: 'write' | 'append' | 'delete' | 'alternate' | 'commit' | 'ignored' | 'executable';
  readonly path: string;
}

/** A gate of a random graph and how its agent behaves. */
export interface MadeUpGate {
  readonly gate: Gate;
  readonly edits: readonly Edit[];
  /** So many attempts fail for each new request. */
  readonly failures: number;
}

/** A random graph of gates over random files. */
export interface MadeUpGraph {
  readonly pipeline: Pipeline;
  readonly gates: ReadonlyMap<string, MadeUpGate>;
  /** Files that are committed to begin with, by path. */
  readonly files: ReadonlyMap<string, string>;
}

type Random = () => number;

/** Picks one. */
export function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)]!;
}

function some<T>(random: Random, from: readonly T[], most: number): T[] {
  return from.filter(() => random() < most / from.length).slice(0, most);
}

const FOLDERS = ['a', 'b', 'c d', 'ü'];
const NAMES = ['x.txt', 'y.txt', 'z-1.md'];

/** Every path that a user or an agent may write, but for those that only one gate has. */
export const SHARED_PATHS: readonly string[] = FOLDERS.flatMap((folder) => NAMES.map((name) => `${folder}/${name}`));

/** A graph of 5 to 30 gates. */
export function madeUpGraph(random: Random): MadeUpGraph {
  const files = new Map(SHARED_PATHS.filter(() => random() < 0.7).map((path) => [path, `${path} at first\n`]));
  // A list of inputs always finds something.
  files.set('a/always.txt', 'always\n');
  const count = 5 + Math.floor(random() * 26);
  const gates = new Map<string, MadeUpGate>();
  for (let number = 0; number < count; number += 1) {
    const id = `g${number}`;
    const before = [...gates.keys()].slice(-6);
    const edits = editsOf(random, id);
    const own = [`out/${id}.txt`];
    const gate = gateOf(id, {
      number,
      run: 'made up',
      needs: some(random, before, 3),
      inputs: inputsOf(random),
      files: random() < 0.25 ? 'changed' : random() < 0.2 ? [] : [...own, ...some(random, FOLDERS, 2)],
    });
    gates.set(id, { gate, edits, failures: random() < 0.12 ? 1 : 0 });
  }
  const pipeline: Pipeline = {
    id: 'graph',
    subject: undefined,
    metadata: {},
    maxParallel: 1 + Math.floor(random() * 4),
    groups: [],
    maxReworks: undefined,
    learning: 'propose',
    workspace: DEFAULT_WORKSPACE,
    snapshots: DEFAULT_SNAPSHOTS,
    gates: [...gates.values()].map(({ gate }) => gate),
  };
  return { pipeline, gates, files };
}

function inputsOf(random: Random): Gate['inputs'] {
  const kind = random();
  if (kind < 0.25) return undefined;
  if (kind < 0.35) return [];
  return ['a/always.txt', ...some(random, FOLDERS, 2).map((folder) => `${folder}/*`)].filter(
    // A folder may be empty by now: only globs that cannot come to nothing are taken.
    (glob) => glob === 'a/always.txt' || glob.startsWith('a/'),
  );
}

function editsOf(random: Random, id: string): Edit[] {
  const kinds = ['write', 'append', 'delete', 'alternate', 'commit', 'ignored', 'executable'] as const;
  const edits: Edit[] = [{ kind: 'write', path: `out/${id}.txt` }];
  const count = Math.floor(random() * 4);
  for (let number = 0; number < count; number += 1) {
    const kind = pick(random, kinds);
    // Paths of several gates come into conflict often: most edits are of paths that only one gate has.
    const path = random() < 0.15 ? pick(random, SHARED_PATHS) : `${pick(random, FOLDERS)}/${id}.txt`;
    edits.push({ kind, path });
  }
  return edits;
}
