import { planPipeline } from '../../engine/plan-pipeline.ts';
import { planJson } from '../../report/plan-json.ts';
import { planTable } from '../../report/plan-table.ts';
import type { Invocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { loadFor, open } from '../open.ts';
import { paintFor } from '../paint.ts';
import { printJson } from '../print-json.ts';
import { errorLines, exitCodeOfError } from '../report-error.ts';
import { say } from '../say.ts';

/** `gateline plan` and `gateline run --dry-run`: says what a run would do, and why. Changes nothing. */
export async function execute(invocation: Invocation): Promise<ExitCode> {
  const { world, options } = invocation;
  const { ports, assignment, graph } = await open(invocation, await loadFor(invocation), { readOnly: true });
  const { plan, errors } = await planPipeline(ports, assignment);
  if (options['json']) printJson(world, planJson(plan));
  else
    world.out.write(
      planTable(plan, graph, { width: world.out.columns, paint: paintFor(world.out, world.environment) }),
    );
  for (const error of errors) for (const line of errorLines(error)) say(world.err, line);
  const [first] = errors;
  return first === undefined ? EXIT_CODES.ok : exitCodeOfError(first);
}
