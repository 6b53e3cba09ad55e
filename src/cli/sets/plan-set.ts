import { planSet } from '../../engine/set/plan-set.ts';
import { setPlanJson } from '../../report/json/set-json.ts';
import { planTable } from '../../report/terminal/plan-table.ts';
import { setSummary } from '../../report/terminal/set-table.ts';
import { oneLine } from '../../report/text.ts';
import type { CommandInvocation } from '../command.ts';
import { worstOf, type ExitCode } from '../exit-codes.ts';
import { lookOf } from '../output/paint.ts';
import { printJson } from '../output/print-json.ts';
import { errorLines, exitCodeOfError } from '../output/report-error.ts';
import { noticesTo, say } from '../output/say.ts';
import { whatToRun } from '../project/what-to-run.ts';
import { loadSetFor, openSet } from './open-set.ts';

/** `gateline plan --set` and `gateline run --set --dry-run`: what would be done for each subject. Changes nothing. */
export async function planTheSet(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options } = invocation;
  const set = await loadSetFor(invocation);
  const { assigned, resume } = await whatToRun(invocation, set.loaded);
  const { ports, order } = await openSet(invocation, set, { readOnly: true }, assigned);
  const planned = await planSet(ports, order, resume, noticesTo(world));
  const rows = [...planned].map(([id, row]) => ({ ...row, subject: set.subjects.get(id)! }));
  if (options['json']) printJson(world, setPlanJson(set.loaded.pipeline.id, rows));
  else {
    const look = lookOf(world);
    for (const { subject, status, reason, plan, graph } of rows) {
      if (plan === undefined) say(world.out, `${oneLine(subject.id)}: ${status}: ${oneLine(reason)}`);
      else world.out.write(planTable(plan, graph, look));
    }
    say(world.out, `${setSummary(rows)}.`);
  }
  const errors = rows.flatMap((row) => row.errors.map((error) => ({ error, id: row.subject.id })));
  for (const { error, id } of errors) {
    say(world.err, `subject ${oneLine(id)}:`);
    for (const line of errorLines(error)) say(world.err, line);
  }
  return worstOf(errors.map(({ error }) => exitCodeOfError(error)));
}
