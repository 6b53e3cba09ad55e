import type { JsonObject } from '../../json/json.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import { gateOf } from '../../run/units.ts';
import type { AttemptDocument } from '../../store/github/document.ts';
import type { Contract } from '../../verdict/contract.ts';
import { compileContract, judge } from '../../verdict/judge.ts';
import { verdictText, type Verdict } from '../../verdict/verdict.ts';
import type { Job } from '../job.ts';
import type { Services } from '../services.ts';
import { verifyDecision } from '../verify-decision.ts';
import type { NeedDocument } from './needs.ts';

/** Verifies the decision in a document. @returns why it does not count; undefined: it does, or there is none */
export type VerifyDecision = (document: AttemptDocument, pipeline: Pipeline) => Promise<string | undefined>;

/** Judges documents by the trusted definition and the sources of decisions. */
export interface Judge {
  readonly pipeline: Pipeline;
  readonly contracts: ReadonlyMap<string, Contract>;
  /** `null`: nobody gave one, so checks see none. */
  readonly subject: string | null;
  readonly metadata: JsonObject;
  readonly verifyDecision: VerifyDecision;
}

/**
 * Creates the judge of documents for a job without a gate. It leaves out checks of `subject` and `metadata`, whose values
 * only jobs of gates get.
 */
export function createJudge(
  job: Job,
  services: Services,
  pipeline: Pipeline,
  contracts: ReadonlyMap<string, Contract>,
): Judge {
  const isKnown = (check: string) => !/(?<![.\w])(?:subject|metadata)\b/.test(check);
  const judged = [...contracts].map(
    ([id, contract]) => [id, { ...contract, checks: contract.checks.filter(isKnown) }] as const,
  );
  return {
    pipeline,
    contracts: new Map(judged),
    subject: null,
    metadata: pipeline.metadata,
    verifyDecision: (document) => verifyDecision(job, services, pipeline, document),
  };
}

/** The judgement of a job that reads a document. */
export interface Judgement {
  readonly verdict: Verdict;
  /** Why later gates may not use it. */
  readonly refusal?: string | undefined;
  /** Whether its decision, if it has one, was verified. */
  readonly isProven: boolean;
}

/** Judges the document of a gate by today's contract. A verdict that failed stays failed. */
export async function judgeNeed(document: AttemptDocument, judge: Judge): Promise<Judgement> {
  const { unit } = document.entry;
  const problem = await judge.verifyDecision(document, judge.pipeline);
  const isProven = problem === undefined;
  const verdict = await verdictOf(document, judge);
  const refusal = isProven
    ? explainRefusal(document, judge, verdict)
    : `the decision about ${unit} does not count: ${problem}`;
  return { verdict, refusal, isProven };
}

/** A document with today's verdict, and without a decision that was not verified, for reports. */
export async function applyJudgement({ document, ...need }: NeedDocument, judge: Judge): Promise<NeedDocument> {
  const { verdict, refusal, isProven } = await judgeNeed(document, judge);
  const decision = isProven ? document.decision : undefined;
  return { ...need, document: { ...document, decision, entry: { ...document.entry, verdict } }, refusal };
}

async function verdictOf(
  { entry: { unit, verdict }, output }: AttemptDocument,
  { contracts, subject, metadata }: Judge,
): Promise<Verdict> {
  const contract = contracts.get(gateOf(unit));
  if (contract === undefined || output === undefined || verdict.status === 'failed') return verdict;
  return judge(await compileContract(contract), output, { subject, metadata });
}

function explainRefusal(
  { entry: { unit }, output, decision }: AttemptDocument,
  { pipeline, contracts }: Judge,
  verdict: Verdict,
): string | undefined {
  const contract = contracts.get(gateOf(unit));
  const gate = pipeline.gates.find(({ id }) => id === gateOf(unit));
  if (!gate || !contract) return `${unit} is no unit of the pipeline`;
  const name = decision?.entry.decision;
  if (output === undefined) {
    // With `continue-on-error` a job is green although its gate failed.
    if (verdict.status !== 'not-applicable') return `${unit} has no output: ${verdictText(verdict)}`;
    const hasReason = name === 'skip' || gate.if !== undefined || (gate.matrix && 'from' in gate.matrix);
    return hasReason ? undefined : `${unit} has no output, and nothing says why`;
  }
  const isOpen = verdict.status === 'passed' || name === 'approve' || contract.partial === 'continue';
  if (!isOpen || verdict.status === 'failed')
    return `the output of ${unit} does not meet today's contract: ${verdictText(verdict)}`;
  return name !== 'approve' && gate.approval !== undefined ? `nobody has approved the output of ${unit}` : undefined;
}
