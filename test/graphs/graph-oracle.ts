import { createHash } from 'node:crypto';
import { alternative, contentFor, takes } from './graph-agent.ts';
import type { MadeUpGate, MadeUpGraph } from './made-up-graph.ts';

/** A file as the oracle knows it. */
export interface File {
  readonly content: string;
  readonly executable: boolean;
}

export type Files = ReadonlyMap<string, File>;

/** What one gate did for one request, the first time that it came out well. */
interface Result {
  /** Stands for the fingerprint: equal requests have equal ones. */
  readonly request: string;
  readonly handedOn: ReadonlyMap<string, File | null>;
}

/** What a run must come to. */
export interface Expected {
  /** Gates whose agents must be started, each once. */
  readonly started: ReadonlySet<string>;
  /** Gates that must be done in the end. */
  readonly done: ReadonlySet<string>;
  /** Gates that must be blocked because unrelated gates left one path differently. */
  readonly conflicts: ReadonlySet<string>;
}

/**
 * A brute-force model of a pipeline, whose subjects share every output: files are maps, a request is a text, and everything that ever came out well is
 * remembered. Shares no code with the engine.
 */
export class GraphOracle {
  readonly #graph: MadeUpGraph;
  readonly #results = new Map<string, Result>();
  readonly #failed = new Map<string, number>();

  constructor(graph: MadeUpGraph) {
    this.#graph = graph;
  }

  /**
   * @param user the user's files when the run begins
   * @param fingerprints what the engine called each request: agents write it into files, so the oracle must too
   * @param finished given for a run that was killed: gates whose agents came to their end before
   */
  run(user: Files, fingerprints: ReadonlyMap<string, string>, finished?: ReadonlySet<string>): Expected {
    const results = new Map<string, Result>();
    const started = new Set<string>();
    const conflicts = new Set<string>();
    for (const [id, made] of this.#graph.gates) {
      if (made.gate.needs.some((need) => !results.has(need))) continue;
      const handed = this.#handedOnTo(id, results);
      if (handed === undefined) {
        conflicts.add(id);
        continue;
      }
      const tree = laid(user, handed);
      const key = this.#requestOf(made, tree, results);
      const known = this.#results.get(key);
      if (known !== undefined) {
        results.set(id, known);
        continue;
      }
      started.add(id);
      if (finished?.has(id) === false) continue;
      const failures = this.#failed.get(key) ?? 0;
      if (failures < made.failures) {
        this.#failed.set(key, failures + 1);
        continue;
      }
      const result = this.#work(made, tree, fingerprints.get(id) ?? 'unknown');
      this.#results.set(key, result);
      results.set(id, result);
    }
    return { started, done: new Set(results.keys()), conflicts };
  }

  #requestOf({ gate }: MadeUpGate, tree: Files, results: ReadonlyMap<string, Result>): string {
    const inputs = [...tree]
      .filter(([path]) => gate.inputs === undefined || takes(gate.inputs, path))
      .map(([path, { content, executable }]) => [path, content, executable])
      .toSorted(([a], [b]) => ((a as string) < (b as string) ? -1 : 1));
    const needs = gate.needs
      .map((need) => [need, results.get(need)!.request] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    return createHash('sha256')
      .update(JSON.stringify([gate.id, inputs, needs]))
      .digest('hex');
  }

  /** Files of all ancestors, nearer ones over those that they came after. `undefined`: two unrelated ones disagree. */
  #handedOnTo(id: string, results: ReadonlyMap<string, Result>): ReadonlyMap<string, File | null> | undefined {
    const ancestors = this.#ancestorsOf(id);
    const final = new Map<string, { by: string; file: File | null }>();
    for (const by of ancestors) {
      for (const [path, file] of results.get(by)!.handedOn) {
        const others = ancestors.filter((one) => one !== by && results.get(one)!.handedOn.has(path));
        if (others.some((one) => this.#ancestorsOf(one).includes(by))) continue;
        const known = final.get(path);
        if (known !== undefined && !same(known.file, file)) return undefined;
        final.set(path, { by, file });
      }
    }
    return new Map([...final].map(([path, { file }]) => [path, file]));
  }

  #ancestorsOf(id: string): string[] {
    const found = new Set<string>();
    const visit = (one: string): void => {
      for (const need of this.#graph.gates.get(one)!.gate.needs) {
        if (found.has(need)) continue;
        found.add(need);
        visit(need);
      }
    };
    visit(id);
    return [...found];
  }

  #work({ gate, edits }: MadeUpGate, tree: Files, fingerprint: string): Result {
    const after = new Map(tree);
    const write = (path: string, content: string): void => {
      after.set(path, { content, executable: after.get(path)?.executable ?? false });
    };
    for (const { kind, path } of edits) {
      if (kind === 'write' || kind === 'commit') write(path, contentFor(gate.id, path, fingerprint));
      else if (kind === 'append') write(path, `${after.get(path)?.content ?? ''}${gate.id}\n`);
      else if (kind === 'delete') after.delete(path);
      else if (kind === 'alternate') write(path, alternative(fingerprint));
      else if (kind === 'executable' && after.has(path)) after.set(path, { ...after.get(path)!, executable: true });
    }
    const handedOn = new Map<string, File | null>();
    for (const path of new Set([...tree.keys(), ...after.keys()])) {
      const now = after.get(path) ?? null;
      if (same(tree.get(path) ?? null, now)) continue;
      if (gate.files === 'changed' || takes(gate.files, path)) handedOn.set(path, now);
    }
    return { request: fingerprint, handedOn };
  }
}

function laid(user: Files, handed: ReadonlyMap<string, File | null>): Files {
  const tree = new Map(user);
  for (const [path, file] of handed) {
    if (file === null) tree.delete(path);
    else tree.set(path, file);
  }
  return tree;
}

function same(a: File | null, b: File | null): boolean {
  return a === null || b === null ? a === b : a.content === b.content && a.executable === b.executable;
}
