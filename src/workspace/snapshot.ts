import type { Tree } from '../run/tree.ts';

/** Mode and blob of something that is neither file, link nor repository: a pipe, a socket, a device. Never leaves this folder. */
export const SPECIAL_MODE = '000000';

/** What lies in the workspace at one moment. Names come first; content is looked at only where it is asked for. */
export interface Snapshot {
  /** Paths that git tracks (without git: all but `node_modules`), whether or not something is there now. */
  readonly tracked: readonly string[];
  /** Paths that git does not track and does not ignore. */
  readonly untracked: readonly string[];
  /** Those of both that are repositories of their own: submodules, clones. Nothing below them is listed. */
  readonly repositories: ReadonlySet<string>;
  /** Files below these prefixes where a prefix names something ignored; see docs/reference/files-and-inputs.md. */
  generated(prefixes: readonly string[]): Promise<string[]>;
  /** What stands at these paths, ignored or not. Where nothing stands, or a folder, the path is left out. */
  resolve(paths: Iterable<string>): Promise<Tree>;
}

/** How the workspace's files are seen: through git, or as a plain folder. */
export interface FileView {
  /** Whether the executable bit means something here (not on Windows, nor where `core.fileMode` is off). */
  readonly modesCount: boolean;
  snapshot(): Promise<Snapshot>;
  /** The files of the checked out commit; `undefined` where there is none. */
  committed(): Promise<Tree | undefined>;
  branch(): Promise<string | undefined>;
}
