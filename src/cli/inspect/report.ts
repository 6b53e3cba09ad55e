import { stateNow } from '../../engine/entities/gate-entities.ts';
import { resolve } from 'node:path';
import { GatelineError } from '../../errors/gateline-error.ts';
import { besideState, historyIn } from '../../local/local-ports.ts';
import { htmlReport } from '../../report/html/page.ts';
import { queryRuns } from '../../history/query.ts';
import { bytesText, oneLine } from '../../report/text.ts';
import { shellWord } from '../../untrusted/shell-word.ts';
import type { RunState } from '../../run/state/run-state.ts';
import { atomicWrite } from '../../store/filesystem/atomic-write.ts';
import { forTerminal } from '../../untrusted/escape.ts';
import { textOption, type CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { pointers } from '../output/advice.ts';
import { printJson } from '../output/print-json.ts';
import { say } from '../output/say.ts';
import { followRun, isOpen } from '../project/follow-run.ts';
import { openToLook, type OpenedRun } from '../project/open.ts';
import { reportContent } from '../../local/report/report-content.ts';

/** Seconds between two pages with --follow; a browser loads the page again as often. */
const EVERY = 2;

/** Earlier runs that the page shows. */
const MOST_RUNS = 50;

/** The result: the page that was written. */
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
  const first = await openToLook(invocation);
  const written =
    options['follow'] === true ? await follow(invocation, file, first) : await write(invocation, file, first);
  const { state, bytes } = written;
  const { pipeline, subject, runNumber: run, status } = state;
  if (options['json']) printJson(world, { format: 'gateline-report/1', pipeline, subject, run, status, file, bytes });
  else say(world.out, `${forTerminal(name)}: run ${run}, ${bytesText(bytes)}`);
  return EXIT_CODES.ok;
}

/** Writes the page again and again until the run is over. */
async function follow(invocation: CommandInvocation, file: string, first: OpenedRun): Promise<WrittenPage> {
  let written = { state: first.call.journal.state(), bytes: 0 };
  if (isOpen(written.state)) say(invocation.world.err, `writing the page every ${EVERY} seconds until the run ends`);
  for await (const { opened, isOver } of followRun(first, EVERY * 1_000))
    written = await write(invocation, file, opened, isOver ? undefined : EVERY);
  return written;
}

/** Replaces the file. @param refresh seconds until a browser loads it again. Default: never */
async function write(
  { world, options }: CommandInvocation,
  file: string,
  opened: OpenedRun,
  refresh?: number,
): Promise<WrittenPage> {
  const state = await stateNow(opened.call);
  const run = options['run'] === undefined ? ` --run ${state.runNumber}` : '';
  const about = `${pointers(options, ['file', 'subject', 'run'])}${run}`;
  const { pipeline } = opened.loaded;
  const content = await reportContent(opened.call, {
    pipeline,
    state,
    now: world.now(),
    history: queryRuns(historyIn(opened.loaded), { pipeline: pipeline.id }, MOST_RUNS).entries,
    commandFor: (unit, part, attempt) => {
      const which = attempt === undefined ? '' : ` --attempt ${attempt}`;
      return `gateline show ${shellWord(oneLine(unit))} ${part}${which}${about}`;
    },
  });
  const page = Buffer.from(htmlReport({ ...content, refresh }));
  await atomicWrite(file, page, await besideState(opened.loaded));
  return { state, bytes: page.length };
}
