import type { AgentResult } from '../../agent/agent.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { attemptIn } from '../../run/plan/archive.ts';
import type { EndedRecord, StartedRecord } from '../../run/records/record.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { Verdict } from '../../verdict/verdict.ts';
import type { Call } from '../call/call.ts';
import { keepLogs } from '../call/content.ts';
import { missingSecrets } from './agent-environment.ts';
import { noSecret, notPrepared, redactVerdict } from './attempt-verdicts.ts';
import type { Captured } from './capture-files.ts';
import type { CollectedOutput } from './collect-output.ts';

/**
 * Ends an attempt if its gate names secrets that are not set: its output could not be redacted. `undefined`: all are
 * set.
 */
export async function endWithoutSecrets(
  call: Call,
  unit: Unit,
  started: StartedRecord,
): Promise<EndedRecord | undefined> {
  const names = missingSecrets(call.ports.environment, unit.gate);
  return names.length === 0 ? undefined : recordEnd(call, unit, started, { verdict: noSecret(names) });
}

/** Ends an attempt that cannot be judged, so that nothing waits for it. */
export function endWith(call: Call, unit: Unit, started: StartedRecord, error: unknown): Promise<EndedRecord> {
  return recordEnd(call, unit, started, { verdict: notPrepared(error) });
}

/** What an `ended` record says besides its claim. */
export interface Ending extends Partial<CollectedOutput>, Partial<Pick<Captured, 'files' | 'touched' | 'snapshot'>> {
  readonly verdict: Verdict;
  readonly result?: AgentResult;
  readonly reported?: Pick<EndedRecord, 'metrics' | 'learnings' | 'effects'>;
}

/** Writes the `ended` record of an attempt. @throws GatelineError `RECORD_TAKEN` */
export async function recordEnd(call: Call, unit: Unit, started: StartedRecord, ending: Ending): Promise<EndedRecord> {
  const { result } = ending;
  const ended: EndedRecord = {
    kind: 'ended',
    ...call.journal.identity(unit, started.n),
    runNumber: started.runNumber,
    runAttempt: started.runAttempt,
    fingerprint: started.fingerprint,
    contract: started.contract,
    needs: started.needs,
    ...(started.standIns && { standIns: started.standIns }),
    ...(started.rework && { rework: started.rework }),
    ...(started.task !== undefined && { task: started.task }),
    how: 'ran',
    verdict: redactVerdict(call, ending.verdict),
    startedAt: started.at,
    ...(ending.value && { value: ending.value }),
    ...(ending.exports && { exports: ending.exports }),
    ...(ending.snapshot && { snapshot: ending.snapshot }),
    files: [...(ending.files ?? [])],
    touched: [...(ending.touched ?? [])],
    logs: await keepLogs(call, result),
    ...(result?.exitCode !== undefined && { exitCode: result.exitCode }),
    ...(result?.signal !== undefined && { signal: result.signal }),
    ...ending.reported,
  };
  if ((await call.journal.write(ended)) === 'taken') {
    throw new GatelineError(
      'RECORD_TAKEN',
      `gate ${unit.key}: ${attemptIn(call.journal.archive(), started)} has ended already`,
    );
  }
  return ended;
}
