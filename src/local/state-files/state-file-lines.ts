import { join, relative, sep } from 'node:path';
import { gateOutputFileName } from '../../formats/state-guide/file-names.ts';
import { gateWord } from '../../formats/state-guide/guide-words.ts';
import type { UnitKey } from '../../pipeline/pipeline.ts';
import type { UnitGraph } from '../../run/records/unit.ts';
import { resultOf, type RunState } from '../../run/state/run-state.ts';
import type { ProjectionNotice } from '../../store/filesystem/projections/projections.ts';
import { stateRoot, type StatePlace } from '../local-ports.ts';

/** A run whose state files are in a place. */
export interface PlacedRun {
  readonly place: StatePlace;
  /** With the legs that the state has. */
  readonly graph: UnitGraph;
  readonly state: RunState;
}

/**
 * The state guide's line about the state file of a unit; none: it has no result, and so no file, or it was not written.
 * @param what what happened to the file
 * @param notices about writing it
 */
export function stateFileLines(
  what: 'created' | 'loaded',
  { place, graph, state }: PlacedRun,
  key: UnitKey,
  notices: readonly ProjectionNotice[] = [],
): string[] {
  const unit = state.units.get(key);
  const named = graph.get(key);
  const word = gateWord(unit?.status ?? 'pending');
  if (unit === undefined || named === undefined || word === undefined) return [];
  const { gate, leg } = named;
  const name = gateOutputFileName(state.subject, gate.number, leg.id);
  if (notices.some(({ code, file }) => code === 'PROJECTION_FAILED' && (file === name || file === key))) return [];
  const path = relative(place.root, join(stateRoot(place), name));
  const score = resultOf(unit)?.verdict.score ?? 0;
  return [`State file ${what}: ${path.split(sep).join('/')}: Status: ${word}, Score: ${score}%`];
}
