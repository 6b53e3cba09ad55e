import { relative } from 'node:path';
import { gateOutputFileName } from '../../formats/file-names.ts';
import { callerInput, readGateState } from '../../formats/gate-state.ts';
import { firstProblems } from '../../formats/read-state-file.ts';
import { createContracts } from '../../engine/call/contracts.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { JsonObject } from '../../json/json.ts';
import { parseJson } from '../../json/parse-json.ts';
import type { Issue } from '../../verdict/verdict.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { stateRoot, type StatePlace } from '../local-ports.ts';

/** Outputs of gates that were not run here, by gate id (`gate/leg` for a leg). */
export interface StateInputs {
  readonly needs: JsonObject;
  /** What people should know, one sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Step 0B of the state guide: outputs of gates without a record of ours, taken from state files of other tools
 * (`{subject}-gate{N}-output.json`), as the caller's input. Our own files are skipped: their content is in the records.
 * The score is in the envelope, whoever set it; the output must satisfy the gate's schema.
 * @throws GatelineError `STATE_FILE_INVALID` if such a file exists and is not what the guide says, `STAND_IN_REFUSED`
 *   naming each place of each output that does not satisfy its gate's schema; errors of such a contract
 */
export async function stateInputs(
  workspace: Pick<Workspace, 'root' | 'readText'>,
  place: StatePlace,
  subject: string,
  units: Iterable<Unit>,
): Promise<StateInputs> {
  const needs: JsonObject = {};
  const warnings: string[] = [];
  const refused: RefusedOutput[] = [];
  const contracts = createContracts(workspace);
  const folder = relative(place.root, stateRoot(place)).replaceAll('\\', '/');
  for (const unit of units) {
    const path = `${folder}/${gateOutputFileName(subject, unit.gate.number, unit.leg.id)}`;
    const text = await workspace.readText(path);
    if (text === undefined) continue;
    const file = readGateState(parsed(path, text), { file: path });
    const input = callerInput(file);
    if (input.ours) continue;
    warnings.push(...input.warnings);
    if (input.output === undefined) continue;
    const { validate } = await contracts.compile(unit.gate);
    const issues = await validate(input.output);
    if (issues.length > 0) refused.push({ path, unit, issues });
    else needs[unit.key] = input.output;
  }
  if (refused.length > 0) throw refusal(refused);
  return { needs, warnings };
}

/** An output that does not satisfy its gate's schema. */
interface RefusedOutput {
  readonly path: string;
  readonly unit: Unit;
  readonly issues: readonly Issue[];
}

function refusal(refused: readonly RefusedOutput[]): GatelineError {
  const lines = refused.map(({ path, unit, issues }) => {
    const shown = issues.map(({ pointer = '', message }) => `${pointerIn(pointer)}: ${message}`);
    return `${path}: its output does not meet the schema of gate ${unit.key}: ${firstProblems(shown)}`;
  });
  const [{ path, issues }] = refused as [RefusedOutput];
  return new GatelineError('STAND_IN_REFUSED', lines.join('\n').slice(0, 16_384), {
    place: { file: path, pointer: pointerIn(issues[0]?.pointer ?? '') },
  });
}

/** The output is under a key of the file. */
function pointerIn(pointer: string): string {
  return `/output${pointer}`;
}

function parsed(path: string, text: string): unknown {
  const result = parseJson(Buffer.from(text));
  if (result.ok) return result.value;
  throw new GatelineError('STATE_FILE_INVALID', `${path}: ${result.issue.message}`, {
    hint: 'Correct the file, or move it away.',
    place: { file: path },
  });
}
