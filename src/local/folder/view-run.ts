import { join, relative } from 'node:path';
import { ATTEMPT_FILES } from '../../agent/environment.ts';
import type { Order } from '../../engine/ports.ts';
import { createRunView } from '../../report/run-view.ts';
import type { RunView } from '../../report/view.ts';
import type { AttemptRef } from '../../run/entry.ts';
import { shellWord } from '../../untrusted/escape.ts';
import { readCloneRun } from '../runs/clone-run.ts';
import type { Folder } from './folder.ts';

/** The view of a run. @param run default: the newest */
export async function viewRun(folder: Folder, order: Order, run?: number): Promise<RunView> {
  const { pipeline, subject, metadata } = order;
  const [entries, isWorkedOn] = await Promise.all([folder.log.read(), folder.isWorkedOn()]);
  const { entries: history } = await folder.readHistory({ pipeline: pipeline.id, limit: 11 });
  const { root } = folder.options;
  const outputPath = (attempt: AttemptRef): string =>
    relative(root, join(folder.ports.attempts.pathOf(attempt), ATTEMPT_FILES.output));
  const { run: cloneRun } = (await readCloneRun(folder, order)) ?? {};
  const clone = cloneRun === undefined ? undefined : { run: cloneRun, path: relative(root, folder.clonePath(subject)) };
  const isAlive = () => isWorkedOn;
  const target = targetOf(order, folder.options.definition);
  return createRunView({ pipeline, subject, metadata, target, entries, run, clone, isAlive, history, outputPath });
}

/** The subject and the definition that the caller named, as options of a command; undefined: none. */
function targetOf({ pipeline, subject, isSubjectGiven }: Order, definition: string | undefined): string | undefined {
  const isNamed = isSubjectGiven && subject !== pipeline.subject;
  const options = [
    isNamed ? ` -s ${shellWord(subject)}` : '',
    definition === undefined ? '' : ` -f ${shellWord(definition)}`,
  ];
  return options.join('') || undefined;
}
