import type { Verdict } from '../verdict/verdict.ts';
import type { UnitKey } from '../pipeline/pipeline.ts';
import type { FileChange } from './files.ts';

/** What happens during a call. Texts are redacted, but not escaped for any target. */
export type EngineEvent =
  /** The run of a call, and the folder that it works in. */
  | {
      readonly type: 'opened';
      readonly pipeline: string;
      readonly subject: string;
      readonly run: number;
      readonly folder: string;
      /** The units that the call works on. */
      readonly units: readonly UnitKey[];
    }
  /** What the call does with a unit, and why: what `plan` prints. */
  | { readonly type: 'planned'; readonly plan: UnitPlan }
  | {
      readonly type: 'started';
      readonly unit: UnitKey;
      readonly n: number;
      readonly reason: string;
      readonly at: string;
    }
  | { readonly type: 'output'; readonly unit: UnitKey; readonly stream: 'stdout' | 'stderr'; readonly line: string }
  | {
      readonly type: 'ended';
      readonly unit: UnitKey;
      readonly n: number;
      readonly how: 'ran' | 'used' | 'adopted' | 'skipped' | 'not-applicable' | 'lost';
      readonly verdict: Verdict;
      /** Absent: its output has no score. */
      readonly score?: number;
      readonly changes: readonly FileChange[];
      readonly ms: number;
      readonly costUsd?: number;
      /** Who approved the output that is used, and why. */
      readonly approval?: string;
      /** Another attempt of the unit follows in this call. */
      readonly retries: boolean;
    }
  /** The Markdown checkpoint of a unit that has ended, safe to print. */
  | { readonly type: 'checkpoint'; readonly unit: UnitKey; readonly text: string }
  /** Work was sent back to a gate. */
  | { readonly type: 'rework'; readonly gate: string; readonly iteration: number; readonly causes: readonly UnitKey[] }
  /** Something that the user should know; `hint` says what to do. */
  | { readonly type: 'notice'; readonly unit?: UnitKey; readonly message: string; readonly hint?: string };

/** What a call does with a unit, and why. */
export interface UnitPlan {
  readonly unit: UnitKey;
  /** `depends`: on what a unit before it makes. `busy`: an agent works on it between `begin` and `complete`. */
  readonly choice: 'use' | 'run' | 'depends' | 'wait' | 'busy' | 'skip' | 'not-applicable' | 'blocked';
  /** One sentence without a full stop. */
  readonly reason: string;
  /** What to change so that it does not run again without need. */
  readonly hint?: string;
  /** Milliseconds and US dollars that using the output saves. */
  readonly savesMs?: number;
  readonly savesUsd?: number;
}
