import { GatelineError } from '../../errors/gateline-error.ts';
import { unitKey } from '../../pipeline/pipeline.ts';
import type { RestClient } from '../../github/rest/rest.ts';
import { code, linkTo, said } from '../../report/markdown/markdown.ts';
import { block, COMMENT_LIMIT, fitSummary } from '../../report/markdown/section.ts';
import { unitNamed, unitsNamed } from '../../run/records/named-units.ts';
import { shortTable } from '../../report/github/sections/gates-table.ts';
import {
  commitsFor,
  isPerCommit,
  newestRun,
  recordedBy,
  refuseUnheard,
  rerun,
  withoutFailedJobs,
  writeCheck,
} from '../decisions/carry-out.ts';
import { checkNameOf, fromCheckNameOf, type CheckedDecision, type CheckedFrom } from '../decisions/check-run.ts';
import type { CommentCommand } from '../decisions/comment-command.ts';
import type { ProvenCommand } from '../decisions/comment-proof.ts';
import type { ActionInvocation } from '../invocation.ts';
import type { ApiRun } from '../records/earlier-runs.ts';
import { runDecidedAbout, runToStartAgain, type ApiPull } from './pull-runs.ts';
import type { NamedPipeline } from '../job/named-pipeline.ts';
import { viewOtherRun, type ViewedRun } from './run-view.ts';

/** The run and the pull request that a command applies to. */
export interface CommandContext {
  readonly invocation: ActionInvocation;
  readonly rest: RestClient;
  readonly pipeline: NamedPipeline;
  readonly pull: ApiPull;
  /** The runs of the pull request, newest first. */
  readonly runs: readonly ApiRun[];
  /** Id of the comment. */
  readonly comment: number;
}

/** The result of a command. */
export interface CommandAnswer {
  readonly isDone: boolean;
  /** Safe Markdown. */
  readonly text: string;
}

/** Most gates in an answer. */
const ROWS = 40;

/**
 * Carries out a command, and says what came of it.
 * @throws GatelineError what prevents it; `GATE_UNKNOWN` for a gate that the run does not have, or has several legs of
 */
export async function carryOut(context: CommandContext, proven: ProvenCommand): Promise<CommandAnswer> {
  const { command } = proven;
  const { number, state } = context.pull;
  if (command.do === 'status' || command.do === 'plan') return showRun(context, command.do);
  if (state !== 'open') return notDone(`pull request ${number} is ${state}`);
  try {
    return await act(context, proven, command);
  } catch (error) {
    if (error instanceof GatelineError && error.code === 'DECISION_WITHOUT_ATTEMPT')
      await refuseUnknown(context, command);
    throw error;
  }
}

type ActingCommand = Exclude<CommentCommand, { do: 'status' | 'plan' }>;

function act(context: CommandContext, proven: ProvenCommand, command: ActingCommand): Promise<CommandAnswer> {
  switch (command.do) {
    case 'approve':
    case 'reject':
      return decideOutput(context, proven, command);
    case 'skip':
      return decideGate(context, proven, { decision: 'skip', gate: command.gate, reason: command.reason });
    case 'retry':
      return decideGate(context, proven, { decision: 'retry', gate: command.gate, reason: '' });
    case 'resume':
      return command.from === undefined
        ? resumeRun(context)
        : decideGate(context, proven, { decision: 'from', gate: command.from, reason: '' });
  }
}

/** @throws GatelineError `GATE_UNKNOWN` with the names of the gates, or of the legs of which one must be named */
async function refuseUnknown({ invocation, rest, runs, pull }: CommandContext, command: ActingCommand): Promise<void> {
  const [run] = runs;
  const name = 'gate' in command ? command.gate : 'from' in command ? command.from : undefined;
  if (run === undefined || name === undefined) return;
  const { graph } = await viewOtherRun(invocation, rest, run, pull);
  if (command.do === 'approve' || command.do === 'reject') unitNamed(graph, name);
  else unitsNamed(graph, [name]);
}

