import type { CodeMeaning } from '../error-codes.ts';

/** What is kept. */
export const STATE_CODES = {
  STORE_READ_FAILED: {
    from: ['platform'],
    means: 'The system does not let a file below `.state/` be read.',
    remedy: 'Do what the hint says; it depends on what the system answered.',
  },
  STORE_WRITE_FAILED: {
    from: ['platform'],
    means: 'The system does not let a file below `.state/` be written: a full disk, missing rights, a file in the way.',
    remedy: 'Do what the hint says, then run the same command again.',
  },
  STORE_READ_ONLY: {
    from: ['gateline'],
    means: 'A store that was opened for looking was asked to write.',
    remedy: 'Open it without `readOnly`; if you did, report it.',
  },
  DIGEST_INVALID: {
    from: ['gateline'],
    means: 'A store was asked for something that is not a digest.',
    remedy: 'Pass digests as they stand in records.',
  },
  UNREADABLE_RECORD: {
    from: ['state'],
    means: 'A record is there and cannot be read. It counts as an attempt, never as a success.',
    remedy: 'docs/reference/state-files.md tells how to heal it.',
  },
  CONFLICTING_RECORDS: {
    from: ['state'],
    means: 'Two records say different things under one name.',
    remedy: 'Look at both; the worse one counts.',
  },
  DECISION_IGNORED: {
    from: ['state'],
    means: 'A decision in an artifact would open a gate; every job of the run can write one, so it is ignored.',
    remedy: 'Look at which job uploaded it, if you did not.',
  },
  DECISION_UNVERIFIED: {
    from: ['state'],
    means: 'A decision in an artifact closes a gate; nobody can tell who wrote it, and it is used.',
    remedy: 'Look at which job uploaded it. A new run does not have it.',
  },
  UNKNOWN_UNIT: {
    from: ['state'],
    means: 'A record is about a gate that the pipeline does not have any more.',
    remedy: 'Nothing, if you removed the gate.',
  },
  ENDED_WITHOUT_START: {
    from: ['state'],
    means: 'An attempt ended that never began: its claim is gone.',
    remedy: 'Run again.',
  },
  CLAIM_MISMATCH: {
    from: ['state'],
    means: 'An attempt ended with another request than it began with.',
    remedy: 'Run again; it does not count.',
  },
  OUTPUT_MISSING: {
    from: ['state'],
    means: 'The output of an attempt is gone or was altered.',
    remedy: 'Run again: the gate is not done any more.',
  },
  TRUNCATED: {
    from: ['state'],
    means: 'A file ends too early, as after a power cut.',
    remedy: 'docs/reference/state-files.md tells how to heal it.',
  },
  CORRUPT: {
    from: ['state'],
    means: 'A file is not what it should be: not UTF-8, not JSON, or of another shape.',
    remedy: 'docs/reference/state-files.md tells how to heal it.',
  },
  FOREIGN: {
    from: ['state'],
    means: 'A sound file that is not what its name says.',
    remedy: 'Put it where it belongs, or delete it.',
  },
  UNKNOWN_VERSION: {
    from: ['state'],
    means: 'A file was written by another version of Gateline.',
    remedy: 'Use that version, or begin anew.',
  },
  UNREADABLE: {
    from: ['state'],
    means: 'The system refuses to read a file, or something else stands in its place.',
    remedy: 'Check what stands there and who owns it.',
  },
  CONTENT_ALTERED: {
    from: ['state'],
    means: 'Content has another digest than its name says; it is in quarantine.',
    remedy: 'Run the gate that made it again.',
  },
  LISTING_LIMIT: {
    from: ['state'],
    means: 'A folder cannot be listed, so there may be any number of records in it.',
    remedy: 'Check who owns it.',
  },
  OUTAGE: { from: ['state'], means: 'A service did not answer.', remedy: 'Try again.' },
  PROJECTION_KEPT_ASIDE: {
    from: ['state'],
    means: 'A file that Gateline writes for people was changed by somebody; their version is kept aside.',
    remedy: 'Look at it where the message says.',
  },
  PROJECTION_FAILED: {
    from: ['state'],
    means: 'A file that Gateline writes for people is not up to date. The records are.',
    remedy: 'Run any command again when the cause is mended.',
  },
} satisfies Readonly<Record<string, CodeMeaning>>;
