import { canonicalJson } from '../../json/canonical-json.ts';
import { SourceReader, type ImportedGate, type ImportedRun, type SourceFile } from '../format.ts';
import { envelopeSchema, pipelineStateSchema, type Envelope, type PipelineState } from './envelope.ts';
import { MAX_STEM_BYTES, sanitizeName, STATE_FILE } from './words.ts';

/** The guide's learning gate, which has no file. */
const LEARNING_GATE = 5;

interface StateFile<State> {
  readonly file: SourceFile;
  readonly stem: string;
  readonly leg: string;
  readonly state: State;
}
type GateFile = StateFile<Envelope>;
type PipelineFile = StateFile<PipelineState>;

/**
 * Reads the guide's files of one run. A gate is completed if the pipeline's file lists it or, without that file, if its own
 * file says SUCCESS. Contracts judge the outputs again, whatever the files say.
 */
export function readStateGuide(files: readonly SourceFile[], subject?: string): ImportedRun {
  const reader = new SourceReader();
  const gates: GateFile[] = [];
  const pipelines: PipelineFile[] = [];
  for (const file of files) {
    const { stem, number, leg = '' } = STATE_FILE.exec(file.path)?.groups ?? {};
    if (stem === undefined) {
      reader.reject({ file: file.path }, 'expected the name {subject}-gate{N}-output.json or {subject}-pipeline.json');
    } else if (number === undefined) {
      const state = reader.readJson(pipelineStateSchema, file);
      if (state) pipelines.push({ file, stem, leg, state });
    } else {
      const state = reader.readJson(envelopeSchema, file);
      if (state && state.gate !== Number(number))
        reader.reject({ file: file.path, pointer: '/gate' }, `it is ${state.gate}, and the name says ${number}`);
      if (state) gates.push({ file, stem, leg, state });
    }
  }
  // First, because the checks below need all files.
  reader.throwProblems();
  const run = selectRun(gates, pipelines, subject, reader);
  if (run.pipeline) rejectContradictions(run.pipeline, run.gates, reader);
  reader.throwProblems();
  return importedRun(run, reader.notes);
}

interface SelectedRun {
  /** In the order of their numbers, one for each gate and leg. */
  readonly gates: readonly GateFile[];
  readonly pipeline: PipelineFile | undefined;
  /** The guide's `requestId`, if files are named after it. */
  readonly subject: string | undefined;
}

/** Selects the files of one domain and feature; if the folder has several, those of the subject. */
function selectRun(
  gates: readonly GateFile[],
  pipelines: readonly PipelineFile[],
  subject: string | undefined,
  reader: SourceReader,
): SelectedRun {
  const stem = subject === undefined ? undefined : sanitizeName(subject, MAX_STEM_BYTES);
  const isSelected = (file: GateFile | PipelineFile): boolean =>
    stem === undefined || file.stem === stem || nameOf(file) === stem;
  const selected = [...pipelines, ...gates].filter(isSelected);
  const names = new Set(selected.map(nameOf));
  const first = selected[0]?.file.path ?? 'the folder';
  if (names.size === 0) reader.reject({ file: first }, `there are no state files${stem ? ` of ${stem}` : ''}`);
  if (names.size > 1)
    reader.reject({ file: first }, `there are files of ${[...names].join(', ')}: \`--subject\` chooses one`);
  const units = new Map<string, GateFile>();
  for (const gate of gates.filter(isSelected)) {
    const key = `${gate.state.gate}/${gate.leg}`;
    const same = units.get(key) ?? gate;
    if (names.size === 1 && canonicalJson({ ...same.state }) !== canonicalJson({ ...gate.state }))
      reader.reject({ file: gate.file.path, pointer: '/gate' }, `${same.file.path} is of gate ${gate.state.gate}, too`);
    units.set(key, same);
  }
  const [pipeline, second] = pipelines.filter((file) => names.has(nameOf(file)));
  if (second && names.size === 1) reader.reject({ file: second.file.path }, `${pipeline!.file.path} is the pipeline's`);
  return {
    gates: [...units.values()].sort((a, b) => a.state.gate - b.state.gate),
    pipeline,
    subject: selected.find((file) => file.stem !== nameOf(file))?.stem,
  };
}

function nameOf({ state: { metadata } }: GateFile | PipelineFile): string {
  const parts = [metadata.domain, metadata.feature].map((part) => sanitizeName(part));
  return parts.filter((part) => part !== '').join('-');
}

function rejectContradictions({ file, state }: PipelineFile, gates: readonly GateFile[], reader: SourceReader): void {
  for (const [index, number] of state.completedGates.entries()) {
    const legs = gates.filter((gate) => gate.state.gate === number);
    const failed = legs.find((gate) => gate.state.status === 'FAILED');
    const place = { file: file.path, pointer: `/completedGates/${index}` };
    if (failed) reader.reject(place, `gate ${number} is completed, and ${failed.file.path} says FAILED`);
    else if (legs.length === 0 && number !== LEARNING_GATE)
      reader.reject(place, `gate ${number} is completed, and it has no file`);
  }
}

function importedRun({ gates, pipeline, subject }: SelectedRun, notes: string[]): ImportedRun {
  const completed = pipeline && new Set(pipeline.state.completedGates);
  if (completed?.has(LEARNING_GATE) && !gates.some(({ state }) => state.gate === LEARNING_GATE))
    notes.push(`gate ${LEARNING_GATE} is completed, but has no file: it runs again`);
  const numbers = [...new Set(gates.map(({ state }) => state.gate))];
  return {
    pipeline: 'state-guide',
    subject,
    metadata: (pipeline ?? gates[0]!).state.metadata,
    gates: gates.map((gate): ImportedGate => {
      const { file, leg, state } = gate;
      const { agent, status, output, validation } = state;
      const isCompleted = (completed?.has(state.gate) ?? status === 'SUCCESS') && output !== null;
      const label = `${file.path}: gate ${state.gate} (${agent})`;
      if (!isCompleted) notes.push(`${label} is not completed or has no output (${status}): it runs`);
      else if (status === 'PARTIAL')
        notes.push(`${label} is PARTIAL with a score of ${validation.score}: its contract decides`);
      return {
        gate: state.gate,
        leg,
        agent,
        needs: numbers.filter((_, index) => numbers[index + 1] === state.gate),
        output: isCompleted ? output : undefined,
        validation,
        issues: validation.issues,
        time: file.modified === undefined ? undefined : new Date(file.modified).toISOString(),
        place: { file: file.path, pointer: '/output' },
      };
    }),
    history: [],
    documents: {},
    notes,
  };
}
