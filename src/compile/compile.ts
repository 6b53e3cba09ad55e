import { GatelineError } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json/json.ts';
import { DEFINITION_FILES, DISPATCH_INPUTS, type Delivery, type Pipeline } from '../pipeline/pipeline.ts';
import { gateJob } from './gate-job.ts';
import { checkoutStep, findPins, gatelineStep, literal, type Shared } from './steps.ts';
import { workflowText, type JobComments } from './workflow-text.ts';

/*
 * gateline.yml → a plain workflow: a job for each gate with the gate's id, then `report`, then `deliver` if the
 * definition has it. Conventions between the workflow and our actions:
 * - `attempt` is the output of a gate's job; for a matrix `attempt-<index of the leg>`, 20 of them if the legs come from
 *   an output. `legs` is JSON: ids of legs by gate. The matrix of such a leg is `{leg: <id>}`. An empty list has one job
 *   with the leg '', whose output is `attempt`, because GitHub fails an empty matrix.
 * - A gate's job needs the gates that the gate needs and, in a sequential group, the gate before it.
 * - `workflow_dispatch` has the inputs DISPATCH_INPUTS, which our actions read from the event.
 */

/** Condition of `deliver`: events of a branch, where a pull request with the files of gates can be opened. */
const DELIVERS = `contains(fromJSON('["push", "schedule", "workflow_dispatch"]'), github.event_name)`;
/** Time limit of a job without an agent, in minutes. */
const MINUTES = 15;

/**
 * Compiles the workflow of a pipeline. The same parameters give the same text.
 * @param definition path of the definition in the repository, `/`-separated
 * @param existing current text of the workflow file, whose versions of actions are kept
 * @throws GatelineError `usage` for a key of `job` or an expression that cannot be compiled
 */
export function compilePipeline(pipeline: Pipeline, definition: string, existing = ''): string {
  const { id, gates, deliver } = pipeline;
  if (gates.length === 0) throw new GatelineError('usage', `${definition} has no gate, so there is no workflow`);
  const on = triggersOf(pipeline);
  const isDispatched = Object.hasOwn(on, 'workflow_dispatch');
  // The default of the input `file` is left out.
  const file: JsonObject = definition === DEFINITION_FILES[0] ? {} : { file: literal(definition) };
  const shared = { pins: findPins(existing), file };
  const jobs: Record<string, JsonObject> = {};
  for (const gate of gates) jobs[gate.id] = gateJob(pipeline, gate, shared);
  const report = freeId('report', jobs);
  jobs[report] = reportJob(pipeline, isDispatched, shared);
  const comments: JobComments = { [report]: 'The check that a branch rule should require.' };
  if (deliver !== undefined) {
    const job = freeId('deliver', jobs);
    jobs[job] = deliverJob(pipeline, deliver, report, shared);
    comments[job] = 'Proposes the files of gates when all gates have passed. No agent runs here.';
  }
  const concurrency = {
    group: `${id}-\${{ github.event.pull_request.number || github.ref }}`,
    // The next iteration of a loop waits until the run that dispatched it has ended.
    'cancel-in-progress': false,
  };
  return workflowText(definition, { name: id, on, permissions: {}, concurrency, jobs }, comments);
}

/** An unused job id: a gate may be named `report`. */
function freeId(id: string, jobs: Readonly<Record<string, JsonObject>>): string {
  return Object.hasOwn(jobs, id) ? freeId(`gateline-${id}`, jobs) : id;
}

function triggersOf({ on }: Pipeline): JsonObject {
  const events = on ?? { push: { branches: ['main'] }, pull_request: null, workflow_dispatch: null };
  const map = isJsonObject(events) ? events : Object.fromEntries([events].flat().map((event) => [String(event), null]));
  const dispatch = map['workflow_dispatch'];
  if (dispatch === undefined) return map;
  const ours = Object.entries(DISPATCH_INPUTS).map(([name, description]) => [name, { description, type: 'string' }]);
  const settings = isJsonObject(dispatch) ? dispatch : {};
  const theirs = isJsonObject(settings['inputs']) ? settings['inputs'] : {};
  const inputs: JsonObject = { ...theirs, ...(Object.fromEntries(ours) as JsonObject) };
  return { ...map, workflow_dispatch: { ...settings, inputs } };
}

function reportJob(pipeline: Pipeline, isDispatched: boolean, shared: Shared): JsonObject {
  const needs = pipeline.gates.map(({ id }) => id);
  // A report with a dispatch can start the next iteration of a loop.
  const dispatches = isDispatched && pipeline.gates.some(({ onFail }) => onFail !== undefined);
  return {
    needs,
    if: 'always()',
    'runs-on': pipeline.job?.['runs-on'] ?? 'ubuntu-latest',
    'timeout-minutes': MINUTES,
    permissions: { contents: 'read', actions: dispatches ? 'write' : 'read', 'pull-requests': 'write' },
    steps: [checkoutStep(shared), gatelineStep(shared, 'report', dispatches ? { dispatch: true } : {}, needs)],
  };
}

function deliverJob(pipeline: Pipeline, { gates, allow }: Delivery, report: string, shared: Shared): JsonObject {
  const needs = [...pipeline.gates.map(({ id }) => id), report];
  const inputs = { gates: gates.join(', '), ...(allow.length > 0 && { allow: literal(allow.join('\n')) }) };
  const title = `${pipeline.id}: files of ${gates.join(', ')}`;
  return {
    needs,
    if: DELIVERS,
    'runs-on': pipeline.job?.['runs-on'] ?? 'ubuntu-latest',
    'timeout-minutes': MINUTES,
    permissions: { contents: 'write', actions: 'read', 'pull-requests': 'write' },
    steps: [
      checkoutStep(shared),
      gatelineStep(shared, 'apply', inputs, needs),
      {
        uses: shared.pins.createPullRequest,
        with: {
          branch: `gateline/${pipeline.id}`,
          title,
          'commit-message': title,
          body: 'Made by the gates of [this run](${{ github.server_url }}/${{ github.repository }}/actions/runs/${{ github.run_id }}).',
        },
      },
    ],
  };
}
