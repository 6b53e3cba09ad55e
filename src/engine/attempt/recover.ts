import { GatelineError } from '../../errors.ts';
import { attemptOf, type StartedEntry } from '../../run/entry.ts';
import { failedVerdict } from '../../verdict/verdict.ts';
import { shellWord } from '../../untrusted/escape.ts';
import type { Unit } from '../../run/units.ts';
import { snapshotFrom, snapshotId, type Snapshot } from '../../workspace/workspace.ts';
import { Call } from '../call.ts';
import type { Decider } from '../ports.ts';
import { endForAttempt } from '../entities/gate-entities.ts';
import { extendCheckpoints } from '../plan/checkpoints.ts';
import { recordChanges, splitChanges } from './folder-changes.ts';
import type { Order, Ports } from '../ports.ts';

/** Ends such attempts before a call works elsewhere: in a clone. */
export async function recoverFolder(ports: Ports, order: Order): Promise<void> {
  await recoverOpenAttempts(await Call.open(ports, order));
}

/**
 * Ends attempts whose engine was killed: what is left of their agents is ended, and what they changed is theirs. Their
 * units start again on what is there. Attempts between `begin` and `complete` are nobody's process and stay open.
 * @throws GatelineError `busy` if one of those declares files: nothing else may start beside it
 */
export async function recoverOpenAttempts(call: Call): Promise<void> {
  for (const started of call.state.open.values()) if (started.process) await endLost(call, started);
  const blocking = [...call.state.open.values()].find(({ writes }) => writes);
  if (blocking)
    throw new GatelineError(
      'busy',
      `an agent works on ${blocking.unit} since ${blocking.at}, between begin and complete`,
      {
        hint: `\`gateline complete ${shellWord(blocking.unit)}\` ends its attempt; ${giveUpHint(call, blocking)} gives it up`,
      },
    );
}

function giveUpHint({ order }: Call, { unit, subject, pipeline }: StartedEntry): string {
  const option = subject === order.subject ? '' : ` -s ${shellWord(subject)}`;
  const definition = pipeline === order.pipeline.id ? '' : ` with the definition of ${pipeline}`;
  return `\`gateline reject ${unit} -r WHY${option}\`${definition}`;
}

/**
 * Ends an attempt that nobody will end: its engine was killed, or it was given up between `begin` and `complete`.
 * @param by who gave it up
 */
export async function endLost(call: Call, started: StartedEntry, by?: Decider): Promise<void> {
  const { agents, attempts } = call.ports;
  if (started.process) await agents.endLeftover(started.process, attempts.pathOf(attemptOf(started)));
  call.restoreLegs();
  const isOurs = started.pipeline === call.order.pipeline.id;
  const unit = isOurs ? call.graph.unit(started.unit) : undefined;
  if (unit) await endForAttempt(call, unit, attemptOf(started), 'killed');
  const after = await call.look();
  // What an agent left in a clone is gone, and the folder has changes that are not its own.
  const writer = started.isolated ? undefined : unit;
  const changes = writer && (await rememberChanges(call, started, writer, after).catch(ignoreLostSnapshot));
  await call.write({
    v: started.v,
    pipeline: started.pipeline,
    subject: started.subject,
    run: started.run,
    at: call.now(),
    kind: 'ended',
    unit: started.unit,
    n: started.n,
    how: 'lost',
    verdict: failedVerdict('cancelled', 'Run again: it continues from here.', [
      {
        severity: 'error',
        message: started.process ? 'the call that worked on it was killed' : 'the attempt was given up',
      },
    ]),
    fingerprint: started.fingerprint,
    contract: started.contract,
    iteration: started.iteration,
    rework: started.rework,
    ...(changes
      ? recordChanges(call, changes)
      : { files: (started.isolated && call.state.files.get(started.unit)) || {}, changes: [] }),
    undeclared: [],
    snapshot: snapshotId(after),
    ...by,
    ms: 0,
  });
}

/** What a unit left in the folder is its own; outputs of others hold for it. */
async function rememberChanges(call: Call, started: StartedEntry, unit: Unit, after: Snapshot) {
  const before = snapshotFrom(started.snapshot);
  const changes = await splitChanges(call, { unit, needs: new Map() }, before, after);
  await call.ports.workspace.storeVersions(changes.declared);
  if (started.subject === call.order.subject)
    await extendCheckpoints(call, { unit, before, changes: changes.declared });
  return changes;
}

/** The agent may have removed the repository that held the snapshot, or a person `.state/git`: all changes are the user's. */
function ignoreLostSnapshot(error: unknown): undefined {
  if (!(error instanceof GatelineError) || error.code !== 'git-failed') throw error;
}
