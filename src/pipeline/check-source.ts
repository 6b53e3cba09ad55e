import { buildPipeline, buildContract, exportsOf } from './build-pipeline.ts';
import { checkConditions, checkSubjectReads } from './checks/check-conditions.ts';
import { checkDataMatrices } from './checks/check-data-matrix.ts';
import { checkEntities } from './checks/check-entities.ts';
import { checkEnvironment } from './checks/check-environment.ts';
import { checkGithub } from './checks/check-github.ts';
import { checkGraph } from './checks/check-graph.ts';
import { checkValues } from './checks/check-values.ts';
import { checkStructure } from './checks/structure.ts';
import type { GateContract, Pipeline } from './pipeline.ts';
import { inOrder, type Problem } from './problem.ts';
import type { DefinitionSource } from './source.ts';
import { isJsonObject } from '../json/json.ts';
import { gateSchema } from './file/gateline-gate.ts';
import { gatesIn, type GatePart } from './file/parts.ts';
import { pointerOf } from '../json/pointer.ts';

/** Problems beyond this number are only counted, in a final problem. */
export const MAX_PROBLEMS = 500;

/**
 * A pipeline with any problems (including warnings), or all problems, in file order. The content of contracts is not
 * checked here; `contracts` are the readable ones, so that a caller with access to their files can check them too.
 */
export type ParsedPipeline =
  | { readonly ok: true; readonly pipeline: Pipeline; readonly warnings: readonly Problem[] }
  | {
      readonly ok: false;
      readonly problems: readonly Problem[];
      readonly contracts: readonly GateContract[];
      /** As {@link Pipeline.subjectReads}, as far as it can be read. */
      readonly subjectReads?: readonly Problem[];
    };

/** Checks a definition from any source. Never throws. */
export function checkSource(source: DefinitionSource): ParsedPipeline {
  if (source.value === undefined) return { ok: false, problems: inOrder(source.problems), contracts: [] };
  const structure = checkStructure(source);
  const found = [
    ...('problems' in structure ? structure.problems : []),
    ...checkGraph(source),
    ...checkEntities(source),
    ...checkEnvironment(source),
    ...checkValues(source),
    ...checkConditions(source),
    ...checkGithub(source),
    ...checkDataMatrices(source),
  ];
  const problems = inOrder([...source.problems, ...found.filter((problem) => !followsFrom(source.problems, problem))]);
  const reads = givesSubject(source) ? [] : limited(inOrder(checkSubjectReads(source)), source);
  const subjectReads = reads.length === 0 ? {} : { subjectReads: reads };
  if ('file' in structure && problems.every(({ severity }) => severity === 'warning')) {
    const pipeline = buildPipeline(structure.file);
    const gates = pipeline.gates.map((gate) => ({ ...gate, ...placeOfContract(gate.id, source) }));
    return { ok: true, pipeline: { ...pipeline, gates, ...subjectReads }, warnings: limited(problems, source) };
  }
  return {
    ok: false,
    problems: limited(problems, source),
    contracts: soundContracts(source, problems),
    ...subjectReads,
  };
}

/** Also a subject that is wrong, which is a problem of its own. */
function givesSubject({ value }: DefinitionSource): boolean {
  return isJsonObject(value) && value['subject'] !== undefined;
}

function placeOfContract(gate: string, source: DefinitionSource): Pick<GateContract, 'place'> {
  const place = source.placeOf(pointerOf(['gates', gate, 'output']));
  return place === undefined ? {} : { place };
}

/** True for a consequence of an unreadable part: that part has no value, and so the wrong type. */
function followsFrom(unread: readonly Problem[], problem: Problem): boolean {
  return unread.some(
    ({ place, code, severity }) =>
      place.pointer === problem.place.pointer && (severity === 'error' || code === problem.code),
  );
}

function limited(problems: readonly Problem[], source: DefinitionSource): readonly Problem[] {
  const left = problems.length - MAX_PROBLEMS;
  if (left <= 0) return problems;
  const severity = problems.some((problem) => problem.severity === 'error') ? 'error' : 'warning';
  const more = source.at('', { severity, code: 'PROBLEMS_MORE', message: `${left} more problems are not listed` });
  return [...problems.slice(0, MAX_PROBLEMS), more];
}

const outputSchema = gateSchema.shape.output.unwrap();

/**
 * The contracts of a file that has problems, as far as they are readable: problems inside a contract (such as its
 * schema file) can then be reported together with the rest. Parts with their own problems are left out.
 */
function soundContracts(source: DefinitionSource, problems: readonly Problem[]): GateContract[] {
  const pointers = problems.flatMap(({ severity, place }) => (severity === 'error' ? [place.pointer] : []));
  return gatesIn(source).flatMap((gate) => contractIn(gate, pointers, source) ?? []);
}

function contractIn(
  { id, value, path }: GatePart,
  wrong: readonly string[],
  source: DefinitionSource,
): GateContract | undefined {
  const { output } = value;
  if (!isJsonObject(output)) return undefined;
  const isWrong = (key: string): boolean => {
    const pointer = pointerOf([...path, 'output', key]);
    return wrong.some((one) => one === pointer || one.startsWith(`${pointer}/`));
  };
  // A threshold has no meaning without the score.
  const left = isWrong('score') ? ['score', 'threshold'] : [];
  const entries = Object.entries(output).filter(([key]) => !isWrong(key) && !left.includes(key));
  const parsed = outputSchema.safeParse(Object.fromEntries(entries));
  if (!parsed.success) return undefined;
  const contract = buildContract(parsed.data);
  return { id, contract, exports: exportsOf(parsed.data), ...placeOfContract(id, source) };
}
