import type { JsonValue } from '../../../src/json/json.ts';
import type { Checkpoint } from '../../../src/run/checkpoint.ts';
import type { AttemptRef } from '../../../src/run/entry.ts';
import type { Answer, SimulatedAgent } from '../memory-agents.ts';
import type { Tree } from '../world.ts';
import { owns, type Unit } from './units.ts';

/** `sent-back`: failed its check, and is remembered because its gate sends work back. */
export type Result = 'none' | 'failed' | 'sent-back' | 'partial' | 'passed' | 'skipped';

/** An attempt as it really was: what its agent was given, read, wrote and answered. */
export interface Attempt {
  readonly name: string;
  readonly unit: Unit;
  /** Only a subject that somebody gave. */
  readonly subject: string | undefined;
  readonly start: Tree;
  /** Outputs of its needs, and of reviews, as JSON. */
  readonly exports: string;
  readonly note: string;
  /** Files of its needs that its request named. */
  readonly handedOn: readonly string[];
  readonly agent?: SimulatedAgent;
  result: Result;
  output: JsonValue;
  /** States of the folder that the output holds for. */
  readonly states: Tree[];
  /** Files that it made, as other gates left them since. */
  readonly files: Map<string, string | null>;
  approvalKey?: string;
  isEnded?: boolean;
  /** An input changed while the agent worked, so the output must not be remembered. */
  isDisturbed?: boolean;
  isRejected?: boolean;
}

export function isRemembered(result: Result): boolean {
  return result !== 'none' && result !== 'failed';
}

export function nameOf({ subject, run, unit, n }: AttemptRef): string {
  return `${subject} ${run} ${unit} ${n}`;
}

/** Notes what an agent did that ended or was killed. @returns what it wrote */
export function settle(attempt: Attempt, { answer, writes }: SimulatedAgent): ReadonlyMap<string, string | null> {
  const { unit, files } = attempt;
  if (answer) attempt.result = judge(unit, answer);
  attempt.output = answer?.output ?? null;
  for (const [path, [before, after]] of writes) if (before !== after && owns(unit, path)) files.set(path, after);
  return new Map([...writes].map(([path, [, after]]) => [path, after]));
}

/** What the contract makes of an answer: `score` and `output.ok` are all that contracts of the simulation name. */
export function judge({ gate: { contract, onFail } }: Unit, { exitCode = 0, output }: Answer): Result {
  if (exitCode !== 0 || output === undefined) return 'failed';
  const { ok, score } = output as { ok?: boolean; score?: number };
  if (contract.checks.length > 0 && !ok) return onFail ? 'sent-back' : 'failed';
  return contract.score !== undefined && score! < contract.threshold ? 'partial' : 'passed';
}

/** What an approval names. */
export function approvalKeyOf({ fingerprint, output }: Pick<Checkpoint, 'fingerprint' | 'output'>): string {
  return `${fingerprint} ${output?.digest}`;
}
