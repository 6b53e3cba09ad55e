import { relative } from 'node:path';
import { gateOutputFileName } from '../../formats/state-guide/file-names.ts';
import { callerInput, readGateState } from '../../formats/state-guide/gate-state.ts';
import { disagreements } from '../../formats/state-guide/left-envelope.ts';
import type { StandInFile } from '../../engine/call/guide-files.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { Unit } from '../../run/records/unit.ts';
import type { JsonObject } from '../../json/json.ts';
import { parseJson } from '../../json/parse-json.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { stateRoot, type StatePlace } from '../local-ports.ts';

/** Where state files of other tools are, and which of them may be used. */
export interface StateInputs {
  readonly workspace: Pick<Workspace, 'root' | 'readText'>;
  readonly place: StatePlace;
  readonly subject: string;
  /** Of the run: a file must not say other metadata. */
  readonly metadata: JsonObject;
  /** Receives what people should know, one sentence each. */
  readonly warn: (message: string) => void;
  /** For what is said about a file: it may have secrets anywhere. */
  readonly redact: (text: string) => string;
  /** Why a file must not be used, although it is there; the path is relative to the workspace. Default: none. */
  readonly whyNot?: (path: string) => Promise<string | undefined>;
}

/**
 * Step 0B of the state guide: reads the state file of a gate that another tool wrote (`{subject}-gate{N}-output.json`).
 * Our own files are skipped: their content is in the records. So is one of a gate that FAILED, with a warning.
 * @returns a function that throws GatelineError `STATE_FILE_INVALID` if such a file is not what the guide says
 */
export function stateInputs({ workspace, place, subject, metadata, warn, redact, whyNot }: StateInputs) {
  const folder = relative(place.root, stateRoot(place)).replaceAll('\\', '/');
  const warned = new Set<string>();
  const warnOnce = (message: string): void => {
    if (!warned.has(message)) warn(message);
    warned.add(message);
  };
  return async (need: Unit): Promise<StandInFile | undefined> => {
    const path = `${folder}/${gateOutputFileName(subject, need.gate.number, need.leg.id)}`;
    const why = await whyNot?.(path);
    if (why !== undefined) {
      warnOnce(`${path} is not used: ${why}`);
      return undefined;
    }
    const text = await workspace.readText(path);
    if (text === undefined) return undefined;
    const file = readGateState(parsed(path, text), { file: path, redact });
    const { output, ours, warnings } = callerInput(file);
    if (ours) return undefined;
    const [wrong] = disagreements(file, { number: need.gate.number, metadata });
    if (wrong !== undefined) throw invalid(path, redact(wrong.message), wrong.pointer);
    for (const warning of warnings) warnOnce(redact(warning));
    const { status, agent, validation } = file;
    if (output === undefined || status === 'FAILED') return undefined;
    return { path, output, producer: { status, score: validation.score, agent } };
  };
}

function parsed(path: string, text: string): unknown {
  const result = parseJson(Buffer.from(text));
  if (result.ok) return result.value;
  throw invalid(path, result.plain.message);
}

function invalid(path: string, message: string, pointer = ''): GatelineError {
  return new GatelineError('STATE_FILE_INVALID', `${path}: ${message}`, {
    hint: 'Correct the file, or move it away.',
    place: { file: path, ...(pointer !== '' && { pointer }) },
  });
}
