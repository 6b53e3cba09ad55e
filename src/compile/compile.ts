import type { JsonObject } from '../json/json.ts';
import { mayWait, type Pipeline } from '../pipeline/pipeline.ts';
import { isMoving } from '../pipeline/file/uses.ts';
import { deliverJob } from './deliver-job.ts';
import { gateJob } from './gate-job.ts';
import { ancestorsOf, jobOrders } from '../pipeline/job-order.ts';
import { decideJob, reportJob } from './report-job.ts';
import { concurrencyOf, RUN_NAME } from './run-names.ts';
import type { Around } from './steps.ts';
import { workflowText, type YamlComment } from './text.ts';
import { triggersOf } from './triggers.ts';

/** An action that a compiled workflow brings itself. */
export interface Pin {
  /** `owner/name@ref`. */
  readonly uses: string;
  /** The release, in the comment after a commit. */
  readonly version?: string | undefined;
}

/** Settings for compiling a workflow, besides its pipeline. */
export interface CompileInput {
  /** Path of the definition in the repository, with `/`. */
  readonly definition: string;
  readonly gateline: Pin;
  readonly checkout: Pin;
}

/** A compiled workflow. */
export interface CompiledWorkflow {
  readonly text: string;
  /** For people, one sentence each. */
  readonly warnings: readonly string[];
}

/** The definition that the action finds without its input `file`, even if there are others. */
const FOUND_FIRST = 'gateline.yml';

/**
 * The workflow of a pipeline: one job a gate, and a report last. The same pipeline and options give the same text.
 */
export function compileWorkflow(pipeline: Pipeline, options: CompileInput): CompiledWorkflow {
  const { definition, gateline, checkout } = options;
  const triggers = triggersOf(pipeline.on);
  const { isDispatched } = triggers;
  const needs = new Map(pipeline.gates.map((gate) => [gate.id, new Set(gate.needs)]));
  const waiting = new Set(pipeline.gates.filter(mayWait).map(({ id }) => id));
  const grouped = pipeline.groups.flatMap(({ gates, onFail }) => (onFail === undefined ? [] : gates));
  const judges = new Set([
    ...grouped,
    ...pipeline.gates.flatMap(({ id, onFail }) => (onFail === undefined ? [] : [id])),
  ]);
  const sendsBack = judges.size > 0;
  const around: Around = {
    pins: { gateline: gateline.uses, checkout: checkout.uses },
    file: definition === FOUND_FIRST ? undefined : definition,
    decides: isDispatched && waiting.size > 0,
    delivered: new Set(pipeline.deliver?.gates),
  };
  const orders = jobOrders(pipeline);
  const jobs: Record<string, JsonObject> = {};
  for (const gate of pipeline.gates) {
    const readsDecisions =
      pipeline.commands === true || [gate.id, ...ancestorsOf(gate.id, needs)].some((id) => waiting.has(id));
    const place = {
      order: orders.get(gate.id)!,
      readsDecisions,
      readsPullRequest: readsDecisions || sendsBack,
      sendsBack: judges.has(gate.id),
      givesLegs: pipeline.gates.some(({ legsFrom }) => legsFrom?.gate === gate.id),
    };
    jobs[gate.id] = gateJob(gate, place, around);
  }
  const report = freeId('report', jobs);
  const readsDecisions = pipeline.commands === true || waiting.size > 0;
  jobs[report] = reportJob(pipeline, { sendsBack, readsDecisions }, around);
  const deliver = freeId('deliver', jobs);
  if (pipeline.deliver) jobs[deliver] = deliverJob(pipeline, pipeline.deliver, { report, readsDecisions }, around);
  const decide = freeId('decide', jobs);
  if (around.decides) jobs[decide] = decideJob(around);
  const workflow: JsonObject = {
    name: pipeline.id,
    ...(isDispatched && { 'run-name': RUN_NAME }),
    on: triggers.on,
    permissions: {},
    concurrency: concurrencyOf(pipeline.id, isDispatched, around.decides),
    ...(pipeline.workflowEnv && { env: pipeline.workflowEnv }),
    jobs,
  };
  const comments = [
    ...(triggers.excuse === undefined ? [] : [{ path: ['on'], text: triggers.excuse, where: 'behind' as const }]),
    ...commentsOf(pipeline.gates[0]!.id, { report, decide, deliver }, pipeline.report?.historyBranch !== undefined),
  ];
  const versions = new Map(
    [gateline, checkout].flatMap(({ uses, version }) => (version === undefined ? [] : [[uses, version] as const])),
  );
  const warnings = [...movingUses(pipeline, gateline), ...(isDispatched ? [] : undispatched(sendsBack, waiting))];
  return { text: workflowText(definition, workflow, comments, versions), warnings };
}

/** An id that no job has: a gate may be called `report`, too. */
function freeId(id: string, jobs: Readonly<Record<string, JsonObject>>): string {
  return Object.hasOwn(jobs, id) ? freeId(`gateline-${id}`, jobs) : id;
}

function commentsOf(
  first: string,
  { report, decide, deliver }: Readonly<Record<'report' | 'decide' | 'deliver', string>>,
  writesHistory: boolean,
): YamlComment[] {
  const of = (job: string, permission: string, text: string): YamlComment => ({
    path: ['jobs', job, 'permissions', permission],
    text,
    where: 'behind',
  });
  return [
    {
      path: ['jobs', first, 'outputs'],
      text: 'Later gates compare the output with this digest, which does not pass through artifacts.',
      where: 'before',
    },
    { path: ['jobs', report], text: 'The check that a branch rule should require.', where: 'before' },
    ...(writesHistory ? [of(report, 'contents', 'the history branch')] : []),
    of(report, 'pull-requests', 'the comment'),
    of(report, 'statuses', 'the statuses that branch rules can require'),
    { path: ['jobs', deliver], text: 'Delivers the files of gates, when all gates have passed.', where: 'before' },
    {
      path: ['jobs', decide],
      text: "Writes down a person's decision, and runs the failed jobs again.",
      where: 'before',
    },
  ];
}

function movingUses({ gates }: Pipeline, gateline: Pin): string[] {
  const steps = gates.flatMap(({ job, uses }) => [
    ...(job?.stepsBefore?.flatMap((step) => (typeof step['uses'] === 'string' ? [step['uses']] : [])) ?? []),
    ...(uses === undefined ? [] : [uses.action]),
  ]);
  const moving = [...new Set([gateline.uses, ...steps])].filter(isMoving);
  return moving.map((uses) => {
    const remedy = uses === gateline.uses ? 'pass `--action-ref` with a commit' : 'name a commit in gateline.yml';
    return `${uses} can change without a change of the workflow: ${remedy}.`;
  });
}

function undispatched(sendsBack: boolean, waiting: ReadonlySet<string>): string[] {
  const add = 'add `workflow_dispatch` under `on`';
  return [
    ...(sendsBack ? [`The report cannot start the run that does work again: ${add}.`] : []),
    ...(waiting.size > 0 ? [`Nobody can approve an output with this workflow: ${add}.`] : []),
  ];
}
