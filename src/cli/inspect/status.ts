import type { Call } from '../../engine/call/call.ts';
import { stateNow } from '../../engine/entities/gate-entities.ts';
import { howToFinish, unfinishedRollback, unfinishedText } from '../../engine/snapshots/unfinished-rollback.ts';
import { unfinishedApply, unfinishedApplyText } from '../../engine/snapshots/unfinished-apply.ts';
import { fileOf } from '../../local/load-pipeline.ts';
import { statusJson } from '../../report/json/status-json.ts';
import { statusTable } from '../../report/terminal/status-table.ts';
import type { RunProblem, RunState } from '../../run/state/run-state.ts';
import { loopNotes } from '../../run/plan/loop-notes.ts';
import { oneLine } from '../../report/text.ts';
import { momentLines } from '../../report/terminal/run-summary.ts';
import { adviceLines } from '../output/advice.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { textOption, type CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { loadFor, open, openToLook } from '../project/open.ts';
import { lookOf } from '../output/paint.ts';
import { errorLog } from '../output/error-log.ts';
import { printJson } from '../output/print-json.ts';
import { refuseSetOptions } from '../sets/set-options.ts';
import { statusOfSet } from '../sets/status-set.ts';
import { say } from '../output/say.ts';

/** `gateline status`: the state of the subject's newest run, now or at an earlier moment. Read-only. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options } = invocation;
  refuseSetOptions(options);
  if (options['set'] !== undefined) return statusOfSet(invocation);
  if (options['subjects']) return listSubjects(invocation);
  const { call, loaded, graph, at } = await openToLook(invocation);
  const state = await withUnfinished(call, at === undefined ? await stateNow(call) : call.journal.state());
  if (options['json']) {
    const log = await errorLog(call.ports.store, state);
    printJson(world, statusJson(state, graph, { groups: loaded.pipeline.groups, file: fileOf(loaded), at, log }));
    return EXIT_CODES.ok;
  }
  const look = { wrap: true, ...lookOf(world) };
  const { notes, usedUp } = loopNotes(state, graph, loaded.pipeline);
  const now = (at ?? world.now()).toISOString();
  world.out.write(`${statusTable(state, loaded.pipeline, { ...look, now, notes })}\n`);
  if (at === undefined) for (const line of adviceLines(state, { graph, options, usedUp })) say(world.out, line);
  else for (const line of momentLines(state, now)) say(world.out, line);
  for (const problem of state.problems) say(world.err, `problem: ${problem.code}: ${oneLine(problem.message)}`);
  return EXIT_CODES.ok;
}

/** An interrupted call that wrote files is a problem of the folder, whichever run is shown. */
async function withUnfinished(call: Call, state: RunState): Promise<RunState> {
  const last = await unfinishedRollback(call.ports);
  const add = (code: RunProblem['code'], message: string): RunState => {
    return { ...state, problems: [...state.problems, { code, message }] };
  };
  if (last !== undefined) return add('ROLLBACK_UNFINISHED', `${unfinishedText(last)}. ${howToFinish(last)}`);
  const applied = await unfinishedApply(call.ports, call.snapshot);
  return applied === undefined ? state : add('APPLY_UNFINISHED', unfinishedApplyText(applied));
}

async function listSubjects(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options } = invocation;
  if (textOption(options, 'run') !== undefined)
    throw new GatelineError('OPTION_CONFLICT', '--run does nothing with --subjects, which is about no run');
  const { ports, loaded } = await open(invocation, await loadFor(invocation), { readOnly: true });
  const subjects = await ports.store.subjects(loaded.pipeline.id);
  if (options['json']) printJson(world, { format: 'gateline-subjects/1', pipeline: loaded.pipeline.id, subjects });
  else for (const subject of subjects) world.out.write(`${oneLine(subject)}\n`);
  return EXIT_CODES.ok;
}
