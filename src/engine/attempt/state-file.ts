import type { AgentFile } from '../../agent/attempt-files.ts';
import type { JsonObject, JsonValue } from '../../json/json.ts';
import type { StartedRecord } from '../../run/records/record.ts';
import type { Unit } from '../../run/records/unit.ts';
import { failed, type Issue, type Verdict } from '../../verdict/verdict.ts';
import type { Checkout } from '../../workspace/workspace.ts';
import { calledPipeline, type Call } from '../call/call.ts';
import type { AboutStateFiles, KeptFiles } from '../call/guide-files.ts';
import { redactOutput } from '../call/redact-output.ts';

/** An attempt whose agent has a folder to work in. */
interface AttemptHere {
  readonly unit: Unit;
  readonly started: Pick<StartedRecord, 'place' | 'standIns'>;
  readonly checkout: Pick<Checkout, 'root'>;
  /** The summary that the agent is given. */
  readonly handoff?: string | undefined;
}

/** Lays the state files for an agent into its folder. */
export async function prepareStateFiles(call: Call, attempt: AttemptHere): Promise<void> {
  const { stateFiles } = call.ports;
  if (stateFiles === undefined) return;
  const { unit, started, checkout } = attempt;
  const units = new Set(
    Object.entries(started.standIns ?? {}).flatMap(([key, from]) => (from === 'file' ? [key] : [])),
  );
  const redact: KeptFiles['redact'] = async ({ gate }, file) => {
    const { value, redactor } = await redactOutput(call, gate, file['output'] ?? null);
    return redactor.redactJson({ ...file, output: value }).value as JsonObject;
  };
  const about = aboutStateFiles(call, attempt);
  const { notices, loaded } = await stateFiles.prepare(checkout.root, about, { units, redact });
  for (const message of notices) await call.observe({ type: 'notice', unit: unit.key, message });
  // On a machine of one's own, the files are of no interest unless they are asked for, or something is wrong.
  const isTold = call.holder === 'job' || call.assignment.pipeline.mirror?.includes('state-guide') === true;
  for (const message of isTold ? loaded : [])
    await call.observe({ type: 'notice', unit: unit.key, message, isRoutine: true });
}

/** Removes what the agent left in the place of the unit's own state file. */
export async function removeStateFile(call: Call, attempt: AttemptHere): Promise<void> {
  await call.ports.stateFiles?.remove(attempt.checkout.root, aboutStateFiles(call, attempt));
}

/** The output in a state file, or the verdict on a state file that cannot be used. */
export type StateFileOutput =
  | { readonly refused: Verdict }
  | {
      readonly refused?: undefined;
      readonly value: JsonValue;
      readonly notices: readonly Issue[];
      /** The agent says that it failed. */
      readonly failure?: Verdict;
    };

/**
 * The output of an agent that wrote a state file, as the state guide says, and not `GATELINE_OUTPUT`; `undefined`: it
 * wrote no state file.
 * @param file what is in the place of `GATELINE_OUTPUT`
 */
export async function outputInStateFile(
  call: Call,
  attempt: AttemptHere,
  file: AgentFile,
): Promise<StateFileOutput | undefined> {
  const left = await call.ports.stateFiles?.read(attempt.checkout.root, aboutStateFiles(call, attempt));
  if (left === undefined) return undefined;
  const { content } = left;
  if (!isEmpty(file)) {
    const message = `the agent wrote an output to the file that GATELINE_OUTPUT names, and ${left.file}`;
    return { refused: failed('agent-error', 'Write only one of the two.', [{ severity: 'error', message }]) };
  }
  if (content.refused !== undefined)
    return {
      refused: failed(content.kind, `Correct ${left.file}, or write the output to GATELINE_OUTPUT.`, [
        ...content.refused,
      ]),
    };
  const { output: value, issues } = content;
  const notices = [...content.read, ...issues.map((issue): Issue => ({ ...issue, severity: 'notice' }))];
  if (!content.hasFailed) return { value, notices };
  const failure = failed('agent-error', `Repair what the agent names: its status in ${left.file} is FAILED.`, [
    ...issues,
  ]);
  return value === null ? { refused: failure } : { value, notices: [], failure };
}

function isEmpty(file: AgentFile): boolean {
  return file.state === 'absent' || (file.state === 'present' && file.bytes.every((byte) => byte <= 0x20));
}

function aboutStateFiles(call: Call, { unit, started, handoff }: AttemptHere): AboutStateFiles {
  const { metadata, isDefaultSubject = false } = call.assignment;
  const state = call.journal.state();
  return {
    unit,
    state,
    get records() {
      return call.journal.records().filter(({ runNumber }) => runNumber === state.runNumber);
    },
    ...(handoff !== undefined && { handoff }),
    pipeline: calledPipeline(call.assignment),
    metadata,
    isDefaultSubject,
    isUsersFolder: call.holder !== 'job' && started.place === 'in-place',
    redact: call.redactor.redactText,
  };
}
