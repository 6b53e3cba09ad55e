import type { RunView, UnitView } from '../../report/view.ts';
import { jsonText, type Format, type Source, type WrittenFiles } from '../format.ts';
import { envelopeOf, type PipelineState } from './envelope.ts';
import { readStateGuide } from './read.ts';
import { fileStems, gateFile, guideMetadata, pipelineWord, STATE_FILE } from './words.ts';

/** The files of the state management guide, in `.state/`. */
export const stateGuide: Format = {
  name: 'state-guide',
  folder: '.state',
  isStateFile: (path) => STATE_FILE.test(path),
  write: writeStateGuide,
  read: readStateGuide,
};

/** Lines of a file that the guide's agents and its orchestrator read at most. */
const MAX_GATE_LINES = 10_000;
const MAX_PIPELINE_LINES = 1_000;

/** Writes the envelope of each unit under each name of the run, and the pipeline's file under the first. */
function writeStateGuide({ view, values }: Source): WrittenFiles {
  const [stem, ...others] = fileStems(view.metadata, view.subject);
  const files: Record<string, string | null> = {
    [`${stem}-pipeline.json`]: jsonText(pipelineStateOf(view), MAX_PIPELINE_LINES),
  };
  for (const unit of view.units) {
    const envelope = envelopeOf(view, unit, values.get(unit.key));
    const text = envelope ? jsonText(envelope, MAX_GATE_LINES) : null;
    for (const name of [stem, ...others]) files[gateFile(name, unit.number, unit.leg, 'output.json')] = text;
  }
  return files;
}

/** The state of the pipeline. A matrix gate is completed when all its legs are done. */
function pipelineStateOf(view: RunView): PipelineState {
  const all = numbersOf(view.units);
  const running = numbersOf(view.units.filter(({ status }) => status === 'running'));
  const open = numbersOf(view.units.filter(({ done }) => !done));
  return {
    status: pipelineWord(view),
    currentGate: running[0] ?? open[0] ?? all.at(-1) ?? 0,
    completedGates: all.filter((number) => !open.includes(number)),
    metadata: guideMetadata(view.metadata, view.subject),
  };
}

function numbersOf(units: readonly UnitView[]): number[] {
  return [...new Set(units.map(({ number }) => number))].sort((a, b) => a - b);
}
