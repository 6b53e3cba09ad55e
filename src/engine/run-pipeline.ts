import { openCall, type Assignment } from './call.ts';
import { drive, type Driven } from './drive.ts';
import { force } from './decide.ts';
import type { EnginePorts, Observer } from './ports.ts';
import { pinContracts } from './pin-contracts.ts';
import { removeUnread } from './unread-answers.ts';
import type { CallNumbers } from '../run/numbering.ts';

/** How a run is driven on. */
export interface RunOptions {
  readonly observe: Observer;
  /** Aborted on Ctrl-C: running agents are ended, their records written, nothing new begins. */
  readonly signal: AbortSignal;
  /** Gates to run again although nothing changed; they and what depends on them are out until then. */
  readonly force?: { readonly gates: readonly string[]; readonly actor: string; readonly reason: string };
}

/** What a call came to, and which one it was. */
export interface RunResult extends Driven {
  readonly call: CallNumbers;
  /** Agents of a killed engine that were still there, and were ended first. */
  readonly endedLeftovers: readonly number[];
}

/**
 * Runs a pipeline: goes on with the subject's open run, or begins a new one that reuses what earlier ones came to.
 * The caller holds the workspace's lock.
 */
export async function runPipeline(ports: EnginePorts, assignment: Assignment, options: RunOptions): Promise<RunResult> {
  const endedLeftovers = await ports.agent.endLeftovers(ports.attempts.root);
  for (const pid of endedLeftovers)
    await options.observe({ type: 'notice', message: `process ${pid}, left by a killed run, was ended` });
  const call = await openCall(ports, assignment, options.observe, { alone: true });
  await removeUnread(call);
  await pinContracts(call);
  if (options.force !== undefined) await force(call, options.force);
  await options.observe({ type: 'state', state: call.journal.state() });
  const driven = await drive(call, options.signal);
  return { ...driven, call: call.journal.call, endedLeftovers };
}
