/*
 * The words for decisions, apart from their records: the command line's help lists them, and must not load the library
 * that checks records.
 */

/** Decisions about gates that a person can make. */
export const GATE_DECISIONS = ['approve', 'reject', 'skip', 'force', 'adopt'] as const;

/** Decisions about a whole run. `resume` is made by resuming the run. */
export const RUN_DECISIONS = ['pause', 'close', 'pin', 'unpin'] as const;

/** The decisions of `gateline decide`; each is also a separate command. */
export const PERSONS_DECISIONS = [...GATE_DECISIONS, ...RUN_DECISIONS];
