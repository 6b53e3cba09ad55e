import type { CodeMeaning } from '../code-meaning.ts';

/** Runs, claims and decisions. */
export const ENGINE_CODES = {
  ENGINE_BUSY: {
    from: ['user'],
    means: 'Another Gateline process is, or may be, working in this workspace.',
    remedy: 'Wait until it is done. The message says how to remove a stale lock.',
  },
  GATE_CLAIMED: {
    from: ['user'],
    title: 'Gate claimed by another job',
    means: 'Another process claimed this gate, or recorded a decision about it at the same time.',
    remedy: 'Check `gateline status`, and try again when the other process is done.',
  },
  GATE_BLOCKED: {
    from: ['user'],
    title: 'Gate blocked',
    means: 'A gate that this gate needs is not done.',
    remedy: 'Run the needed gates first, or pass `--input` and `--stand-in`.',
  },
  BUDGET_EXCEEDED: {
    from: ['user'],
    title: 'Over budget',
    means: 'What is spent and reserved leaves too little of a limit of `budget:` for this gate. It was not started.',
    remedy: 'Raise the limit that the message names, and run the same command again; a limit of a day ends with it.',
  },
  PRICES_INVALID: {
    from: ['user'],
    title: 'Table of prices cannot be used',
    means: 'The file that `budget.prices` names is missing, or is not a table of prices. No agent was started.',
    remedy: 'Correct the file, as docs/recipes/budgets.md shows it.',
  },
  REWORK_UNVERIFIED: {
    from: ['platform'],
    title: 'Work that was sent back cannot be verified',
    means:
      'The event of the run names records of the resumed run by their digests, and no record there has such a digest. The artifacts expired, or were replaced.',
    remedy:
      'Run the workflow again: the gates start from the beginning. Nothing was run from records that do not match.',
  },
  STAND_IN_MISSING: {
    from: ['user'],
    means:
      'With `--stand-in`, or the input `stand-in`, a needed gate has no output, and there is neither a usable state file nor an input in its place.',
    remedy: 'Pass `--input FILE`, or put the state file of the needed gate below `.state/`.',
  },
  TOKEN_MISSING: {
    from: ['user'],
    means: '`gateline complete` has no token.',
    remedy: 'Pass `--token`, or keep `GATELINE_TOKEN` as `gateline begin` printed it.',
  },
  TOKEN_INVALID: {
    from: ['user'],
    means: 'The token is not from `gateline begin`.',
    remedy: 'Pass the complete token, as it was printed.',
  },
  TOKEN_UNKNOWN: {
    from: ['user'],
    means: 'No claim in this workspace matches the token.',
    remedy: 'Complete a gate in the workspace where it was begun.',
  },
  ALREADY_COMPLETED: {
    from: ['user'],
    means: 'The attempt of the token has already ended.',
    remedy: 'None needed; `gateline show GATE` shows its verdict.',
  },
  CLAIM_EXPIRED: {
    from: ['user'],
    means: 'The claim expired, or a later attempt took it over. The output of this attempt is not used.',
    remedy:
      'The output of this attempt is not used. Begin the gate again. Raise timeout-minutes if it needs more time.',
  },
  ATTEMPT_LOST: {
    from: ['platform'],
    means: 'The folder of an attempt is missing, and its output with it.',
    remedy: 'Begin the gate again.',
  },
  ATTEMPT_EXISTS: {
    from: ['platform'],
    means: 'The folder of a new attempt already exists.',
    remedy: 'Move it away and run again.',
  },
  ATTEMPT_FILES_FAILED: {
    from: ['platform'],
    means: 'A file of an attempt cannot be read or written.',
    remedy: 'Check free space and permissions below `.state/`.',
  },
  RECORD_TAKEN: {
    from: ['platform'],
    means: 'Another process recorded the result of this attempt.',
    remedy: 'Check `gateline status`, and run again.',
  },
  RECORD_INVALID: {
    from: ['gateline'],
    means: 'Gateline tried to write an invalid record.',
    remedy: 'Report it: it is a bug.',
  },
  CONTENT_MISSING: {
    from: ['platform'],
    means: 'Stored content is missing or was altered.',
    remedy: 'Run the gate that produced it again: `gateline run --force GATE --reason TEXT`.',
  },
  CONTENT_TOO_LARGE: {
    from: ['user'],
    means: 'An output is too large for a condition to read.',
    remedy: 'Export the part that the condition needs: `output.exports`.',
  },
  CONDITION_UNDECIDED: {
    from: ['user'],
    means: 'The `if` of a gate reads a value that does not exist.',
    remedy: 'Correct the condition, or let the needed gate write the value it reads.',
  },
  MATRIX_WITHOUT_LEGS: {
    from: ['user'],
    means: 'The output that a matrix takes its legs from has no such list, or one with more than 256 items.',
    remedy: 'Let the needed gate write the list, and let its contract require it.',
  },
  INPUT_UNMATCHED: {
    from: ['user'],
    means: 'A glob under `inputs` matches no file.',
    remedy: 'With a glob that matches nothing, changes would go unnoticed. Correct or remove it.',
  },
  FILES_CONFLICT: {
    from: ['user'],
    means: 'Two gates that do not need each other changed the same file differently.',
    remedy: 'Let one need the other, or hand the file on from only one of them.',
  },
  DECISION_WITHOUT_ATTEMPT: {
    from: ['user'],
    means: 'There is nothing to approve, reject or adopt: no attempt has ended, or none with this output.',
    remedy: 'Run the gate first; `skip` needs no attempt.',
  },
  DECISION_UNHEARD: {
    from: ['user'],
    means: 'On GitHub, outputs of a gate are approved or rejected only if the gate may wait for a person.',
    remedy:
      'To run the gate again, start the workflow with `from: <gate>`, or comment `/gateline retry <gate>`. Or give the gate `approval: required`.',
  },
  DECISIONS_UNREADABLE: {
    from: ['platform'],
    title: 'Waiting for approval: decisions could not be read',
    means:
      'Decisions about an output that needs an approval could not be read, so it is unknown whether it may be used.',
    remedy:
      'Give the job `permissions: checks: read` and `actions: read`. If GitHub did not answer, re-run the failed jobs.',
  },
  APPROVER_REFUSED: {
    from: ['user'],
    means: 'The person is not one of those who may approve this gate.',
    remedy:
      'Ask somebody to approve it whom `approval` allows: one of `by`, with `not-author` not the author of the commit.',
  },
  NOTHING_TO_APPROVE: {
    from: ['user'],
    means: 'The last attempt of the gate failed, so there is no output that an approval could let pass.',
    remedy:
      'Run the gate again, or continue without its output: `gateline skip GATE`, `gateline adopt GATE --output FILE`.',
  },
  ADOPT_REFUSED: {
    from: ['user'],
    means: 'The output to adopt does not meet the contract of its gate, or it cannot be read.',
    remedy: 'Correct it, or skip the gate without an output.',
  },
  ADOPT_TOO_EARLY: {
    from: ['user'],
    means: 'The request of the gate is not known yet, and an adopted output is bound to it.',
    remedy: 'Run or adopt the gates that it needs first.',
  },
  RUN_NOT_OPEN: {
    from: ['user'],
    means: 'The decision is about a run that does not exist or is over.',
    remedy: '`gateline status` shows the newest run, `gateline run` begins one.',
  },
  RUN_OPEN: {
    from: ['user'],
    means: 'A fork begins a new run, and the subject has an open one.',
    remedy:
      '`--new` (in the library: `fresh: true`) closes the open run; `gateline close` (`decideRun` with `close`) does so, too.',
  },
  RUN_COMPLETED: {
    from: ['user'],
    means: 'The run to resume is completed.',
    remedy:
      '`gateline apply` puts its files into your folder. `gateline run --new` begins a new run, `gateline fork RUN --from GATE` repeats a part of one.',
  },
  DEFINITION_CHANGED: {
    from: ['user'],
    means: 'With `--strict`: gates that the run has records of were changed or removed since they ran.',
    remedy:
      'Without `--strict`, changed gates run again and removed ones are ignored. `gateline run --new` begins a new run.',
  },
  STRATEGY_NOTHING: {
    from: ['user'],
    means: 'The strategy is about failed gates, and none has failed.',
    remedy: '`gateline run` continues the run.',
  },
  SCHEMA_LEFT_BY_GATE: {
    from: ['user'],
    means:
      'Another gate wrote the schema file of this gate: an agent must not change what outputs are checked against.',
    remedy: 'Restore it, or commit it if the change is intended: a file that an agent wrote cannot check agents.',
  },
  CONTRACT_STANDARD_OTHER: {
    from: ['user'],
    means: 'The Standard Schema of a gate changed after the gate began.',
    remedy: 'Complete it with the schema it began with, or begin it again.',
  },
  CLAIM_UNSEEN: {
    from: ['platform'],
    title: 'Gate blocked: its claim is not listed',
    means:
      'The gate is already claimed in this run attempt, but the claim is not listed: probably left by an interrupted upload.',
    remedy: 'Re-run the failed jobs: the next run attempt claims the gate under a new name.',
  },
  CONTENT_UNSOUND: {
    from: ['platform'],
    means: 'Stored content has the right digest, but is not the JSON that Gateline writes.',
    remedy: 'Gateline did not write this content. Run the gate that produced it again.',
  },
  UPSTREAM_NOT_DONE: {
    from: ['user'],
    title: 'Gate blocked',
    means: 'A job cannot begin a gate, because a needed gate is not done in this run.',
    remedy: 'The message shows each gate and its status. Fix it and re-run the failed jobs.',
  },
  UPSTREAM_UNREADABLE: {
    from: ['platform'],
    title: 'Gate blocked: a record of a needed gate cannot be read',
    means: 'A job cannot begin a gate, because a record or an output of a needed gate cannot be read or is not listed.',
    remedy: 'The message says what and why. Re-run the failed jobs; see https://www.githubstatus.com.',
  },
  UPSTREAM_UNSOUND: {
    from: ['platform'],
    title: 'Gate blocked: a record of a needed gate is inconsistent',
    means: 'A record of a needed gate is inconsistent: it has no claim, or a different one.',
    remedy: 'An artifact of this run may have been replaced, or two jobs worked on the same gate. Re-run all jobs.',
  },
  UPSTREAM_REFUSED: {
    from: ['agent'],
    title: 'Gate blocked: the output of a needed gate does not meet its contract',
    means: 'The job that needs an output checked it again, and it does not meet its contract.',
    remedy:
      'Outputs are checked again before use. Re-run its job. If the contract changed, the output must change too.',
  },
  DIGEST_MISMATCH: {
    from: ['platform'],
    title: 'Gate blocked: the output of a needed gate was replaced',
    means: "The output of a gate does not match the digest in its job's outputs.",
    remedy: 'An artifact of this run may have been replaced. Re-run all jobs.',
  },
} satisfies Readonly<Record<string, CodeMeaning>>;
