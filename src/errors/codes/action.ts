import type { CodeMeaning } from '../error-codes.ts';

/** The action: its inputs, the event it runs for, the job it runs in. */
export const ACTION_CODES = {} satisfies Readonly<Record<string, CodeMeaning>>;
