import { relative } from 'node:path';
import { gateOutputFileName } from '../formats/file-names.ts';
import { callerInput, readGateState } from '../formats/gate-state.ts';
import { GatelineError } from '../errors/gateline-error.ts';
import type { Unit } from '../run/unit.ts';
import type { JsonObject } from '../untrusted/json.ts';
import { parseJson } from '../untrusted/parse-json.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { stateRoot, type StatePlace } from './local-ports.ts';

/** Outputs of gates that were not run here, by gate id (`gate/leg` for a leg). */
export interface StateInputs {
  readonly needs: JsonObject;
  /** What people should know, one sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Step 0B of the state guide: outputs of gates without a record of ours, taken from state files that somebody else
 * put there (`{subject}-gate{N}-output.json`), to stand in as the caller's input. Files of ours are passed over: what
 * they show is in the records.
 * @throws GatelineError `STATE_FILE_INVALID` when such a file is there and not what the guide says
 */
export async function stateInputs(
  workspace: Pick<Workspace, 'root' | 'readText'>,
  place: StatePlace,
  subject: string,
  units: Iterable<Unit>,
): Promise<StateInputs> {
  const needs: JsonObject = {};
  const warnings: string[] = [];
  const folder = relative(place.root, stateRoot(place)).replaceAll('\\', '/');
  for (const unit of units) {
    const path = `${folder}/${gateOutputFileName(subject, unit.gate.number, unit.leg.id)}`;
    const text = await workspace.readText(path);
    if (text === undefined) continue;
    const file = readGateState(parsed(path, text), { file: path });
    const input = callerInput(file);
    if (input.ours) continue;
    warnings.push(...input.warnings);
    if (input.output !== undefined) needs[unit.key] = input.output;
  }
  return { needs, warnings };
}

function parsed(path: string, text: string): unknown {
  const result = parseJson(Buffer.from(text));
  if (result.ok) return result.value;
  throw new GatelineError('user', 'STATE_FILE_INVALID', `${path}: ${result.issue.message}`, {
    hint: 'Correct the file, or move it away.',
    place: { file: path },
  });
}
