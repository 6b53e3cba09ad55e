import { join } from 'node:path';
import { BUNDLED } from '../support/programs/places.ts';

/** The command line that dies. */
export const DYING =
  BUNDLED === undefined ? join(import.meta.dirname, 'cli-that-dies.ts') : join(BUNDLED, 'cli/that-dies.js');
