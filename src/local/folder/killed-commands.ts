import { sendSignal } from '../../agent/process-table.ts';
import { listFolder } from '../../store/files/state-folder.ts';
import type { Folder } from './folder.ts';

/** What `gateline do` left when it was killed. */
export interface KilledCommand {
  readonly command: string;
  /** Its directory. Absolute. */
  readonly path: string;
}

/** `<command>.<pid of gateline do>.<id>` */
const DIRECTORY = /^(.+)\.(\d{1,9})\.[0-9a-f-]{36}$/;

/** The directories of commands, of all pipelines of a folder, whose `gateline do` is gone. */
export async function findKilledCommands({ stateFolder }: Folder): Promise<KilledCommand[]> {
  const killed: KilledCommand[] = [];
  for (const pipeline of await listFolder(stateFolder.pathOf('attempts'))) {
    const place = ['attempts', pipeline, 'do', '0'];
    for (const name of await listFolder(stateFolder.pathOf(...place))) {
      const [, command, pid] = DIRECTORY.exec(name) ?? [];
      if (command !== undefined && sendSignal(Number(pid), 0) === 'gone')
        killed.push({ command, path: stateFolder.pathOf(...place, name) });
    }
  }
  return killed;
}
