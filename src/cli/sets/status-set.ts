import { readSubjects } from '../../engine/set/plan-set.ts';
import { setStatusJson, type SetStatusRow } from '../../report/json/set-json.ts';
import { setSummary, setTable } from '../../report/terminal/set-table.ts';
import type { CommandInvocation } from '../command.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { lookOf } from '../output/paint.ts';
import { printJson } from '../output/print-json.ts';
import { say } from '../output/say.ts';
import { loadSetFor, openSet } from './open-set.ts';

/** `gateline status --set`: the newest run of each subject. Read-only, and without looking at the user's files. */
export async function statusOfSet(invocation: CommandInvocation): Promise<ExitCode> {
  const { world, options } = invocation;
  const set = await loadSetFor(invocation);
  const { ports, order } = await openSet(invocation, set, { readOnly: true });
  const read = await readSubjects(ports, order);
  const rows: SetStatusRow[] = [...read].map(([id, row]) => ({ ...row, subject: set.subjects.get(id)!, errors: [] }));
  if (options['json']) printJson(world, setStatusJson(set.loaded.pipeline.id, rows));
  else {
    world.out.write(setTable(rows, lookOf(world)));
    say(world.out, `${setSummary(rows)}.`);
  }
  return EXIT_CODES.ok;
}
