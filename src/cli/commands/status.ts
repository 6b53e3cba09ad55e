import { openCall } from '../../engine/call.ts';
import { runSummaryLines } from '../../report/run-summary.ts';
import { statusJson } from '../../report/status-json.ts';
import { statusTable } from '../../report/status-table.ts';
import { assignmentOf } from '../assignment.ts';
import { textOption, type Invocation } from '../command.ts';
import { constructPorts } from '../construct.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { loadPipeline } from '../load-pipeline.ts';
import { paintFor } from '../paint.ts';

/** `gateline status`: what is true of the subject's newest run. Looks only. */
export async function execute({ world, options }: Invocation): Promise<ExitCode> {
  const loaded = await loadPipeline(world.workingDirectory, textOption(options, 'file'));
  const ports = await constructPorts(world, loaded, { readOnly: true });
  if (options['subjects']) {
    const subjects = await ports.store.subjects(loaded.pipeline.id);
    world.out.write(options['json'] ? `${JSON.stringify({ format: 'gateline-subjects/1', subjects }, null, 2)}\n` : subjects.map((one) => `${one}\n`).join(''));
    return EXIT_CODES.ok;
  }
  const assignment = await assignmentOf(options, loaded, ports.workspace, world.workingDirectory);
  const runNumber = Number(textOption(options, 'run') ?? 0);
  const call = await openCall(ports, assignment, () => undefined, { runNumber: Number.isInteger(runNumber) && runNumber > 0 ? runNumber : 0 });
  const state = call.journal.state();
  if (options['json']) {
    world.out.write(`${JSON.stringify(statusJson(state, call.graph), null, 2)}\n`);
    return EXIT_CODES.ok;
  }
  const paint = paintFor(world.out, world.environment);
  world.out.write(`${statusTable(state, loaded.pipeline, { width: world.out.columns, paint, now: world.now().toISOString() }).trimEnd()}\n`);
  for (const line of runSummaryLines(state)) world.out.write(`${line}\n`);
  for (const problem of state.problems) world.err.write(`problem: ${problem.code}: ${problem.message}\n`);
  return EXIT_CODES.ok;
}
