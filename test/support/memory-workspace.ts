import picomatch from 'picomatch';
import { digestOf, hexOf } from '../../src/run/digest.ts';
import type { Content, FileChange } from '../../src/run/record.ts';
import type { Tree, TreeFile } from '../../src/run/tree.ts';
import type { Baseline, Materialised, Workspace } from '../../src/workspace/workspace.ts';

/** A workspace in memory: path → text. All files are tracked unless named in `ignored`. */
export interface MemoryWorkspace extends Workspace {
  readonly files: Map<string, string>;
  readonly schemas: Map<string, string>;
  readonly committedFiles: Map<string, string>;
}

export function memoryWorkspace(initial: Readonly<Record<string, string>> = {}): MemoryWorkspace {
  const files = new StampedFiles(Object.entries(initial));
  const committedFiles = new Map(files);
  const fileOf = (text: string): TreeFile => ({ blob: hexOf(digestOf(text)).slice(0, 40), mode: '100644' });
  const tree = (counts: (path: string) => boolean): Tree =>
    new Map(
      [...files]
        .filter(([path]) => counts(path))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([path, text]) => [path, fileOf(text)]),
    );
  const counts = (globs: readonly string[] | undefined, path: string): boolean =>
    globs === undefined || (globs.length > 0 && picomatch([...globs])(path));
  const workspace: MemoryWorkspace = {
    root: '/workspace',
    files,
    schemas: new Map(),
    committedFiles,
    counts,
    inputs: async (globs) => {
      const found = tree((path) => counts(globs, path));
      const unmatched = (globs ?? []).filter((glob) => ![...found.keys()].some((path) => counts([glob], path)));
      return { files: found, unmatched };
    },
    baseline: async (globs): Promise<Baseline> => ({
      tree: tree(() => true),
      named: tree((path) => globs !== 'changed' && counts(globs, path)),
      stamps: new Map(files.stamps),
    }),
    changesSince: async (baseline, globs, keep, earlier = {}) => {
      const { since, made = [] } = earlier;
      const handedOn: FileChange[] = [];
      const touched: FileChange[] = [];
      const refused: { path: string; why: string }[] = [];
      const known = [
        ...files.keys(),
        ...baseline.tree.keys(),
        ...(since?.keys() ?? []),
        ...made.map((one) => one.path),
      ];
      for (const path of [...new Set(known)].sort()) {
        const text = files.get(path);
        const before = baseline.tree.get(path) ?? null;
        const after = text === undefined ? null : fileOf(text);
        const changed = before?.blob !== after?.blob;
        const halfDone = since !== undefined && since.get(path)?.blob !== after?.blob;
        const named = globs === 'changed' || counts(globs, path);
        const again =
          (globs !== 'changed' && files.stamps.get(path) !== baseline.stamps.get(path)) ||
          made.some((one) => one.path === path && one.after?.blob === after?.blob);
        const fresh = text !== committedFiles.get(path) && again;
        if (named && (changed || halfDone || fresh)) {
          const kept = text === undefined ? undefined : await keep(chunksOf(text), path);
          if (kept !== undefined && 'refused' in kept) refused.push({ path, why: kept.refused });
          else handedOn.push(change(path, before, after && kept ? { ...after, content: kept } : null));
        } else if (changed) touched.push(change(path, before, after));
      }
      return { files: handedOn, touched, refused };
    },
    materialise: async (changes, copy) => {
      const done: Materialised[] = [];
      for (const [path, all] of Map.groupBy(changes, (one) => one.path)) {
        const { after } = all.at(-1)!;
        const now = files.has(path) ? fileOf(files.get(path)!) : null;
        if (now?.blob === after?.blob) done.push({ path, action: 'unchanged' });
        else {
          const strange = now !== null && !all.some((one) => [one.before?.blob, one.after?.blob].includes(now.blob));
          if (after === null) files.delete(path);
          else await copy(after.content!.digest, `memory:${path}`, 0o644);
          done.push({
            path,
            action: after === null ? 'deleted' : 'written',
            ...(strange && { displaced: `displaced/${path}` }),
          });
        }
      }
      return done;
    },
    stands: async (changes) =>
      changes.every(({ path, after }) => (files.has(path) ? fileOf(files.get(path)!).blob : undefined) === after?.blob),
    readText: async (path) => workspace.schemas.get(path) ?? files.get(path),
    committed: async (paths) =>
      new Map(
        paths.map((path) => {
          const text = committedFiles.get(path);
          return [path, text === undefined ? null : fileOf(text)];
        }),
      ),
    branch: async () => 'main',
  };
  return workspace;
}

/** Files by path, each with a stamp that every write changes. */
class StampedFiles extends Map<string, string> {
  readonly stamps = new Map<string, string>();
  #writes = 0;

  constructor(initial: Iterable<readonly [string, string]>) {
    super();
    for (const [path, text] of initial) this.set(path, text);
  }

  override set(path: string, text: string): this {
    this.#writes += 1;
    this.stamps.set(path, String(this.#writes));
    return super.set(path, text);
  }
}

function change(path: string, before: TreeFile | null, after: (TreeFile & { content?: Content }) | null): FileChange {
  return { path, before: before && { blob: before.blob, mode: '100644' }, after: after as FileChange['after'] };
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
