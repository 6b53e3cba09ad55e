import { join } from 'node:path';
import { ROOT } from './steps.mjs';

/** The worked example. */
export const EXAMPLE = join(ROOT, 'examples', 'web-tests');

/**
 * Arguments for `gateline` in `npm start`: short output, without all the words of the agents. `--verbose` shows those
 * too.
 * @param {readonly string[]} given the arguments after `--`
 * @returns {string[]}
 */
export function exampleArguments(given) {
  const rest = given.filter((word) => word !== '--verbose');
  return ['run', ...(rest.length < given.length ? [] : ['--quiet']), ...rest];
}
