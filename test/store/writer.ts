/** Another process at a state folder. Tests kill it. Arguments: path of `.state`, what to do. */
import { openLog } from '../../src/store/files/log.ts';
import { takeLock } from '../../src/store/files/lock.ts';
import { openStateFolder } from '../../src/store/files/state-folder.ts';
import { entryOf } from './folder.ts';

const [path = '', task = '', name = ''] = process.argv.slice(2);
const state = await openStateFolder(path);
if (task === 'append') for (let n = 0; n < 20; n += 1) await openLog(state).append(entryOf(`${name}${n}`));
if (task === 'lock') {
  await takeLock(state).then(
    () => process.stdout.write('taken\n'),
    (error: unknown) => process.stdout.write(`${String(error)}\n`),
  );
  // Until the test has seen it.
  process.stdin.resume();
}
