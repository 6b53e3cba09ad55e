import type { EnginePorts } from '../../engine/ports.ts';
import type { Environment } from '../../environment.ts';
import type { HistoryFiles } from '../../store/filesystem/history/history-files.ts';
import type { LoadedPipeline } from '../load-pipeline.ts';

/** Called while something long is looked at: what, how much is done, of how much. */
export type LookProgress = (what: string, done: number, of: number) => void;

/** Context that every check of a workspace needs. */
export interface Looking {
  readonly loaded: LoadedPipeline;
  /** Opened for reading only. */
  readonly ports: EnginePorts;
  readonly history: HistoryFiles;
  /** Absolute path of the workspace, and of its `.state`. */
  readonly workspace: string;
  readonly state: string;
  readonly environment: Environment;
  /** Absolute path of the folder with the work trees of the workspace. */
  readonly trees: string;
  /** This process has the lock of the workspace. */
  readonly isLocked: boolean;
  readonly progress: LookProgress;
  /** A path for people: relative to the workspace, with `/` between folders; absolute outside of it. */
  readonly show: (path: string) => string;
}
