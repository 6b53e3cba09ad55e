import { digestOf } from '../../src/json/digest.ts';
import {
  RECORD_FORMAT,
  type DecidedRecord,
  type EndedRecord,
  type StartedRecord,
  type Writer,
} from '../../src/run/records/record.ts';

/** A writer that lives nowhere. */
export const someone: Writer = { host: 'somewhere', boot: 'once', pid: 4_711, pidStart: '1' };

const identity = {
  format: RECORD_FORMAT,
  pipeline: 'ship',
  subject: 'pr-42',
  gate: 'design',
  leg: '',
  runNumber: 1,
  runAttempt: 1,
  n: 1,
  at: '2025-11-06T10:00:00.000Z',
  by: someone,
} as const;

const work = {
  fingerprint: digestOf('request'),
  contract: digestOf('contract'),
  needs: { plan: digestOf('exports'), review: null },
};

/** A sound claim; say what should differ. */
export function startedRecord(different: Partial<StartedRecord> = {}): StartedRecord {
  return { kind: 'started', ...identity, ...work, request: digestOf('request'), holder: 'process', ...different };
}

/** A sound end of an attempt; say what should differ. */
export function endedRecord(different: Partial<EndedRecord> = {}): EndedRecord {
  return {
    kind: 'ended',
    ...identity,
    ...work,
    how: 'ran',
    verdict: { status: 'passed', kind: 'passed', score: 97.5, issues: [], advice: '' },
    startedAt: identity.at,
    value: { digest: digestOf('{}'), bytes: 2 },
    files: [{ path: 'src/ä b.ts', before: null, after: { blob: 'abc', mode: '100644' } }],
    touched: [],
    logs: {},
    exitCode: 0,
    ...different,
  };
}

/** A sound decision; say what should differ. */
export function decidedRecord(different: Partial<DecidedRecord> = {}): DecidedRecord {
  return {
    kind: 'decided',
    ...identity,
    n: 0,
    decision: 'skip',
    actor: 'mona',
    reason: 'flaky',
    fingerprint: null,
    ...different,
  };
}
