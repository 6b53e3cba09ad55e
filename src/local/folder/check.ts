import type { Digest } from '../../json/digest.ts';
import { GatelineError } from '../../errors.ts';
import type { Entry } from '../../run/entry.ts';
import type { Folder } from './folder.ts';
import { findKilledCommands } from './killed-commands.ts';

/** Something in `.state/` that is damaged or missing. */
export interface FolderProblem {
  readonly message: string;
  readonly hint?: string;
}

/** Reads the logs, the history, and every content that the log names. */
export async function checkFolder(folder: Folder): Promise<FolderProblem[]> {
  let entries: readonly Entry[];
  try {
    await folder.entities.read();
    entries = await folder.ports.log.read();
  } catch (error) {
    if (!(error instanceof GatelineError)) throw error;
    return [{ message: error.message, hint: error.hint }];
  }
  const problems: FolderProblem[] = [];
  const seen = new Set<Digest>();
  for (const entry of entries)
    if (entry.kind === 'ended')
      for (const [part, content] of Object.entries({ output: entry.output, exports: entry.exports, ...entry.logs })) {
        if (content === undefined || seen.has(content.digest)) continue;
        seen.add(content.digest);
        if ((await folder.ports.contents.get(content.digest)) === undefined)
          problems.push({
            message: `the ${part} of ${entry.unit} (run ${entry.run} of ${entry.subject}, attempt ${entry.n}) is missing or damaged`,
            hint: 'It is not used: its gate runs again.',
          });
      }
  const { unreadable } = await folder.readHistory();
  if (unreadable > 0)
    problems.push({
      message: `${unreadable} lines of the history cannot be read`,
      hint: 'They are left out of lists and statistics.',
    });
  for (const { command } of await findKilledCommands(folder))
    problems.push({
      message: `files of ${command}, which was killed, are left`,
      hint: '`gateline clean` removes them.',
    });
  return problems;
}

/** Repairs logs with unreadable lines: keeps a copy, and writes the readable lines. @returns what was wrong */
export async function repairFolder(folder: Folder): Promise<FolderProblem[]> {
  const repaired: FolderProblem[] = [];
  for (const [name, log, hint] of [
    ['log', folder.log, 'Gates that have no other entry run again if nothing is remembered for them.'],
    ['log of entities', folder.entities, '`gateline entities` shows what is known of them without it.'],
  ] as const) {
    const lines = await log.repair();
    const which = `${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')} of the ${name}`;
    const message = `${which} could not be read: the log was set aside as a copy, and written without`;
    if (lines.length > 0) repaired.push({ message, hint });
  }
  return [...repaired, ...(await checkFolder(folder))];
}
