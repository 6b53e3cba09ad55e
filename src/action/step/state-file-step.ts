import { readJson } from '../../engine/call/content.ts';
import { secretValues } from '../../engine/call/call.ts';
import type { AboutStateFiles } from '../../engine/call/guide-files.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { gateWord } from '../../formats/state-guide/guide-words.ts';
import { checkpointMarkdown } from '../../report/markdown/checkpoint.ts';
import type { PlannedUnit } from '../../run/plan/plan.ts';
import { asRequest } from '../../run/plan/difference.ts';
import type { Request } from '../../run/plan/request.ts';
import {
  comparePositions,
  unitOf,
  type EndedRecord,
  type GatelineRecord,
  type StartedRecord,
} from '../../run/records/record.ts';
import { graphOf, unitsOf } from '../../run/records/unit.ts';
import { scoreLine } from '../../local/state-files/agent-state-files.ts';
import type { RunState } from '../../run/state/run-state.ts';
import { createRedactor } from '../../untrusted/redact.ts';
import type { ActionInvocation } from '../invocation.ts';
import type { Job } from '../job/job.ts';

/** The gate after a step, and what is known of its run. */
interface KnownGate {
  readonly planned: Pick<PlannedUnit, 'key'>;
  readonly state: RunState;
  readonly records: readonly GatelineRecord[];
  readonly ended: EndedRecord | undefined;
}

/**
 * Writes the state file of a gate that has a result, and prints its Markdown checkpoint, if the job has state files.
 * Problems are notices: no gate fails because of a file that only shows its result.
 */
export async function showStateFile({ world: { runner } }: ActionInvocation, job: Job, step: KnownGate): Promise<void> {
  const { stateFiles, ports, assignment, definition } = job;
  const own = step.state.units.get(step.planned.key);
  const word = gateWord(own?.status ?? 'pending');
  if (stateFiles === undefined || own === undefined || word === undefined) return;
  const { pipeline } = assignment;
  const graph = graphOf(unitsOf(pipeline), step.state.units.values());
  const unit = graph.get(own.key)!;
  const request = await requestOf(ports, step);
  const about: AboutStateFiles = {
    unit,
    state: step.state,
    pipeline,
    metadata: request?.metadata ?? assignment.metadata,
    isDefaultSubject: request === undefined ? assignment.isDefaultSubject === true : request.subject === undefined,
    isUsersFolder: false,
    redact: createRedactor({ secrets: secretValues(pipeline, ports) }).redactText,
  };
  try {
    const { file, notices } = await stateFiles.show(definition.root, about);
    for (const notice of notices) runner.annotate('notice', notice);
    runner.info(`gate ${own.key}: State file created: ${file}: ${scoreLine(word, own)}`);
  } catch (error) {
    if (!(error instanceof GatelineError) || error.fault === 'gateline') throw error;
    runner.annotate('notice', `The state file was not written: ${error.code}: ${error.message}`);
  }
  using _ = runner.group(`Checkpoint of gate ${own.key}`);
  runner.info(checkpointMarkdown({ unit, graph, state: step.state }));
}

/** What the agent was asked: `complete` knows neither the metadata nor the subject that `begin` was given. */
async function requestOf({ store }: Job['ports'], { ended, records }: KnownGate): Promise<Request | undefined> {
  const claim = records.find(
    (record): record is StartedRecord =>
      ended !== undefined &&
      record.kind === 'started' &&
      unitOf(record) === unitOf(ended) &&
      comparePositions(record, ended) === 0,
  );
  if (claim === undefined) return undefined;
  try {
    return asRequest(await readJson(store, { digest: claim.request }, { what: 'the request of the claim' }));
  } catch (error) {
    if (error instanceof GatelineError && error.fault !== 'gateline') return undefined;
    throw error;
  }
}
