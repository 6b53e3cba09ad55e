import type { Fault, FaultRule } from '../../support/github/faults.ts';
import type { LoggedCall } from '../../support/github/call-log.ts';
import { FAULTY } from './outcome.ts';
import { TIME_LIMITS, type TwoGates } from './two-gates.ts';

/** One of the calls that a green gate makes. */
export interface GateCall {
  readonly step: 'begin' | 'complete';
  /** `CreateArtifact code started`. */
  readonly label: string;
  /** Matches this call and no other. */
  readonly rule: Omit<FaultRule, 'fault'>;
  /** The how-manieth of its operation it is, from 1. */
  readonly nthOfKind: number;
}

/** The six ways in which a call fails. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  '500': { kind: 'status', status: 500 },
  '429': { kind: 'status', status: 429 },
  'no answer': { kind: 'hang' },
  'half an answer': { kind: 'truncate' },
  'other bytes': { kind: 'digest' },
  '403': { kind: 'status', status: 403 },
};

/** Every call that the second gate makes when all is well: by step and label, since some are made side by side. Throws where it is not green. */
export async function callsOfGreenGate(gates: TwoGates): Promise<GateCall[]> {
  await using jobs = await gates.jobs.fork('green');
  const job = await jobs.start('code', { attempt: FAULTY, needs: gates.needs, machine: TIME_LIMITS });
  const begin = job.logged(/the agent is through/).then(() => jobs.service.calls.length);
  const report = await job.ended;
  if (report.conclusion !== 'success') throw new Error(report.log.join('\n'));
  const calls = jobs.service.calls.filter(({ attempt }) => attempt === FAULTY);
  const before = await begin;
  return calls
    .map((call, index) => gateCall(call, calls.slice(0, index), index < before ? 'begin' : 'complete'))
    .toSorted((a, b) => textOf(a).localeCompare(textOf(b), 'en') || a.nthOfKind - b.nthOfKind);
}

function textOf({ step, label }: GateCall): string {
  return `${step} ${label}`;
}

function gateCall(call: LoggedCall, earlier: readonly LoggedCall[], step: GateCall['step']): GateCall {
  const { operation, name } = call;
  const nth = 1 + earlier.filter((one) => one.operation === operation && one.name === name).length;
  const rule = { operation, nth, ...(name !== undefined && { name }) };
  const nthOfKind = 1 + earlier.filter((one) => one.operation === operation).length;
  return { step, nthOfKind, label: [operation.replace(/^.*\//, ''), ...subjectOf(name)].join(' '), rule };
}

/** What of a name is the same in every run of the tests. */
function subjectOf(name: string | undefined): string[] {
  const [, gate, what] =
    /^gl1\.[0-9a-f]{8}\.(\w+)\._\.\d\.1\.(started|ended\.files|ended|value)/.exec(name ?? '') ?? [];
  return gate === undefined ? [] : [gate, what === 'ended.files' ? 'files' : what!];
}
