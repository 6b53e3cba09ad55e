import { planPipeline } from '../../engine/plan-pipeline.ts';
import { planJson } from '../../report/plan-json.ts';
import { planTable } from '../../report/plan-table.ts';
import { unitsOf } from '../../run/unit.ts';
import { assignmentOf } from '../assignment.ts';
import { textOption, type Invocation } from '../command.ts';
import { constructPorts } from '../construct.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { loadPipeline } from '../load-pipeline.ts';
import { paintFor } from '../paint.ts';

/** `gateline plan` and `gateline run --dry-run`: says what a run would do, and why. Changes nothing. */
export async function planOnly({ world, options }: Invocation): Promise<ExitCode> {
  const loaded = await loadPipeline(world.workingDirectory, textOption(options, 'file'));
  const ports = await constructPorts(world, loaded, { readOnly: true });
  const assignment = await assignmentOf(options, loaded, ports.workspace, world.workingDirectory);
  const { plan, errors } = await planPipeline(ports, { ...assignment, standIn: options['stand-in'] === true });
  if (options['json']) world.out.write(`${JSON.stringify(planJson(plan), null, 2)}\n`);
  else world.out.write(`${planTable(plan, unitsOf(loaded.pipeline), { width: world.out.columns, paint: paintFor(world.out, world.environment) }).trimEnd()}\n`);
  for (const error of errors) world.err.write(`gateline: ${error.code}: ${error.message}\n${error.hint === undefined ? '' : `  ${error.hint}\n`}`);
  return errors.length > 0 ? EXIT_CODES.usage : EXIT_CODES.ok;
}

export { planOnly as execute };
