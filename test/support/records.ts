import { digestOf, type Digest } from '../../src/json/digest.ts';
import {
  RECORD_FORMAT,
  type Content,
  type DecidedRecord,
  type EndedRecord,
  type GatelineRecord,
  type StartedRecord,
  type Writer,
} from '../../src/run/records/record.ts';
import type { RecordListing } from '../../src/run/records/reading.ts';
import type { Verdict } from '../../src/verdict/verdict.ts';

export const PIPELINE = 'test';
export const SUBJECT = 'subject';
export const NOW = '2026-01-02T03:04:05.678Z';
export const ME: Writer = { host: 'host', boot: 'boot', pid: 1, pidStart: '1' };

/** What a test says of a record; the rest has defaults. */
export interface Told {
  readonly gate: string;
  readonly leg?: string;
  readonly run?: number;
  readonly call?: number;
  readonly n?: number;
  readonly at?: string;
}

function identity({ gate, leg = '', run = 1, call = 1, n = 1, at = NOW }: Told) {
  return {
    format: RECORD_FORMAT,
    pipeline: PIPELINE,
    subject: SUBJECT,
    gate,
    leg,
    runNumber: run,
    runAttempt: call,
    n,
    at,
    by: ME,
  } as const;
}

/** Content named by a text. */
export function contentOf(text: string): Content {
  return { digest: digestOf(text), bytes: text.length };
}

export const CONTRACT = digestOf('contract');
export const FINGERPRINT = digestOf('fingerprint');

interface WorkTold extends Told {
  readonly fingerprint?: Digest;
  readonly contract?: Digest;
  readonly needs?: Record<string, Digest | null>;
}

export function started(
  told: WorkTold & Partial<Pick<StartedRecord, 'holder' | 'deadline' | 'by' | 'entities' | 'command'>>,
): StartedRecord {
  const { fingerprint = FINGERPRINT, contract = CONTRACT, needs = {}, holder = 'process', deadline, by = ME } = told;
  const { entities, command } = told;
  return {
    kind: 'started',
    ...identity(told),
    by,
    fingerprint,
    contract,
    needs,
    request: digestOf('request'),
    holder,
    ...(deadline !== undefined && { deadline }),
    ...(entities && { entities }),
    ...(command && { command }),
  };
}

export const PASSED: Verdict = { status: 'passed', kind: 'passed', score: 100, issues: [], advice: '' };
export const PARTIAL: Verdict = { status: 'partial', kind: 'partial', score: 50, issues: [], advice: 'more' };
export const FAILED: Verdict = { status: 'failed', kind: 'schema', score: 0, issues: [], advice: 'mend it' };
export const NOT_APPLICABLE: Verdict = {
  status: 'not-applicable',
  kind: 'not-applicable',
  score: 0,
  issues: [],
  advice: '',
};

export function ended(
  told: WorkTold & Partial<Omit<EndedRecord, 'gate' | 'leg' | 'n' | 'at' | 'fingerprint' | 'contract' | 'needs'>>,
): EndedRecord {
  const { gate, leg, run, call, n, at, fingerprint = FINGERPRINT, contract = CONTRACT, needs = {}, ...rest } = told;
  const where = {
    gate,
    ...(leg !== undefined && { leg }),
    ...(run !== undefined && { run }),
    ...(call !== undefined && { call }),
    ...(n !== undefined && { n }),
    ...(at !== undefined && { at }),
  };
  const verdict = rest.verdict ?? PASSED;
  const output =
    verdict.status === 'passed' || verdict.status === 'partial' ? contentOf(`output of ${gate}`) : undefined;
  return {
    kind: 'ended',
    ...identity(where),
    fingerprint,
    contract,
    needs,
    how: 'ran',
    verdict,
    startedAt: NOW,
    ...(output && { value: output, exports: output }),
    files: [],
    touched: [],
    logs: {},
    ...rest,
  };
}

export function decided(told: Told & Pick<DecidedRecord, 'decision'> & Partial<DecidedRecord>): DecidedRecord {
  return {
    kind: 'decided',
    ...identity({ n: 0, ...told }),
    decision: told.decision,
    actor: 'somebody',
    reason: 'because',
    fingerprint: told.fingerprint ?? null,
    ...(told.until !== undefined && { until: told.until }),
    ...(told.exports !== undefined && { exports: told.exports }),
    ...(told.entity && { entity: told.entity }),
  };
}

export function listing(records: readonly GatelineRecord[], problems: RecordListing['problems'] = []): RecordListing {
  return { records, problems };
}

/** Contents that are not there, as a fold is told of them. */
export function lost(...digests: readonly Digest[]): ReadonlyMap<Digest, null> {
  return new Map(digests.map((digest) => [digest, null]));
}
