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

/** Ends attempts of a killed engine in the folder itself, before a call works in a clone. */
export async function recoverFolder(ports: Ports, order: Order): Promise<void> {
  await recoverOpenAttempts(await Call.open(ports, order));
}

/**
 * Ends attempts whose engine was killed, with what is left of their agents. Their changes of the folder are recorded,
 * and their units start again on them. Attempts between `begin` and `complete` stay open.
 * @throws GatelineError `busy` if one of those has `files`: nothing else may start beside it
 */
export async function recoverOpenAttempts(call: Call): Promise<void> {
  for (const started of call.state.openAttempts.values()) if (started.process) await endLost(call, started);
  const blocking = [...call.state.openAttempts.values()].find(({ writes }) => writes);
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
  const after = await call.takeSnapshot();
  // The clone that an isolated agent changed is gone, and changes of the folder are not its own.
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

/** Finds what a lost attempt changed, and extends the checkpoints of others to that. */
async function rememberChanges(call: Call, started: StartedEntry, unit: Unit, after: Snapshot) {
  const before = snapshotFrom(started.snapshot);
  const changes = await splitChanges(call, { unit, needs: new Map() }, before, after);
  await call.ports.workspace.storeVersions(changes.declared);
  if (started.subject === call.order.subject)
    await extendCheckpoints(call, { unit, before, changes: changes.declared });
  return changes;
}

/** Without the snapshot (somebody removed `.state/git`), all changes count as the user's. */
function ignoreLostSnapshot(error: unknown): undefined {
  if (!(error instanceof GatelineError) || error.code !== 'git-failed') throw error;
}
