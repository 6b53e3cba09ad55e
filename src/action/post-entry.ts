import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import { argv, env } from 'node:process';
import { fileURLToPath } from 'node:url';

/**
 * The post step, as a file of its own: the runner starts main and post alike, but for the file, and a variable that told
 * them apart could be set by a step before. Not bundled: `dist/post.js` is this file, beside `dist/index.js`, which it
 * starts with an argument. So it imports nothing of ours by name, and names of ours stand here once more; a test holds
 * them equal. Where main finished and no claim is open, which is nearly always, nothing else is loaded.
 */
const { STATE_finished: finished, STATE_claim: claim = '', RUNNER_TEMP: temp = '' } = env;
if (finished !== 'true' || !(claim === '' || isRecorded(claim))) {
  argv.splice(1, Infinity, fileURLToPath(new URL(`index${extname(import.meta.url)}`, import.meta.url)), 'post');
  await import('./index.ts');
}

/** Whether the end of this claim is on record: `src/action/records/kept-claims.ts` leaves a file then. */
function isRecorded(token: string): boolean {
  try {
    const { claim: digest } = JSON.parse(Buffer.from(token.trim(), 'base64url').toString('utf8')) as { claim: string };
    return temp !== '' && existsSync(join(temp, 'gateline', 'claims', digest.slice('sha256:'.length), 'recorded.json'));
  } catch {
    // Whatever that is, the other program says so.
    return false;
  }
}
