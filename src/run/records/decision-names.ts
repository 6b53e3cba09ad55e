/*
 * The words for decisions, apart from their records: the command line's help lists them, and must not load the library
 * that checks records.
 */

/** Decisions about gates that a person can make. */
export const GATE_DECISIONS = ['approve', 'reject', 'skip', 'force', 'adopt'] as const;

/** Decisions about a whole run. `resume` is made by resuming the run. */
export const RUN_DECISIONS = ['pause', 'close', 'pin', 'unpin'] as const;

/** What `decide` takes; each is a command of its own, too. */
export const PERSONS_DECISIONS = [...GATE_DECISIONS, ...RUN_DECISIONS];
