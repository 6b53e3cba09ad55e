import { GatelineError } from '../errors/gateline-error.ts';
import type { TreeDifference } from '../run/files/tree.ts';
import { openCall, type Assignment, type Call } from './call/call.ts';
import { drive, type Driven } from './drive.ts';
import { force } from './decide.ts';
import type { EnginePorts, Observer } from './ports.ts';
import { pinContracts } from './plan/pin-contracts.ts';
import type { CallNumbers } from '../run/state/numbering.ts';
import { comparePositions, unitOf, type StartedRecord } from '../run/records/record.ts';
import { ATTEMPT_FILES } from './attempt/agent-environment.ts';
import { firstNames } from '../errors/first-names.ts';

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
    await options.observe({ type: 'notice', message: `process ${pid}, left by a killed run, was stopped` });
  await ports.workspace.sweep(ports.now().toISOString());
  const call = await openCall(ports, assignment, options.observe, { alone: true });
  await removeUnread(call);
  await pinContracts(call);
  if (options.force !== undefined) await force(call, options.force);
  await options.observe({ type: 'state', state: call.journal.state() });
  const driven = await drive(call, options.signal);
  await nameEdits(call);
  return { ...driven, call: call.journal.call, endedLeftovers };
}

/** Names what changed in the user's folder meanwhile: this call did not see it, the next one will. */
async function nameEdits(call: Call): Promise<void> {
  const before = call.taken();
  if (before === undefined) return;
  call.forgetSnapshot();
  let changed: readonly TreeDifference[];
  try {
    changed = await call.ports.workspace.differences(before, (await call.snapshot()).tree);
  } catch (error) {
    if (!(error instanceof GatelineError)) throw error;
    // What the run came to is on record: it stands, whatever the folder has become since.
    const message = `the folder cannot be checked for changes: ${error.message}`;
    return call.observe({ type: 'notice', message });
  }
  if (changed.length === 0) return;
  const names = changed.map(({ path }) => path);
  const message = `changed in your folder during the run, and not part of it: ${firstNames(names, 10)}`;
  await call.observe({ type: 'notice', message });
}

/** What an agent writes and we take away once it is read and redacted. */
const ANSWERS = [ATTEMPT_FILES.output, ATTEMPT_FILES.metrics, ATTEMPT_FILES.learnings];

/**
 * Removes what agents wrote whose engine was killed before it read it: it never counts, and since nobody redacted it, it
 * may hold secrets. Attempts of agents that run by themselves are left alone, and so are those of an engine that may live.
 */
async function removeUnread(call: Pick<Call, 'journal' | 'ports'>): Promise<void> {
  const { started, ended } = call.journal.archive();
  for (const claim of [...started.values()].flat()) {
    if (claim.holder !== 'process') continue;
    if (ended.get(unitOf(claim))?.some((one) => comparePositions(one, claim) === 0)) continue;
    if (await call.ports.isGone(claim.by)) await removeAnswers(call, claim);
  }
}

async function removeAnswers({ ports }: Pick<Call, 'ports'>, claim: StartedRecord): Promise<void> {
  const directory = await ports.attempts.open(claim);
  for (const name of ANSWERS) await directory?.remove(name);
}
