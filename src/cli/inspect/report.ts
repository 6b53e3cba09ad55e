import { stateInBudget } from '../../engine/call/call-budget.ts';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GatelineError } from '../../errors/gateline-error.ts';
import { historyIn } from '../../local/local-ports.ts';
import { htmlReport } from '../../report/html/page.ts';
import { bytesText } from '../../report/text.ts';
import type { RunState } from '../../run/state/run-state.ts';
import { atomicWrite } from '../../store/filesystem/atomic-write.ts';
import { forTerminal } from '../../untrusted/escape.ts';
import { textOption, type CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { pointers } from '../output/advice.ts';
import { printJson } from '../output/print-json.ts';
import { say } from '../output/say.ts';
import { openToLook } from '../project/open.ts';
import { reportContent } from './report-content.ts';

/** Seconds between two pages with --follow; a browser loads the page again as often. */
const EVERY = 2;

/** After so many looks at which nothing happened, nobody works on the run. */
const MOST_QUIET = 5;

/** What was written. */
interface WrittenPage {
  readonly state: RunState;
  readonly bytes: number;
}

/** `gateline report --html FILE`: the run as one page of HTML. Changes no state. */
export async function execute(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options } = invocation;
  const name = textOption(options, 'html');
  if (name === undefined || name === '')
    throw new GatelineError('OPTION_VALUE', 'gateline report needs the name of the file that it writes', {
      hint: 'For instance `gateline report --html report.html`.',
    });
  const file = resolve(world.workingDirectory, name);
  const isFollowing = options['follow'] === true;
  const first = await write(invocation, file, isFollowing);
  const written = isFollowing ? await follow(invocation, file, first) : first;
  const { state, bytes } = written;
  const { pipeline, subject, runNumber: run, status } = state;
  if (options['json']) printJson(world, { format: 'gateline-report/1', pipeline, subject, run, status, file, bytes });
  else say(world.out, `${forTerminal(name)}: run ${run}, ${bytesText(bytes)}`);
  return EXIT_CODES.ok;
}

/** Writes the page again until the run ends, or nothing works on it any more: a run may stop with gates left to do. */
async function follow(invocation: CommandInvocation, file: string, first: WrittenPage): Promise<WrittenPage> {
  let written = first;
  let quiet = 0;
  if (goesOn(written.state)) say(invocation.world.err, `writing the page every ${EVERY} seconds until the run ends`);
  while (goesOn(written.state) && quiet < MOST_QUIET) {
    await sleep(EVERY * 1_000);
    const before = written.state;
    written = await write(invocation, file, true);
    quiet = isQuiet(before, written.state) ? quiet + 1 : 0;
  }
  return goesOn(written.state) ? write(invocation, file, false) : written;
}

/** Whether no gate runs and nothing was recorded between two looks. A run that did not begin is waited for. */
function isQuiet(before: RunState, { status, units, updatedAt }: RunState): boolean {
  const isWorking = [...units.values()].some((unit) => unit.status === 'running');
  return status !== 'initializing' && !isWorking && before.updatedAt === updatedAt;
}

/** Reads the run as it is now, and replaces the file. */
async function write(invocation: CommandInvocation, file: string, isFollowing: boolean): Promise<WrittenPage> {
  const { world, options } = invocation;
  const opened = await openToLook(invocation);
  const state = await stateInBudget(opened.call);
  const run = options['run'] === undefined ? ` --run ${state.runNumber}` : '';
  const about = `${pointers(options, ['file', 'subject', 'run'])}${run}`;
  const content = await reportContent(opened, { about, now: world.now(), source: historyIn(opened.loaded) });
  const refresh = isFollowing && goesOn(state) ? EVERY : undefined;
  const page = Buffer.from(htmlReport({ ...content, refresh }));
  await atomicWrite(file, page);
  return { state, bytes: page.length };
}

/** Whether some command may be working on the run. */
function goesOn({ status }: RunState): boolean {
  return status === 'initializing' || status === 'executing';
}
