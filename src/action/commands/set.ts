import { inParallel } from '../../in-parallel.ts';
import { wavesOf } from '../../pipeline/waves.ts';
import { setSummaryTable } from '../../report/github/set-summary.ts';
import { code } from '../../report/markdown/markdown.ts';
import { setSummary } from '../../report/terminal/set-table.ts';
import type { SetRow } from '../../report/set-rows.ts';
import { count, oneLine } from '../../report/text.ts';
import type { RunState } from '../../run/state/run-state.ts';
import { knownOf } from '../../run/subjects/known-subject.ts';
import { subjectStates, type KnownSubject, type SubjectState } from '../../run/subjects/subject-states.ts';
import { wavesInSet, type WavesInSet } from '../inputs/set-file.ts';
import type { ActionInvocation, StepResult } from '../invocation.ts';
import { restOfStep } from '../event/rest-client.ts';
import { openSurroundings, type JobContext } from '../job/job.ts';
import { pushHistory } from '../report/history/history-branch.ts';
import { earlierRuns, historyOf, keepHistory } from '../report/history/run-history.ts';
import { viewRun, type ReportedRun } from '../report/run-to-report.ts';

/** Runs of subjects that are read at the same time. */
const LOOKS_AT_ONCE = 4;

/** A set as the jobs of `set.yml` run it. */
interface JobSet extends WavesInSet {
  /** The state of the subjects in this run. */
  readonly known: Map<string, KnownSubject>;
  readonly runs: Map<string, RunState>;
  readonly views: Map<string, ReportedRun>;
}

/**
 * `command: set`: with `wave`, which subjects of the wave can start, from the records of those that they need; without,
 * the report about all subjects. Starts nothing.
 */
export async function execute(invocation: ActionInvocation): Promise<StepResult> {
  const { world, inputs } = invocation;
  const around = await openSurroundings(invocation);
  const set = await setOf(invocation, around);
  const { wave } = inputs;
  for (const ids of set.waves.slice(0, wave)) await look(invocation, around, set, ids);
  const states = subjectStates(set.subjects, set.known);
  if (wave === undefined) {
    await keepOutcomes(invocation, around, set);
    return report(invocation, set, states);
  }
  const ids = set.waves[wave] ?? [];
  const ready = ids.flatMap((id, slot) =>
    states.get(id)!.status === 'ready' ? [{ subject: id, slot: `${slot}` }] : [],
  );
  const started = new Set(ready.map(({ subject }) => subject));
  for (const id of ids.filter((one) => !started.has(one)))
    world.runner.annotate('notice', `${id} does not start: ${oneLine(states.get(id)!.reason)}`, { title: 'Blocked' });
  world.runner.setOutput('subjects', JSON.stringify(ready));
  world.runner.setOutput('subject-files', JSON.stringify(Object.fromEntries(set.files)));
  world.runner.setOutput('subject-waves', set.waves.length);
  const these = `${ready.length} of ${count(ids.length, 'subject')}`;
  return { ok: true, title: 'Set', message: `wave ${wave + 1} of ${set.waves.length}: ${these} can start` };
}

/** @throws GatelineError `WAVES_UNSUPPORTED`, and those of {@link wavesInSet} */
async function setOf(invocation: ActionInvocation, { definition }: JobContext): Promise<JobSet> {
  // The calls of `pipeline.yml` would refuse it one by one.
  if (definition.pipeline !== undefined) wavesOf(definition.pipeline);
  const set = await wavesInSet(invocation, definition);
  const others = [...set.subjects.keys()].filter((id) => set.only?.has(id) === false);
  const leftOut: KnownSubject = { status: 'left-out', reason: 'which was not chosen' };
  return { ...set, known: new Map(others.map((id) => [id, leftOut])), runs: new Map(), views: new Map() };
}

/** Reads the runs of the subjects of a wave that could start, each output judged again. */
async function look(
  invocation: ActionInvocation,
  around: JobContext,
  { subjects, known, runs, views }: JobSet,
  ids: readonly string[],
): Promise<void> {
  const states = subjectStates(subjects, known);
  const started = ids.filter((id) => states.get(id)!.status === 'ready');
  await inParallel(LOOKS_AT_ONCE, started, async (id) => {
    const inputs = { ...invocation.inputs, subject: id, needs: undefined };
    const view = await viewRun({ ...invocation, inputs }, around);
    const { state } = view;
    runs.set(id, state);
    views.set(id, view);
    known.set(id, endOf(state));
  });
}

/** Its jobs have ended: what is not over will not be. */
function endOf(state: RunState): KnownSubject {
  const known = knownOf(state);
  if (known === undefined) return { status: 'failed', reason: 'it has no result in this run' };
  if (known.status === 'running') return { status: 'failed', reason: `it was interrupted: ${known.reason}` };
  return known.status === 'blocked' ? { status: 'failed', reason: known.reason } : known;
}

/** One entry for each subject that has records in this run. */
async function keepOutcomes(
  invocation: ActionInvocation,
  { store }: JobContext,
  { pipeline, subjects, views }: JobSet,
): Promise<void> {
  const own = [...views].flatMap(([id, view]) =>
    view.state.status === 'initializing' ? [] : [historyOf(invocation, view, subjects.get(id)!.set)],
  );
  const earlier = await earlierRuns(invocation, restOfStep(invocation), pipeline.id);
  await keepHistory(invocation, store, pipeline.id, own, earlier);
  await pushHistory(invocation, own);
}

async function report(
  { world: { runner }, inputs }: ActionInvocation,
  { pipeline, subjects, waves, runs }: JobSet,
  states: ReadonlyMap<string, SubjectState>,
): Promise<StepResult> {
  const rows = waves
    .flat()
    .map((id): SetRow => ({ ...states.get(id)!, subject: subjects.get(id)!, run: runs.get(id) }));
  const open = rows.filter(({ status }) => status !== 'completed');
  const { outcome = 'success' } = inputs;
  // The jobs know more than records, which any job of the run can write.
  const ok = open.length === 0 && outcome === 'success';
  for (const { subject, status, reason } of open)
    runner.annotate('error', `${subject.id}: ${status}: ${oneLine(reason)}`, { title: 'Subject' });
  runner.setOutput('passed', ok);
  const summary = setSummary(rows);
  if (inputs.summary)
    await runner.appendSummary(`## Set of ${code(pipeline.id)}\n\n${summary}.\n\n${setSummaryTable(rows)}\n`);
  const why = open.length === 0 && !ok ? `, but a job ended with ${outcome}` : '';
  return { ok, title: ok ? 'Set completed' : 'Set not completed', message: `${summary}${why}` };
}
