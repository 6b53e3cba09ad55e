import { z } from 'zod';
import { GatelineError } from '../errors.ts';
import type { JsonValue } from '../json/json.ts';
import { attemptOf, type DecidedEntry } from '../run/entry.ts';
import { parseReference, type AttemptDocument, type DocumentReference } from '../store/github/document.ts';
import { decisionHead } from './dispatch-decisions.ts';
import type { GateJob } from './gate/gate-job.ts';

/** The rework that `report` dispatches the next run with: causes, count and cost, never an approval. */
const reworkSchema = z.strictObject({
  gate: z.string().max(40),
  iteration: z.int().min(2).max(1_000),
  /** The run whose report sent it back. */
  runId: z.int(),
  causes: z
    .array(z.strictObject({ unit: z.string().max(200), attempt: z.string().max(200) }))
    .min(1)
    .max(256),
  /** What agents have cost in the iterations before, in US dollars. */
  spentUsd: z.number().min(0).default(0),
});
export type DispatchedRework = z.infer<typeof reworkSchema>;

/** @throws GatelineError `usage` if the input is not what a report writes */
export function parseRework(text: string | undefined): DispatchedRework | undefined {
  if (text === undefined) return undefined;
  try {
    return reworkSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new GatelineError('usage', 'the input `rework` is not what a report writes', { cause: error });
  }
}

/** The rework as an entry, and the outputs of its causes as values. */
export async function readRework(
  gateJob: GateJob,
  at: string,
  rework: DispatchedRework,
  read: (reference: DocumentReference, runId: number) => Promise<AttemptDocument>,
): Promise<{ readonly entry: DecidedEntry; readonly values: readonly JsonValue[] }> {
  const documents = await Promise.all(
    rework.causes.map(async ({ attempt }) => {
      const reference = parseReference(attempt);
      if (!reference) throw new GatelineError('usage', 'the input `rework` names no attempt');
      return read(reference, rework.runId);
    }),
  );
  const causes = documents.map(({ entry }) => {
    const { unit, output, verdict } = entry;
    if (output === undefined)
      throw new GatelineError('usage', `the input \`rework\` names ${unit}, which has no output`);
    return { unit, attempt: attemptOf(entry), output, verdict };
  });
  const entry: DecidedEntry = {
    ...decisionHead(gateJob, at),
    decision: 'rework',
    actor: 'gateline',
    reason: `sent back by ${causes.map(({ unit }) => unit).join(', ')}`,
    gate: rework.gate,
    iteration: rework.iteration,
    causes,
  };
  return { entry, values: documents.flatMap(({ output }) => (output === undefined ? [] : [output])) };
}
