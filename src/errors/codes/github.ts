import type { CodeMeaning } from '../error-codes.ts';

/** GitHub's services: artifacts, caches, REST. */
export const GITHUB_CODES = {} satisfies Readonly<Record<string, CodeMeaning>>;
