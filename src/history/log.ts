import { z } from 'zod';
import { ID_PATTERN } from '../pipeline/pipeline.ts';
import type { HistoryEntry, RunHistory } from './entry.ts';

const text = z.string().max(1_024).optional();

/** A run that a call works on, and what its records will not say. */
export const openRunSchema = z.object({
  pipeline: z.string().regex(ID_PATTERN),
  subject: z.string().min(1).max(1_024),
  run: z.int().min(0).max(1_000_000_000),
  facts: z.object({ set: text, commit: text, actor: text, workflowFile: text }),
});
export type OpenRun = z.infer<typeof openRunSchema>;

/**
 * Where the entries of runs go. A run is noted before a call writes records of it, and its entry is written when the
 * call ends; what a killed call left noted is completed by the next command. No output is reused because of it.
 */
export interface HistoryLog {
  /** The definition of the runs, as a path from the workspace; for their entries. */
  readonly definition: string | undefined;
  /** Notes that a call works on a run. @throws GatelineError `STORE_WRITE_FAILED` */
  begin(run: OpenRun): Promise<void>;
  /** The runs that are noted. @throws GatelineError `STORE_READ_FAILED` */
  open(): Promise<OpenRun[]>;
  /**
   * Writes the entry of a run, and that of its gates, unless the same was written before; then the run is not noted any
   * more.
   * @param history `undefined`: there is nothing to write
   * @throws GatelineError `STORE_WRITE_FAILED`
   */
  end(run: OpenRun, history: RunHistory | undefined): Promise<void>;
  /** The entries of all runs, the newest first. @throws GatelineError `STORE_READ_FAILED` */
  all(): Promise<HistoryEntry[]>;
  /**
   * Replaces the entries of these runs, and keeps those of all others.
   * @returns how many others there are
   * @throws GatelineError `STORE_WRITE_FAILED`
   */
  rewrite(recomputed: readonly RunHistory[]): Promise<number>;
  /**
   * Removes entries of runs, with those of their gates; none while there are lines that cannot be read.
   * @returns how many runs
   * @throws GatelineError `STORE_WRITE_FAILED`
   */
  forget(isOld: (entry: HistoryEntry) => boolean): Promise<number>;
}
