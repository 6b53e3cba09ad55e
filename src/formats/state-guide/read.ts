import type { JsonObject } from '../../json/json.ts';
import { subjectSlug } from '../../run/records/subject.ts';
import type { FormatReading, ImportedGate, SourceFile } from '../exchange.ts';
import { FileFindings } from '../findings.ts';
import { callerInput } from './gate-state.ts';
import { gateStateSchema, type GateStateFile } from './gate-state-schema.ts';
import { remarksOf } from './left-envelope.ts';
import { pipelineStateSchema, type PipelineStateFile } from './pipeline-state.ts';

const PIPELINE = /^(.+)-pipeline\.json$/;
const GATE = /^(.+)-gate(\d{1,7})(?:-(.+))?-output\.json$/;

/** The guide has files of gates 0 to 4; gate 5 only stores what was learned. */
const LAST_WITH_FILE = 4;
const LAST = 5;

/** The guide's gates in order, each with its agent; of the last one, it names none. */
const AGENTS = ['TestCaseDesigner', 'TestCaseDesigner', 'DOMAgent', 'POMAgent', 'ExecutionEngine', undefined];

/** Each of the guide's gates reads the file of the one before it. Gate 0 is optional. */
const FIRST_WITH_NEED = 2;

/** Whether a file of `.state/` belongs to the guide. */
export function isGuideFile(path: string): boolean {
  return PIPELINE.test(path) || GATE.test(path);
}

/** The slug of the subject that a file is named after: a folder may have the files of several. */
export function guideSlugOf(path: string): string | undefined {
  return partsOf(path)?.[1];
}

/** Slug, number and leg in the name of a file. */
function partsOf(path: string): RegExpExecArray | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return GATE.exec(name) ?? PIPELINE.exec(name);
}

interface GateFile {
  readonly path: string;
  readonly slug: string;
  /** Of a matrix gate. */
  readonly leg: string | undefined;
  readonly state: GateStateFile;
}

interface PipelineFileRead {
  readonly path: string;
  readonly slug: string;
  readonly state: PipelineStateFile;
}

/** Reads the files of seed 000; see docs/recipes/from-state-files.md. */
export function readStateGuide(files: readonly SourceFile[]): FormatReading {
  const findings = new FileFindings();
  const gates: GateFile[] = [];
  const pipelines: PipelineFileRead[] = [];
  const refused = new Set<number>();
  for (const file of files) {
    const { path } = file;
    const [, slug = '', number, leg] = partsOf(path) ?? [];
    if (slug === '') {
      findings.refuse(path, '', 'expected the name {subject}-pipeline.json or {subject}-gate{N}-output.json');
      continue;
    }
    const value = findings.json(file);
    if (number === undefined) {
      const state = value === undefined ? undefined : findings.shaped(pipelineStateSchema, value, path);
      if (state !== undefined) pipelines.push({ path, slug, state });
      continue;
    }
    const state = value === undefined ? undefined : findings.shaped(gateStateSchema, value, path);
    if (state === undefined) {
      refused.add(Number(number));
      continue;
    }
    if (state.gate !== Number(number))
      findings.refuse(path, '/gate', `it is ${state.gate}, and the name says ${number}`);
    gates.push({ path, slug, leg, state });
  }
  const bySlug = Map.groupBy([...pipelines, ...gates], ({ slug }) => slug);
  if (bySlug.size > 1) {
    const [first, ...others] = [...bySlug.values()].map((some) => some[0]!);
    for (const { path, slug } of others)
      findings.refuse(
        path,
        '',
        `it is of the subject ${slug}, and ${first!.path} of ${first!.slug}: \`--subject\` chooses those of one`,
      );
    return findings.reading({});
  }
  for (const { path } of pipelines.slice(1)) findings.refuse(path, '', `${pipelines[0]!.path} is the pipeline already`);
  contradictionsIn({ gates, refused }, pipelines[0], findings);
  return findings.reading(runOf(gates, pipelines[0], findings));
}

/** @param found its `refused`: numbers of gates with a file that cannot be used */
function contradictionsIn(
  { gates, refused }: { readonly gates: readonly GateFile[]; readonly refused: ReadonlySet<number> },
  pipeline: PipelineFileRead | undefined,
  findings: FileFindings,
): void {
  const first = pipeline ?? gates[0];
  const seen = new Map<string, string>();
  for (const { path, leg, state } of gates) {
    const unit = JSON.stringify([state.gate, leg]);
    const before = seen.get(unit);
    if (before !== undefined) findings.refuse(path, '/gate', `${before} is of gate ${state.gate}, too`);
    seen.set(unit, path);
    if (first === undefined || first.path === path) continue;
    for (const key of ['domain', 'feature'] as const) {
      const [own, other] = [state.metadata[key], first.state.metadata[key]];
      if (own !== other) findings.refuse(path, `/metadata/${key}`, `it is ${own}, and ${other} in ${first.path}`);
    }
  }
  if (pipeline === undefined) return;
  const listed = new Set<number>();
  for (const [index, number] of pipeline.state.completedGates.entries()) {
    const refuse = (message: string): void =>
      findings.refuse(pipeline.path, `/completedGates/${index}`, `gate ${number}: ${message}`);
    const own = gates.filter(({ state }) => state.gate === number);
    const failed = own.find(({ state }) => state.status === 'FAILED');
    if (listed.has(number)) refuse('it is listed twice');
    else if (failed !== undefined) refuse(`${failed.path} says FAILED`);
    else if (own.length === 0 && number !== LAST && !refused.has(number))
      refuse('it is completed, and its file is missing');
    listed.add(number);
  }
}