async function showRun(context: CommandContext, what: 'status' | 'plan'): Promise<CommandAnswer> {
  const [run] = context.runs;
  if (run === undefined) return notDone('the workflow has no run for this pull request');
  const view = await viewOtherRun(context.invocation, context.rest, run, context.pull);
  const isRunning = run.status !== 'completed';
  const state = isRunning ? 'It has not ended.' : `It ended as ${code(run.conclusion)}.`;
  const head = `${runLink(context, run)} of commit ${code(run.headSha.slice(0, 7))}. ${state}`;
  const now = context.invocation.world.now().toISOString();
  const sections = [
    block('the headline', 0, head),
    what === 'status' ? shortTable({ ...view, now }, ROWS) : block('the plan', 1, planText(view)),
    ...strangers(view),
    block('the source', 0, '_From the records of this run, as its jobs wrote them, and from the decisions about it._'),
  ];
  return { isDone: true, text: fitSummary(sections, COMMENT_LIMIT - 1_000) };
}

/** Gates of the run that are not shown: the definition of this job is that of the default branch. */
function strangers({ state: { problems } }: ViewedRun): ReturnType<typeof block>[] {
  const units = problems.filter(({ code: found }) => found === 'UNKNOWN_UNIT').map(({ unit }) => unit!);
  if (units.length === 0) return [];
  const names = units.slice(0, ROWS).map((unit) => code(unit));
  return [block('other gates', 2, `Not defined on the default branch, and not shown: ${names.join(', ')}`)];
}

/** Describes what a re-run of the failed jobs would do: gates that are done are kept. */
function planText({ state }: ViewedRun): string {
  const units = [...state.units.values()];
  const list = (keys: readonly string[]): string => {
    const names = keys.slice(0, ROWS).map((key) => code(key));
    return keys.length === 0 ? 'none' : [...names, ...(keys.length > ROWS ? ['…'] : [])].join(', ');
  };
  const done = units.filter((unit) => unit.done).map(({ key }) => key);
  const paused = units.filter(({ status }) => status === 'paused').map(({ key }) => key);
  const open = units.filter((unit) => !unit.done && unit.status !== 'paused').map(({ key }) => key);
  return [
    `- ${code('/gateline resume')} runs: ${list(open)}`,
    `- waiting for a decision: ${list(paused)}`,
    `- kept: ${list(done)}`,
  ].join('\n');
}

/** Re-runs the failed jobs of the newest run. It needs no decision: whoever may write may do it. */
async function resumeRun(context: CommandContext): Promise<CommandAnswer> {
  const chosen = runToStartAgain(context.runs, context.pull.head.sha);
  if ('why' in chosen) return notDone(chosen.why);
  const { run } = chosen;
  if (run.conclusion === 'success') return notDone(`run ${run.runNumber} has no failed jobs`);
  return startAgain(context, run, 'rerun-failed-jobs', 'Resumed');
}

