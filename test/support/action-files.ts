import { join } from 'node:path';
import { BUNDLED } from './programs/places.ts';

/**
 * The folder of the action, as `uses:` finds it. Its programs are `src/` as it is now: the bundle of this test run, or two
 * lines that load the sources.
 */
export const ACTION_FOLDER = BUNDLED ?? join(import.meta.dirname, 'action-from-source');

/** The programs of the action by themselves, in {@link ACTION_FOLDER}, as `action.yml` names them. */
export const ACTION_PROGRAMS = {
  main: join(ACTION_FOLDER, 'dist/index.js'),
  post: join(ACTION_FOLDER, 'dist/post.js'),
} as const;
