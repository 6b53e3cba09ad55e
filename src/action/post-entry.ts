import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import { argv, env } from 'node:process';
import { fileURLToPath } from 'node:url';

/**
 * The post step, as a separate file: the runner starts main and post the same way, except for the file, and an earlier
 * step could set a variable that distinguishes them. Not bundled: `dist/post.js` is this file, next to `dist/index.js`,
 * which it starts with an argument. So it cannot import our constants and repeats them; a test checks that they are
 * equal. If main finished and no claim is open, which is nearly always the case, nothing else is loaded.
 */
const { STATE_finished: finished, STATE_claim: claim = '', RUNNER_TEMP: temp = '' } = env;
if (finished !== 'true' || !(claim === '' || isRecorded(claim))) {
  argv.splice(1, Infinity, fileURLToPath(new URL(`index${extname(import.meta.url)}`, import.meta.url)), 'post');
  await import('./index.ts');
}

/** Whether the end of this claim is recorded: `src/action/records/kept-claims.ts` writes a file then. */
function isRecorded(token: string): boolean {
  try {
    const { claim: digest } = JSON.parse(Buffer.from(token.trim(), 'base64url').toString('utf8')) as { claim: string };
    return temp !== '' && existsSync(join(temp, 'gateline', 'claims', digest.slice('sha256:'.length), 'recorded.json'));
  } catch {
    // Whatever the error is, the other program reports it.
    return false;
  }
}
