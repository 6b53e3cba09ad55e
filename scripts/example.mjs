import { join } from 'node:path';
import { ROOT } from './steps.mjs';

/** The worked example. */
export const EXAMPLE = join(ROOT, 'examples', 'web-tests');

/**
 * What `npm start` calls `gateline` with: a page to read, not every word of the agents. `--verbose` gives those too.
 * @param {readonly string[]} given what stood behind `--`
 * @returns {string[]}
 */
export function exampleArguments(given) {
  const rest = given.filter((word) => word !== '--verbose');
  return ['run', ...(rest.length < given.length ? [] : ['--quiet']), ...rest];
}
