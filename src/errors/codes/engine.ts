import type { CodeMeaning } from '../error-codes.ts';

/** Runs, claims and decisions. */
export const ENGINE_CODES = {
  ENGINE_BUSY: {
    from: ['user'],
    means: 'Another Gateline works in this workspace, or may do so.',
    remedy: 'Wait until it is done; the message says how to remove a lock that nobody holds.',
  },
  GATE_CLAIMED: {
    from: ['user'],
    means: 'Somebody else has this gate, or decided about it at the same moment.',
    remedy: 'Look at `gateline status`; try again when the other one is through.',
  },
  GATE_BLOCKED: {
    from: ['user'],
    means: 'What the gate needs is not there yet.',
    remedy: 'Run what it needs first, or pass `--input` and `--stand-in`.',
  },
  TOKEN_MISSING: {
    from: ['user'],
    means: '`gateline complete` was given no token.',
    remedy: 'Pass `--token`, or keep `GATELINE_TOKEN` as `gateline begin` printed it.',
  },
  TOKEN_INVALID: {
    from: ['user'],
    means: 'This is not a token that `gateline begin` gave.',
    remedy: 'Pass it as it was printed, whole.',
  },
  TOKEN_UNKNOWN: {
    from: ['user'],
    means: 'No claim in this workspace is what the token says.',
    remedy: 'Complete a gate where it was begun.',
  },
  ALREADY_COMPLETED: {
    from: ['user'],
    means: 'The attempt that the token names has ended already.',
    remedy: 'Nothing; `gateline show GATE` tells what it came to.',
  },
  CLAIM_EXPIRED: {
    from: ['user'],
    means: 'The claim ended, or a later attempt took it over; what this attempt made is not used.',
    remedy: 'Begin the gate again; raise `timeout-minutes` if it needs longer.',
  },
  ATTEMPT_LOST: {
    from: ['platform'],
    means: 'The folder of an attempt is gone, and with it the output.',
    remedy: 'Begin the gate again.',
  },
  ATTEMPT_EXISTS: {
    from: ['platform'],
    means: 'The folder of a new attempt is there already.',
    remedy: 'Move it away and run again.',
  },
  ATTEMPT_FILES_FAILED: {
    from: ['platform'],
    means: 'A file of an attempt cannot be read or written.',
    remedy: 'Look at free space and permissions below `.state/`.',
  },
  RECORD_TAKEN: {
    from: ['platform'],
    means: 'The end of this attempt was recorded by somebody else.',
    remedy: 'Look at `gateline status`, and run again.',
  },
  RECORD_INVALID: {
    from: ['gateline'],
    means: 'A record would have been written that could not be read again.',
    remedy: 'Report it: it is a bug.',
  },
  CONTENT_MISSING: {
    from: ['platform'],
    means: 'Something that was kept is gone or was altered.',
    remedy: 'Run the gate that made it again: `gateline run --force GATE --reason TEXT`.',
  },
  CONTENT_TOO_LARGE: {
    from: ['user'],
    means: 'An output is too large to be looked into by a condition.',
    remedy: 'Export the part that the condition needs: `output.exports`.',
  },
  CONDITION_UNDECIDED: {
    from: ['user'],
    means: 'The `if` of a gate speaks of something that is not there.',
    remedy: 'Correct the condition, or let the gate before it write what it asks for.',
  },
  INPUT_UNMATCHED: {
    from: ['user'],
    means: 'A glob under `inputs` matches no file.',
    remedy: 'Correct or remove it: changes would go unnoticed.',
  },
  FILES_CONFLICT: {
    from: ['user'],
    means: 'Two gates that do not need each other left one file differently.',
    remedy: 'Let one need the other, or hand the file on from one of them only.',
  },
  DECISION_WITHOUT_ATTEMPT: {
    from: ['user'],
    means: 'There is nothing to approve or reject: no attempt has ended.',
    remedy: 'Run the gate first; `skip` needs no attempt.',
  },
  SKIP_OUTPUT_REFUSED: {
    from: ['user'],
    means: 'The output that was supplied with `skip` does not meet the contract.',
    remedy: 'Correct it, or skip without an output.',
  },
  SCHEMA_LEFT_BY_GATE: {
    from: ['user'],
    means: 'The schema file that judges a gate was left by another gate: an agent must not say what is good enough.',
    remedy: 'Commit the schema, or let the other gate write elsewhere.',
  },
  CONTRACT_STANDARD_OTHER: {
    from: ['user'],
    means: 'A gate is judged with another Standard Schema than it was begun with.',
    remedy: 'Give the one that it was begun with, or begin it again.',
  },
  CLAIM_UNSEEN: {
    from: ['platform'],
    means: 'The name of a claim is taken in this run attempt, and no record of that name can be seen.',
    remedy:
      "An answer of GitHub was lost, most likely. Run the failed jobs again: the next attempt's claim has another name.",
  },
  CONTENT_UNSOUND: {
    from: ['platform'],
    means: 'Content has the digest that its record names, and is no JSON of the kind that is kept.',
    remedy: 'Somebody else wrote it. Run the gate that made it again.',
  },
  UPSTREAM_NOT_DONE: {
    from: ['user'],
    means: 'A job wants to begin a gate while something that it builds on is not done in this run.',
    remedy: 'The message names each gate and how it stands. Mend it and run the failed jobs again.',
  },
  UPSTREAM_UNREADABLE: {
    from: ['platform'],
    means: 'A job wants to begin a gate, and a record or an output that it builds on cannot be read, or is not listed.',
    remedy: 'The message says what and why. Run the failed jobs again; see https://www.githubstatus.com.',
  },
  UPSTREAM_UNSOUND: {
    from: ['platform'],
    means: 'A record of a gate upstream does not hold together: it was never claimed, or claimed otherwise.',
    remedy: 'Run all jobs again. If it happens again, look who else writes artifacts in this run.',
  },
  UPSTREAM_REFUSED: {
    from: ['agent'],
    means: 'An output was judged again by the job that needs it, and does not meet its contract.',
    remedy: 'Run the gate that made it again; if the contract changed, its output must too.',
  },
  DIGEST_MISMATCH: {
    from: ['platform'],
    means: 'The output of a gate is not the one that its job named in its outputs.',
    remedy: 'Somebody may have replaced an artifact. Run all jobs again.',
  },
} satisfies Readonly<Record<string, CodeMeaning>>;
