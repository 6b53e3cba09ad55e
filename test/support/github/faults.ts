import { Refusal, errorReply, type Operation, type Protocol, type Reply } from './http.ts';
import type { JobIdentity } from './model.ts';

/** A request that reached the services. */
export interface Call {
  /** From 1, in order of arrival. */
  readonly number: number;
  readonly route: string;
  readonly protocol: Protocol;
  readonly method: string;
  readonly path: string;
  readonly job: JobIdentity | undefined;
  readonly subject: string | undefined;
  /** Milliseconds of `performance.now()`. */
  readonly startedAt: number;
  /** Undefined until there is an answer. */
  endedAt: number | undefined;
  status: number | undefined;
  fault: Fault['kind'] | undefined;
}

/** What goes wrong. `done`: the request takes effect, only its answer is lost. */
export type Fault =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly message?: string;
      readonly done?: boolean;
    }
  /** No answer, ever; the connection stays open. */
  | { readonly kind: 'hang'; readonly done?: boolean }
  /** The connection is reset without an answer. */
  | { readonly kind: 'drop'; readonly done?: boolean }
  /** Half of the answer with the length of the whole; then the connection closes. */
  | { readonly kind: 'truncate' }
  | { readonly kind: 'delay'; readonly ms: number };

export interface FaultRule {
  /** Default: any. */
  readonly route?: string | RegExp;
  /** Artifact name, cache key, or parameter of the path; default: any. */
  readonly subject?: string | RegExp;
  /** Name of the calling job; default: any. */
  readonly job?: string;
  readonly runAttempt?: number;
  /** The first of the matching requests that fails, from 1. Default: 1. */
  readonly nth?: number;
  /** How many fail from there on. Default: 1. */
  readonly times?: number;
  readonly fault: Fault;
}

export interface PlannedFault {
  readonly rule: FaultRule;
  matches: number;
  hits: number;
}

/** The fault of a call: all rules count it, the first that is due decides. */
export function takeFault(planned: readonly PlannedFault[], call: Call): Fault | undefined {
  let fault: Fault | undefined;
  for (const entry of planned) {
    if (!isDue(entry, call) || fault !== undefined) continue;
    entry.hits += 1;
    fault = entry.rule.fault;
  }
  return fault;
}

function isDue(planned: PlannedFault, call: Call): boolean {
  const { route, subject, job, runAttempt, nth = 1, times = 1 } = planned.rule;
  const matches =
    fits(route, call.route) &&
    fits(subject, call.subject) &&
    (job ?? call.job?.job) === call.job?.job &&
    (runAttempt ?? call.job?.runAttempt) === call.job?.runAttempt;
  if (!matches) return false;
  planned.matches += 1;
  return planned.matches >= nth && planned.matches < nth + times;
}

function fits(pattern: string | RegExp | undefined, text: string | undefined): boolean {
  return pattern === undefined || (typeof pattern === 'string' ? pattern === text : pattern.test(text ?? ''));
}

export function faultReply({ protocol }: Operation, fault: Extract<Fault, { kind: 'status' }>): Reply {
  return errorReply(protocol, new Refusal(fault.status, fault.message ?? 'A fault of the test', fault.headers));
}

/** Requests of which each began after the one before was answered: the longest such chain. */
export function countInSeries(calls: readonly Call[]): number {
  const byEnd = calls.filter(({ endedAt }) => endedAt !== undefined).toSorted((a, b) => a.endedAt! - b.endedAt!);
  let [count, lastEnd] = [0, -Infinity];
  for (const { startedAt, endedAt } of byEnd) {
    if (startedAt < lastEnd) continue;
    [count, lastEnd] = [count + 1, endedAt!];
  }
  return count;
}
