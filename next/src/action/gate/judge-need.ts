import type { JsonObject } from '../../json/json.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import { gateOf } from '../../run/units.ts';
import type { AttemptDocument } from '../../store/github/document.ts';
import type { Contract } from '../../verdict/contract.ts';
import { compileContract, judge } from '../../verdict/judge.ts';
import { verdictText, type Verdict } from '../../verdict/verdict.ts';

/** Why the decision in a document does not count; undefined: it does, or there is none. */
export type ExplainDoubt = (document: AttemptDocument, pipeline: Pipeline) => Promise<string | undefined>;

/** What judges documents: the trusted definition, and the sources of decisions. */
export interface Judge {
  readonly pipeline: Pipeline;
  readonly contracts: ReadonlyMap<string, Contract>;
  /** `null`: checks know none. */
  readonly subject: string | null;
  readonly metadata: JsonObject;
  readonly explainDoubt: ExplainDoubt;
}

/** What a document is worth to a job that reads it, whatever it says of itself. */
export interface Judgement {
  readonly verdict: Verdict;
  /** Why later gates may not use it. */
  readonly refusal?: string | undefined;
}

/** Judges what a gate left by today's contract. An output that its own job refused stays refused. */
export async function judgeNeed(
  document: AttemptDocument,
  { pipeline, contracts, subject, metadata, explainDoubt }: Judge,
): Promise<Judgement> {
  const { entry, output, decision } = document;
  const { unit, verdict } = entry;
  const contract = contracts.get(gateOf(unit));
  const gate = pipeline.gates.find(({ id }) => id === gateOf(unit));
  if (!gate || !contract) return { verdict, refusal: `${unit} is no unit of the pipeline` };
  const doubt = await explainDoubt(document, pipeline);
  if (doubt !== undefined) return { verdict, refusal: `the decision about ${unit} does not count: ${doubt}` };
  if (output === undefined) {
    // A job is green after a step that failed, if that has `continue-on-error`.
    if (verdict.status !== 'not-applicable')
      return { verdict, refusal: `${unit} has no output: ${verdictText(verdict)}` };
    const hasReason =
      decision?.entry.decision === 'skip' || gate.if !== undefined || (gate.matrix && 'from' in gate.matrix);
    return { verdict, ...(!hasReason && { refusal: `${unit} has no output, and nothing says why` }) };
  }
  const judged =
    verdict.status === 'failed' ? verdict : await judge(await compileContract(contract), output, { subject, metadata });
  const isApproved = decision?.entry.decision === 'approve';
  const isOpen = judged.status === 'passed' || isApproved || contract.partial === 'continue';
  if (!isOpen || judged.status === 'failed')
    return { verdict: judged, refusal: `the output of ${unit} does not meet today's contract: ${verdictText(judged)}` };
  if (!isApproved && gate.approval !== undefined)
    return { verdict: judged, refusal: `nobody has approved the output of ${unit}` };
  return { verdict: judged };
}
