import type { Gate, Pipeline } from '../../src/pipeline/pipeline.ts';
import { pipelineOf } from '../support/pipelines.ts';

/** Files by path. */
export type Files = ReadonlyMap<string, string>;

/** One gate of a random graph: what it reads, and what it does to files. */
export interface Shape {
  /** Numbers of earlier gates; others are left out. */
  readonly needs: readonly number[];
  readonly reads: 'own' | 'shared' | 'whole';
  readonly edits: readonly Edit[];
  readonly files: 'changed' | readonly string[];
  /** It exports less than it says, so that different outputs often export the same. */
  readonly terse: boolean;
  readonly retries: number;
}

export interface Edit {
  readonly path: string;
  /** What it says of what it saw, always the same, or nothing. */
  readonly to: 'told' | 'constant' | 'gone';
}

/** What an agent says, with its keys in the order in which they are kept. */
export interface Said {
  readonly long: string;
  readonly short: number;
}

export const SHARED = ['s/x', 's/y', 's/d', 's/d/e', 's/z'] as const;

/** What the model knows of a gate in one call. */
export interface Expected {
  readonly state: 'done' | 'failed' | 'conflict' | 'stopped';
  /** It starts, once or as often as its retries allow. */
  readonly starts: number;
  readonly said?: Said;
}

/** The graph that is modelled, by brute force and by nothing of the engine's: paths are looked at one by one. */
export class HistoryOracle {
  readonly shapes: readonly Shape[];

  constructor(shapes: readonly Shape[]) {
    this.shapes = shapes;
  }

  pipeline(): Pipeline {
    const gates = this.shapes.map((shape, index): [string, Partial<Gate>] => {
      const writes = shape.edits.length > 0 ? ['s/**'] : [];
      const inputs = [`own${index}`, ...(shape.reads === 'shared' ? ['s/**'] : writes)];
      return [
        `g${index}`,
        {
          needs: this.needsOf(index).map((need) => `g${need}`),
          inputs: shape.reads === 'whole' ? undefined : inputs,
          files: shape.files,
          exports: shape.terse ? ['/short'] : [''],
          retries: shape.retries,
        },
      ];
    });
    return pipelineOf(Object.fromEntries(gates), { maxParallel: 3 });
  }

  /** Files of a user who has just begun. */
  files(): Record<string, string> {
    const own = this.shapes.map((_, index) => [`own${index}`, '0']);
    return { readme: 'mine', 's/.keep': '', 's/x': 'x', ...Object.fromEntries(own) };
  }

  needsOf(index: number): number[] {
    return [...new Set(this.shapes[index]!.needs.filter((need) => need < index))].toSorted((a, b) => a - b);
  }

  ancestorsOf(index: number): Set<number> {
    return new Set(this.needsOf(index).flatMap((need) => [...this.ancestorsOf(need), need]));
  }

  /** What an agent says of what it is given, and nothing else. */
  says(index: number, disk: Files, needs: readonly unknown[]): Said {
    const { reads, edits } = this.shapes[index]!;
    const isGiven = (path: string): boolean =>
      reads === 'whole' ||
      path === `own${index}` ||
      (path.startsWith('s/') && (reads === 'shared' || edits.length > 0));
    const given = [...disk].filter(([path]) => isGiven(path)).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const long = JSON.stringify([index, given, needs]);
    return { long: `${index}-${sumOf(long)}-${long.length}`, short: sumOf(long) % 2 };
  }

  exports(index: number, said: Said): unknown {
    return this.shapes[index]!.terse ? { short: said.short } : said;
  }

  /** Does to files what a gate's agent does. */
  edit(index: number, disk: Map<string, string>, said: Said): void {
    for (const { path, to } of this.shapes[index]!.edits) {
      if (to === 'gone') disk.delete(path);
      else put(disk, path, to === 'told' ? `${path} by ${said.long}` : `constant of ${path}`);
    }
  }

  /**
   * What a call comes to.
   * @param answered whether an earlier output of the gate holds
   */
  call(user: Files, broken: ReadonlySet<string>, answered: (said: Said) => boolean): Expected[] {
    const done: Done[] = [];
    return this.shapes.map((shape, index): Expected => {
      const ancestors = [...this.ancestorsOf(index)].toSorted((a, b) => a - b);
      const needs = this.needsOf(index).map((need) => done[need]);
      if (!needs.every((need) => need !== undefined)) return { state: 'stopped', starts: 0 };
      const disk = this.#overlaid(
        user,
        ancestors.map((one) => done[one]!),
      );
      if (disk === undefined) return { state: 'conflict', starts: 0 };
      const said = this.says(
        index,
        disk,
        needs.map((need) => need.exports),
      );
      const isAnswered = answered(said);
      if (!isAnswered && broken.has(`g${index}`)) return { state: 'failed', starts: shape.retries + 1 };
      const after = new Map(disk);
      this.edit(index, after, said);
      const changes = handedOn(shape, disk, after);
      done[index] = { index, changes, exports: this.exports(index, said), ancestors: new Set(ancestors) };
      return { state: 'done', starts: isAnswered ? 0 : 1, said };
    });
  }

  /** The user's files and those of some gates over them; `undefined`: nobody can say how they stand. */
  #overlaid(user: Files, gates: readonly Done[]): Map<string, string> | undefined {
    const result = new Map(user);
    const made = new Map<string, string>();
    for (const path of new Set(gates.flatMap(({ changes }) => [...changes.keys()]))) {
      const changers = gates.filter(({ changes }) => changes.has(path));
      const last = changers.filter(({ index }) => !changers.some(({ ancestors }) => ancestors.has(index)));
      const texts = new Set(last.map(({ changes }) => changes.get(path)!));
      if (texts.size > 1) return undefined;
      const [text] = texts;
      if (text === null) result.delete(path);
      else made.set(path, text!);
    }
    for (const path of made.keys())
      if ([...made.keys()].some((other) => other.startsWith(`${path}/`))) return undefined;
    for (const [path, text] of made) put(result, path, text);
    return result;
  }
}

interface Done {
  readonly index: number;
  readonly changes: ReadonlyMap<string, string | null>;
  readonly exports: unknown;
  readonly ancestors: ReadonlySet<number>;
}

function handedOn({ files }: Shape, before: Files, after: Files): Map<string, string | null> {
  const changes = new Map<string, string | null>();
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const isNamed = files === 'changed' || files.some((glob) => `${path}/`.startsWith(glob.replace('**', '')));
    if (isNamed && before.get(path) !== after.get(path)) changes.set(path, after.get(path) ?? null);
  }
  return changes;
}

/** Writes a file as a file system does: nothing is a file and a folder. */
export function put(files: Map<string, string>, path: string, text: string): void {
  for (const other of files.keys())
    if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) files.delete(other);
  files.set(path, text);
}

function sumOf(text: string): number {
  let sum = 7;
  for (const character of text) sum = (sum * 31 + character.codePointAt(0)!) % 1_000_000_007;
  return sum;
}