async function decideOutput(
  context: CommandContext,
  { author, at }: ProvenCommand,
  command: Extract<CommentCommand, { do: 'approve' | 'reject' }>,
): Promise<CommandAnswer> {
  const commit = command.do === 'approve' ? command.commit : undefined;
  const { invocation, rest, pipeline, comment } = context;
  const chosen = runDecidedAbout(context.runs, { at, head: context.pull.head.sha, commit });
  if ('why' in chosen) return notDone(chosen.why);
  const { run } = chosen;
  const asked = { gate: command.gate, decision: command.do, digest: undefined };
  const recorded = await recordedBy(invocation, pipeline.id, run, asked);
  const doubt = refuseUnheard(pipeline.defined, asked, recorded);
  const newest = await newestRun(rest, run, Number(invocation.event.runId));
  const checked: CheckedDecision = {
    decision: command.do,
    decidingRun: Number(invocation.event.runId),
    comment,
    aboutRun: run.id,
    position: positionAfter(newest),
    fingerprint: recorded.ended.fingerprint,
    output: recorded.ended.value!.digest,
  };
  const reason = command.do === 'reject' ? command.reason : '';
  const name = checkNameOf(pipeline.id, command.gate);
  const isForCommit = commit !== undefined || isPerCommit(pipeline.defined, command.gate);
  const commits = await commitsFor(rest, run, { ...asked, isForCommit }, recorded.ended);
  await writeCheck(rest, checked, { name, commits, actor: author, reason });
  const what = `${command.do === 'approve' ? 'Approved' : 'Rejected'} ${code(command.gate)} of ${runLink(context, run)}`;
  const answer = await startAgain(context, newest, 'rerun-failed-jobs', what);
  return { ...answer, text: `${answer.text}${said(doubt)}` };
}

/** A decision about a gate of the newest run, whatever its output is. */
async function decideGate(
  context: CommandContext,
  { author, at }: ProvenCommand,
  { decision, gate, reason }: Pick<CheckedFrom, 'decision' | 'gate'> & { readonly reason: string },
): Promise<CommandAnswer> {
  const { invocation, rest, pipeline, comment, runs } = context;
  const head = context.pull.head.sha;
  const chosen = decision === 'skip' ? runDecidedAbout(runs, { at, head }) : runToStartAgain(runs, head);
  if ('why' in chosen) return notDone(chosen.why);
  const { run } = chosen;
  if (decision === 'skip' && run.conclusion === 'success') return notDone(`run ${run.runNumber} has no failed jobs`);
  if (!isDefined(pipeline, gate)) await recordedBy(invocation, pipeline.id, run, { gate, decision, digest: undefined });
  const checked: CheckedFrom = {
    decision,
    gate,
    decidingRun: Number(invocation.event.runId),
    comment,
    aboutRun: run.id,
    position: positionAfter(run),
  };
  await writeCheck(rest, checked, {
    name: fromCheckNameOf(pipeline.id),
    commits: [run.headSha],
    actor: author,
    reason,
  });
  const verb = { skip: 'Skipped', retry: 'Again', from: 'Again from' }[decision];
  const how = decision === 'skip' ? 'rerun-failed-jobs' : 'rerun';
  return startAgain(context, run, how, `${verb} ${code(gate)}`);
}

function isDefined({ defined }: NamedPipeline, name: string): boolean {
  return (
    defined?.gates.some(({ id, legs }) => id === name || legs.some((leg) => unitKey(id, leg.id) === name)) === true
  );
}

function positionAfter({ runNumber, runAttempt }: ApiRun): CheckedFrom['position'] {
  return { runNumber, runAttempt: runAttempt + 1, n: 0 };
}

async function startAgain(
  context: CommandContext,
  run: ApiRun,
  which: 'rerun' | 'rerun-failed-jobs',
  what: string,
): Promise<CommandAnswer> {
  const jobs = which === 'rerun' ? 'all jobs' : 'the failed jobs';
  const link = runLink(context, run);
  const idle = withoutFailedJobs(run, which);
  if (idle !== undefined) return { isDone: true, text: `${what}. ${link} ${idle}` };
  const why = await rerun(context.rest, run, which);
  if (why === undefined) return { isDone: true, text: `${what}: ${jobs} of ${link} run again.` };
  return { isDone: false, text: `${what}, but ${jobs} of ${link} were not started: ${said(why)} Re-run them by hand.` };
}

function runLink({ invocation: { event } }: CommandContext, run: ApiRun): string {
  return linkTo(`run ${run.runNumber}`, `${event.serverUrl}/${event.repository}/actions/runs/${run.id}`);
}

function notDone(why: string): CommandAnswer {
  return { isDone: false, text: `Nothing was done: ${said(why)}.` };
}
