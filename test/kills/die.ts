import { watchOperations } from './operations.ts';

/** Loaded before the command line: kills its process, alone or with the git that it started, after an operation. */
const { DIE_AT, DIE_AFTER_MS, DIE_WITH_GIT } = process.env;
let left = Number(DIE_AT);
const die = (): void => void process.kill(DIE_WITH_GIT === 'true' ? -process.pid : process.pid, 'SIGKILL');
await watchOperations(() => {
  left -= 1;
  if (left === 0 && DIE_AFTER_MS === '0') die();
  else if (left === 0) setTimeout(die, Number(DIE_AFTER_MS));
});
