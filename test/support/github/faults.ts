import { withOtherByte } from './blob-store.ts';
import type { LoggedCall } from './call-log.ts';
import { Refusal, errorReply, type Operation, type Reply, type ServiceRequest } from './protocol.ts';

/** What goes wrong with a call. A call that is not `carriedOut` changes nothing; one that is loses only its answer. */
export type Fault =
  /** An error in the form of the protocol. `retryAfter`: seconds. `html`: a page instead, as a proxy in between sends it. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly retryAfter?: number;
      readonly message?: string;
      readonly html?: boolean;
      readonly carriedOut?: boolean;
    }
  /** No answer, ever; the connection stays open. */
  | { readonly kind: 'hang'; readonly carriedOut?: boolean }
  /** The connection is reset without an answer. */
  | { readonly kind: 'reset'; readonly carriedOut?: boolean }
  /** Carried out; half of the answer comes, with the length of the whole, and the connection closes. */
  | { readonly kind: 'truncate' }
  /**
   * Carried out; one byte is another one: of an uploaded blob before it is stored, of a downloaded blob on its way, or
   * of the digest that an upload tells or a listing answers. A call that has none of these goes through unchanged.
   */
  | { readonly kind: 'digest' }
  /** Carried out; a listing is answered as if there were nothing. Any other call goes through unchanged. */
  | { readonly kind: 'empty' }
  /** Carried out, slowly. Milliseconds before it takes effect, and before it is answered. */
  | { readonly kind: 'delay'; readonly request?: number; readonly response?: number };

/** Which calls a fault befalls. */
export interface FaultRule {
  /** Name of the operation; default: any. */
  readonly operation?: string | RegExp;
  /** Artifact name, cache key, or id; default: any. */
  readonly name?: string | RegExp;
  readonly run?: number;
  readonly attempt?: number;
  readonly job?: string;
  /** The first call that fails, of those that match since the rule was added: from 1, the default. */
  readonly nth?: number;
  /** How many calls fail from there on; default 1, `Infinity` for all. */
  readonly times?: number;
  readonly fault: Fault;
}

/** A rule at work. */
export interface PlannedFault {
  readonly rule: FaultRule;
  /** Calls that matched. */
  matched: number;
  /** Calls that failed. */
  hits: number;
}

/** Faults on demand: the first rule that befalls a call decides, all rules count it. */
export interface FaultPlan {
  add(rule: FaultRule): PlannedFault;
  clear(): void;
  take(call: LoggedCall): Fault | undefined;
}

export function createFaultPlan(): FaultPlan {
  const planned: PlannedFault[] = [];
  return {
    add: (rule) => {
      const fault = { rule, matched: 0, hits: 0 };
      planned.push(fault);
      return fault;
    },
    clear: () => void planned.splice(0),
    take: (call) => {
      // Every rule counts the call, the first that is due decides.
      const due = planned.map((fault) => (counts(fault, call) ? fault : undefined)).find(Boolean);
      if (due !== undefined) due.hits += 1;
      return due?.rule.fault;
    },
  };
}

/** Counts the call where it matches, and tells whether it is one that fails. */
function counts(planned: PlannedFault, call: LoggedCall): boolean {
  const { operation, name, run, attempt, job, nth = 1, times = 1 } = planned.rule;
  const matches =
    fits(operation, call.operation) &&
    fits(name, call.name) &&
    (run ?? call.run) === call.run &&
    (attempt ?? call.attempt) === call.attempt &&
    (job ?? call.job) === call.job;
  if (!matches) return false;
  planned.matched += 1;
  return planned.matched >= nth && planned.matched < nth + times;
}

function fits(pattern: string | RegExp | undefined, text: string | undefined): boolean {
  if (pattern === undefined) return true;
  return typeof pattern === 'string' ? pattern === text : pattern.test(text ?? '');
}

/** Whether the call takes effect all the same. */
export function isCarriedOut(fault: Fault | undefined): boolean {
  if (fault?.kind === 'status' || fault?.kind === 'hang' || fault?.kind === 'reset') return fault.carriedOut ?? false;
  return true;
}

/** The answer of a `status` fault. */
export function faultReply({ protocol }: Operation, fault: Extract<Fault, { kind: 'status' }>): Reply {
  const { status, retryAfter, message = defaultMessage(status), html = false } = fault;
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  if (!html) return errorReply(protocol, new Refusal(status, message, headers));
  const body = Buffer.from(`<html><body><h1>${status}</h1>${message}</body></html>`);
  return { status, headers: { 'content-type': 'text/html', ...headers }, body };
}

function defaultMessage(status: number): string {
  if (status === 403) return 'Resource not accessible by integration';
  return status === 429 ? 'You have exceeded a rate limit' : 'A fault of the test';
}

const HEX_DIGEST = /(sha256:)([0-9a-f])/g;

/** An upload whose content, or the digest told of it, is not what the sender sent. */
export function withWrongContent(operation: Operation, request: ServiceRequest): ServiceRequest {
  if (operation.name === 'PutBlob' || operation.name === 'PutBlock') {
    const { 'content-md5': _, ...headers } = request.headers;
    return { ...request, headers, body: withOtherByte(request.body) };
  }
  if (operation.name === 'FinalizeArtifact') return { ...request, body: withOtherDigests(request.body) };
  return request;
}

/** A download or a listing whose content is not what is stored. */
export function withWrongAnswer(operation: Operation, reply: Reply): Reply {
  if (operation.name === 'GetBlob') return { ...reply, body: withOtherByte(reply.body) };
  return operation.protocol === 'blob' ? reply : { ...reply, body: withOtherDigests(reply.body) };
}

/** The answer to a listing that has forgotten everything. */
export function withoutItems({ name }: Operation, reply: Reply): Reply {
  if (name === 'ListArtifacts') return { ...reply, body: Buffer.from('{"artifacts":[]}') };
  if (name !== 'actions/list-workflow-run-artifacts') return reply;
  return { ...reply, body: Buffer.from('{"total_count":0,"artifacts":[]}') };
}

function withOtherDigests(body: Buffer): Buffer {
  const text = body.toString('utf8');
  return Buffer.from(
    text.replaceAll(HEX_DIGEST, (_, prefix: string, digit: string) => prefix + (digit === '0' ? '1' : '0')),
  );
}
