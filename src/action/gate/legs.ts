import { GatelineError } from '../../errors.ts';
import { canonicalJson } from '../../json/canonical-json.ts';
import type { JsonValue } from '../../json/json.ts';
import type { Gate, Leg, Pipeline } from '../../pipeline/pipeline.ts';
import { NO_LEG } from '../../run/units.ts';
import { parseJsonInput } from '../inputs.ts';
import type { Job } from '../job.ts';
import type { DefinitionPlace } from './definition.ts';
import { missingLegs, type NeedDocument } from './needs.ts';

/** The leg of a job, and all legs of its gate; undefined: there is no matrix. */
export function legsOfJob(
  gate: Gate,
  text: string | undefined,
  needs: ReadonlyMap<string, readonly NeedDocument[]>,
): { readonly own: Leg; readonly all: readonly Leg[] } | undefined {
  const matrix = text === undefined ? null : (parseJsonInput(text) as { readonly [name: string]: JsonValue } | null);
  const isEmpty = matrix === null || typeof matrix !== 'object' || Object.keys(matrix).length === 0;
  if (gate.matrix === undefined) {
    if (isEmpty) return undefined;
    throw new GatelineError('usage', `the job has a matrix, and gate ${gate.id} has none`, {
      hint: 'Describe the gate in gateline.yml with the same `strategy.matrix`; `matrix: ""` makes one gate of all jobs.',
    });
  }
  const all = 'legs' in gate.matrix ? gate.matrix.legs : legsFromData(gate, gate.matrix.from.gate, needs);
  // GitHub fails an empty matrix, so an empty list has one job, without a leg.
  if (all.length === 0) return { own: NO_LEG, all };
  const wanted = isEmpty ? '' : canonicalJson(matrix);
  const own = all.find(
    ({ id, matrix: values }) => canonicalJson(values) === wanted || (!isEmpty && matrix['leg'] === id),
  );
  if (own) return { own, all };
  throw new GatelineError('usage', `the job is no leg of gate ${gate.id}`, {
    hint: `The legs are ${all.map(({ id }) => id).join(', ')}; the job has ${isEmpty ? 'no matrix' : JSON.stringify(matrix)}.`,
  });
}

function legsFromData(gate: Gate, source: string, needs: ReadonlyMap<string, readonly NeedDocument[]>): readonly Leg[] {
  const legs = needs.get(source)?.[0]?.document.entry.legs?.[gate.id];
  if (legs) return legs;
  throw new GatelineError('usage', `gate ${gate.id} takes its legs from ${source}, which gave none`, {
    hint: `Its job must need ${source}, and ${source} must pass.`,
  });
}

/** Number of legs that the reusable workflow gate.yml hands on. */
const LEGS_OF_GATE_YML = 20;

/**
 * Checks that the job in the workflow file has an output for each leg: without it, later gates would not get the leg.
 * @throws GatelineError `usage` with the missing lines
 */
export async function requireOutputs(
  gate: string,
  legs: readonly string[],
  { job, workflow, sha }: Pick<Job, 'job' | 'workflow' | 'sha'>,
  { checkout, git }: DefinitionPlace,
): Promise<void> {
  if (legs.length === 0) return;
  const file = await git(['cat-file', 'blob', `${sha}:${workflow}`], { cwd: checkout }).catch(() => '');
  const text = file.toString();
  const isOurs = /\bgateline\/\.github\/workflows\/gate\.yml@/.test(text);
  // Unknown if the file is not in the clone, or if another reusable workflow has the job.
  if (text === '' || (!isOurs && /\.github\/workflows\//.test(text))) return;
  const isListed = (index: number) => new RegExp(`\\battempt-${index}\\b`).test(text);
  const missing = legs.filter((_, index) => !isListed(index) && !(isOurs && index < LEGS_OF_GATE_YML));
  if (missing.length > 0) throw missingLegs(gate, job, legs, missing);
}

/** The pipeline with the legs that are known in this job: of its own gate, and of the gates that it needs. */
export function narrowMatrices(
  pipeline: Pipeline,
  own: Gate,
  legs: readonly Leg[] | undefined,
  needs: ReadonlyMap<string, readonly NeedDocument[]>,
): Pipeline {
  const knownLegs = (gate: Gate): readonly Leg[] | undefined =>
    gate.id === own.id ? legs : needs.get(gate.id)?.[0]?.document.legs.map((id) => ({ id, matrix: {} }));
  const gates = pipeline.gates.map((gate) => {
    const known = gate.matrix && knownLegs(gate);
    const { maxParallel, failFast } = gate.matrix ?? {};
    if (known?.length === 0 && gate.id === own.id) return { ...gate, matrix: undefined, if: 'false' };
    return known ? { ...gate, matrix: { maxParallel, failFast: failFast ?? true, legs: known } } : gate;
  });
  return { ...pipeline, gates };
}
