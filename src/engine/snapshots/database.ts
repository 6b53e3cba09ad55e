import type { DatabaseSettings } from '../../pipeline/pipeline.ts';
import type { Content, EndedRecord } from '../../run/records/record.ts';
import type { Unit } from '../../run/records/unit.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { SecretFound, withoutSecrets } from '../call/without-secrets.ts';
import type { Call } from '../call/call.ts';
import type { DatabaseSnapshots, RunNamed } from '../ports.ts';
import { keepsSnapshot } from './kept-snapshots.ts';

/** The commands of the pipeline and what runs them; `undefined`: there is no database. */
export function databaseOf({ assignment, ports, holder }: Call): DatabaseSnapshots | undefined {
  const settings: DatabaseSettings | undefined = assignment.pipeline.snapshots.database;
  return settings === undefined || holder === 'job' ? undefined : ports.database;
}

/** The run of the call. */
export function runNamed({ journal, assignment }: Call): RunNamed {
  return {
    pipeline: assignment.pipeline.id,
    subject: assignment.subject,
    runNumber: journal.call.runNumber,
  };
}

/**
 * The database before the run's first agent starts.
 * @returns undefined if there is none, or the run has one already
 * @throws GatelineError `DATABASE_FAILED`: a gate that changes a database does not start without a way back
 */
export async function databaseAtStart(call: Call): Promise<Content | undefined> {
  const database = databaseOf(call);
  if (database === undefined || firstDatabase(call) !== undefined) return undefined;
  return take(call, database, 'the database before the first gate');
}

/** The snapshot that the run began with. */
export function firstDatabase({ journal }: Call): Content | undefined {
  const begun = [...journal.state().units.values()].flatMap((unit) => unit.begun);
  return begun.find((claim) => claim.database !== undefined)?.database;
}

/** The database after a gate, if its snapshot is kept. A failure is a notice: the gate's work is done. */
export async function databaseAfter(
  call: Call,
  unit: Unit,
  { status }: Pick<EndedRecord['verdict'], 'status'>,
): Promise<Content | undefined> {
  const database = databaseOf(call);
  if (database === undefined || status === 'failed' || !keepsSnapshot(call.assignment.pipeline, unit.gate.id))
    return undefined;
  try {
    return await take(call, database, `the database after ${unit.key}`);
  } catch (error) {
    if (!(error instanceof GatelineError) || error.code !== 'DATABASE_FAILED') throw error;
    await call.observe({ type: 'notice', unit: unit.key, message: `no snapshot of its database: ${error.message}` });
    return undefined;
  }
}

async function take(call: Call, database: DatabaseSnapshots, what: string): Promise<Content | undefined> {
  const { redactor, assignment } = call;
  const refuse = async (why: string): Promise<undefined> => {
    await call.observe({ type: 'notice', message: `${what} is not kept: ${why}` });
  };
  try {
    const screen = (chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> => withoutSecrets(chunks, redactor);
    const taken = await database.take(runNamed(call), { screen, redact: redactor.redactText });
    const { maxSize } = assignment.pipeline.snapshots;
    if (maxSize === undefined || taken.bytes <= maxSize) return taken;
    await database.drop(runNamed(call), taken.digest);
    return await refuse(`it is larger than \`snapshots: {max-size: ${maxSize}}\``);
  } catch (error) {
    if (error instanceof SecretFound) return refuse('it holds a secret');
    throw error;
  }
}