function runOf(
  gates: readonly GateFile[],
  pipeline: PipelineFileRead | undefined,
  findings: FileFindings,
): Partial<FormatReading['run']> {
  const first = pipeline ?? gates[0];
  if (first === undefined) return {};
  const inOrder = gates.toSorted((a, b) => a.state.gate - b.state.gate);
  const numbers = new Set(inOrder.map(({ state }) => state.gate));
  const ordered = [...numbers];
  const completed = pipeline && new Set(pipeline.state.completedGates);
  if (completed?.has(LAST) === true && !numbers.has(LAST))
    findings.leave(pipeline!.path, '/completedGates', `the guide has no file of gate ${LAST}, so it runs again`);
  if (pipeline !== undefined) findings.leave(pipeline.path, '/currentGate', 'it follows from what is done');
  const { domain, feature, url, ...story } = first.state.metadata as JsonObject;
  const usual = `${first.state.metadata.domain}-${first.state.metadata.feature}`;
  return {
    pipeline: 'state-guide',
    // The guide also names files after its `requestId`.
    ...(first.slug !== subjectSlug(usual) && { subject: first.slug }),
    slug: first.slug,
    file: first.path,
    keys: { metadata: { domain, feature, url, ...story } as JsonObject },
    gates: [
      ...inOrder.map((file) => gateOf(file, ordered, completed, findings)),
      ...(pipeline === undefined ? [] : laterGates(pipeline, ordered)),
    ],
  };
}

/**
 * @param numbers of all gates with a file, ascending
 * @param completed `undefined`: there is no pipeline file that says it
 */
function gateOf(
  { path, leg, state }: GateFile,
  numbers: readonly number[],
  completed: ReadonlySet<number> | undefined,
  findings: FileFindings,
): ImportedGate {
  const isWhole = completed?.has(state.gate);
  // A matrix gate is listed when all of its legs are done.
  const isCompleted =
    leg === undefined ? (isWhole ?? state.status === 'SUCCESS') : isWhole === true || state.status === 'SUCCESS';
  if (isCompleted) noteJudgement(path, state, findings);
  else findings.leave(path, '/output', `gate ${state.gate} is not completed: ${state.status}`);
  if (isCompleted && state.gateline?.outputFile !== undefined)
    findings.refuse(path, '/output', 'the output is in another file, as it is too large');
  return {
    gate: state.gate,
    agent: state.agent,
    ...(leg !== undefined && { leg, ...(isWhole === true && { isWhole }) }),
    needs: [
      ...numbers.filter((_, at) => numbers[at + 1] === state.gate).map((number) => `gate-${number}`),
      ...absentNeed(state.gate, numbers),
    ],
    place: { file: path, pointer: '/output' },
    ...(isCompleted && { output: state.output, issues: remarksOf(state) }),
  };
}

/** Notes what a file says about its output, and is not taken over: the contract of the gate decides. */
function noteJudgement(path: string, state: GateStateFile, findings: FileFindings): void {
  for (const warning of callerInput(state).warnings)
    findings.notes.push(`${path}: ${warning}; its contract decides whether it passes`);
  const { score } = state.validation;
  if (score < 100)
    findings.leave(path, '/validation/score', `it is ${score}: the contract of the gate gives the score`);
}

/**
 * The gates that the guide still runs: those after the gates with a file, of the guide or of the pipeline that wrote
 * the file; also the last one of the guide, which has no file even if it is completed.
 * @param numbers of all gates with a file, ascending
 */
function laterGates({ path, state }: PipelineFileRead, numbers: readonly number[]): ImportedGate[] {
  const { status, currentGate, completedGates, gateline } = state;
  const known = gateline?.gates.map(({ number }) => number) ?? AGENTS.keys();
  const isOpen = status !== 'SUCCESS';
  const after = numbers.at(-1);
  const later = [...new Set([...known, ...(isOpen ? [currentGate] : [])])]
    .filter((number) => (after === undefined ? number >= currentGate : number > after))
    .filter((number) => isOpen || completedGates.includes(number))
    .toSorted((a, b) => a - b);
  return later.map((gate, at): ImportedGate => {
    const need = at === 0 ? after : later[at - 1];
    const agent = gateline === undefined ? AGENTS[gate] : undefined;
    return {
      gate,
      ...(agent !== undefined && { agent }),
      needs: need === undefined ? [] : [`gate-${need}`],
      place: { file: path, pointer: '/completedGates' },
      isLater: true,
    };
  });
}

/** The gate of the guide before this one, if it has no file. */
function absentNeed(number: number, numbers: readonly number[]): string[] {
  const isChained = number >= FIRST_WITH_NEED && number <= LAST_WITH_FILE;
  return isChained && !numbers.includes(number - 1) ? [`gate-${number - 1}`] : [];
}
