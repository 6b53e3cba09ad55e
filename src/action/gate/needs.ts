import { z } from 'zod';
import { GatelineError } from '../../errors.ts';
import { isJsonObject } from '../../json/json.ts';
import { gateIdFrom } from '../../pipeline/slug.ts';
import type { Gate } from '../../pipeline/pipeline.ts';
import { gateOf } from '../../run/units.ts';
import { parseJsonInput } from '../inputs.ts';
import type { Artifacts } from '../../store/github/artifacts.ts';
import { readAttempt, type DocumentSource } from '../../store/github/attempts.ts';
import { parseReference, type AttemptDocument, type DocumentReference } from '../../store/github/document.ts';

/** A job that this one needs: `needs.<id>` of GitHub. */
export interface NeededJob {
  readonly id: string;
  readonly result: 'success' | 'failure' | 'cancelled' | 'skipped';
  /** References in its outputs: one, or one for each leg. */
  readonly references: readonly DocumentReference[];
}

/** The document that a needed job handed on. */
export interface NeedDocument {
  readonly job: NeededJob;
  readonly reference: DocumentReference;
  readonly document: AttemptDocument;
  /** Why later gates may not use it; undefined: they may, or it was not judged. */
  readonly refusal?: string | undefined;
}

const needSchema = z.object({
  result: z.enum(['success', 'failure', 'cancelled', 'skipped']),
  outputs: z.record(z.string(), z.string()).default({}),
});

/**
 * Reads the input `needs`: `toJSON(needs)`, or nothing.
 * @throws GatelineError `usage` naming what is wrong
 */
export function parseNeeds(text: string | undefined): NeededJob[] {
  if (text === undefined) return [];
  const hint = 'Write `needs: ${{ toJSON(needs) }}`.';
  const value = parseJsonInput(text);
  if (!isJsonObject(value))
    throw new GatelineError('usage', 'the input `needs` is not the results of the jobs before', { hint });
  return Object.entries(value).map(([id, need]) => {
    const parsed = needSchema.safeParse(need);
    if (!parsed.success) throw new GatelineError('usage', `the input \`needs\` has no result for ${id}`, { hint });
    const { result, outputs } = parsed.data;
    const attempts = Object.entries(outputs).filter(([name, value]) => /^attempt(-\d+)?$/.test(name) && value !== '');
    // A gate without legs sets `attempt` and `attempt-0`.
    const names = new Map(attempts.map(([name, value]) => [value, name]));
    const references = [...names].map(([value, name]) => {
      const reference = parseReference(value);
      if (reference) return reference;
      throw new GatelineError('usage', `the output \`${name}\` of job ${id} is not what a gate's step gives`, {
        hint: `Write in job ${id}:\noutputs:\n  ${name}: \${{ steps.gate.outputs.${name} }}`,
      });
    });
    return { id, result, references };
  });
}

/**
 * Reads the documents that jobs handed on, verified by the digests in `needs`.
 * @param source the run, and the pipeline if it is known
 * @throws GatelineError as `readAttempt`
 */
export function readNeeds(
  artifacts: Artifacts,
  jobs: readonly NeededJob[],
  source: Omit<DocumentSource, 'job'>,
): Promise<readonly NeedDocument[]> {
  const references = jobs.flatMap((job) => job.references.map((reference) => ({ job, reference })));
  return Promise.all(
    references.map(async ({ job, reference }) => {
      const document = await readAttempt(artifacts, reference, { job: job.id, ...source });
      return { job, reference, document };
    }),
  );
}

/**
 * The documents of the gates that a gate needs, by gate, with all legs. Their jobs must have succeeded.
 * @throws GatelineError `failed` or `usage` naming what is missing, with the lines that the workflow lacks
 */
export function matchNeeds(
  { id, needs, standIn }: Pick<Gate, 'id' | 'needs' | 'standIn'>,
  documents: readonly NeedDocument[],
  jobs: readonly NeededJob[],
): Map<string, readonly NeedDocument[]> {
  const matched = new Map<string, readonly NeedDocument[]>();
  for (const gate of needs) {
    const namesake = jobs.find((other) => gateIdFrom(other.id) === gate);
    // If a job has the gate's name, only its documents count: agents of other jobs can forge theirs.
    const ofGate = documents.filter(
      ({ document, job }) => gateOf(document.entry.unit) === gate && (namesake ?? job).id === job.id,
    );
    // The engine uses a stand-in, or stops.
    if (standIn && ofGate[0]?.job.result !== 'success') continue;
    const job = ofGate[0]?.job ?? namesake;
    if (job === undefined) throw missingJob(id, gate, jobs);
    const other = ofGate.find((need) => need.job.id !== job.id)?.job;
    if (other)
      throw new GatelineError('usage', `the jobs ${job.id} and ${other.id} both ran ${gate}: a gate has one job`);
    if (job.result !== 'success')
      throw new GatelineError('failed', `${id} needs ${gate}, which did not pass (job ${job.id}: ${job.result})`, {
        hint:
          job.result === 'skipped'
            ? `Put the condition into \`if\` of the gate, not of its job: then ${id} works without it.`
            : `Its job says why. "Re-run failed jobs" continues from ${gate}.`,
      });
    if (ofGate.length === 0) throw missingOutput(gate, job);
    const [{ document }] = ofGate as [NeedDocument];
    const missing = document.legs.filter(
      (leg) => !ofGate.some(({ document: { entry } }) => entry.unit === `${gate}/${leg}`),
    );
    if (missing.length > 0) throw missingLegs(gate, job.id, document.legs, missing);
    matched.set(gate, ofGate);
  }
  return matched;
}

function missingJob(gate: string, need: string, jobs: readonly NeededJob[]): GatelineError {
  const ids = [...new Set([...jobs.map((job) => job.id), need])];
  return new GatelineError('usage', `${gate} needs ${need}, and its job does not say what became of that`, {
    hint: `Write in the job of ${gate}: \`needs: [${ids.join(', ')}]\`, and in the step: \`needs: \${{ toJSON(needs) }}\`.`,
  });
}

function missingOutput(gate: string, job: NeededJob): GatelineError {
  return new GatelineError('usage', `the job ${job.id} does not hand over what ${gate} left`, {
    hint: `Write in job ${job.id}:\noutputs:\n  attempt: \${{ steps.gate.outputs.attempt }}\nwhere \`gate\` is the id of the step.`,
  });
}

/** The error for a job without outputs for some of its legs, with the lines that it lacks. */
export function missingLegs(
  gate: string,
  job: string,
  legs: readonly string[],
  missing: readonly string[],
): GatelineError {
  const lines = legs.map((_, index) => `  attempt-${index}: \${{ steps.gate.outputs.attempt-${index} }}`);
  return new GatelineError('usage', `the job ${job} does not hand over the legs ${missing.join(', ')} of ${gate}`, {
    hint: `Write in job ${job}, one line for each leg, or run all legs in one job (pipeline.yml):\noutputs:\n${lines.join('\n')}`,
  });
}
