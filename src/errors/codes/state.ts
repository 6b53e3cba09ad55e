import type { CodeMeaning } from '../code-meaning.ts';

/** Stored data. */
export const STATE_CODES = {
  STORE_READ_FAILED: {
    from: ['platform'],
    means: 'A file below `.state/` cannot be read.',
    remedy: "Follow the hint; it depends on the system's error.",
  },
  STORE_WRITE_FAILED: {
    from: ['platform'],
    means:
      'A file below `.state/`, or in a folder of checkpoints of LangGraph, cannot be written: a full disk, missing permissions, or another file in its place.',
    remedy: 'Follow the hint, then run the same command again.',
  },
  RECORD_TOO_NEW: {
    from: ['user'],
    means: 'A newer version of Gateline wrote a record of this subject, so the state of its run cannot be known.',
    remedy:
      'Update Gateline; on GitHub, use one version in all jobs. `gateline status` shows what this version can read. Another `--subject` is not affected.',
  },
  STORE_READ_ONLY: {
    from: ['gateline'],
    means: 'A read-only store was asked to write.',
    remedy: 'This is a bug in Gateline. Please report it.',
  },
  DIGEST_INVALID: {
    from: ['gateline'],
    means: 'A store was asked for an invalid digest.',
    remedy: 'A digest is `sha256:` and 64 lower-case hexadecimal digits.',
  },
  UNREADABLE_RECORD: {
    from: ['state'],
    means: 'A record exists but cannot be read. It is treated as an attempt, never as a success.',
    remedy: 'docs/reference/state-files.md describes how to repair it.',
  },
  CONFLICTING_RECORDS: {
    from: ['state'],
    means: 'Two different records have the same name.',
    remedy: 'Check both; the worse one is used.',
  },
  DECISION_IGNORED: {
    from: ['state'],
    means: 'A decision in an artifact would open a gate. Every job of the run can write one, so it is ignored.',
    remedy: 'If you did not upload it, check which job did.',
  },
  DECISION_UNVERIFIED: {
    from: ['state'],
    means: 'A decision in an artifact closes a gate. Its author cannot be verified, but it is used.',
    remedy: 'Check which job uploaded it. A new run does not use it.',
  },
  UNKNOWN_UNIT: {
    from: ['state'],
    means: 'A record belongs to a gate that is no longer in the pipeline.',
    remedy: 'None needed if you removed the gate.',
  },
  ENDED_WITHOUT_START: {
    from: ['state'],
    means: 'An attempt has a result but no claim.',
    remedy: 'Run again.',
  },
  CLAIM_MISMATCH: {
    from: ['state'],
    means: 'An attempt ended with a different request than it began with.',
    remedy: 'Run again; this attempt is ignored.',
  },
  OUTPUT_MISSING: {
    from: ['state'],
    means: 'The output of an attempt is missing or was altered.',
    remedy: 'Run again: the gate is no longer done.',
  },
  TRUNCATED: {
    from: ['state'],
    means: 'A file ends too early, as after a power cut.',
    remedy: 'docs/reference/state-files.md describes how to repair it.',
  },
  CORRUPT: {
    from: ['state'],
    means: 'A file is not valid: not UTF-8, not JSON, or of the wrong format.',
    remedy: 'docs/reference/state-files.md describes how to repair it.',
  },
  FOREIGN: {
    from: ['state'],
    means: 'A valid file with the wrong name.',
    remedy: 'Put it where it belongs, or delete it.',
  },
  UNKNOWN_VERSION: {
    from: ['state'],
    means: 'A file was written by another version of Gateline.',
    remedy: 'Update Gateline: until then nothing is started or changed.',
  },
  UNREADABLE: {
    from: ['state'],
    means: 'The system refuses to read a file, or something else is in its place.',
    remedy: 'Check what is there and who owns it.',
  },
  CONTENT_ALTERED: {
    from: ['state'],
    means: 'The digest of a content does not match its name; a copy of it is in quarantine.',
    remedy: 'Run the gate that produced it again.',
  },
  LISTING_LIMIT: {
    from: ['state'],
    means: 'A folder cannot be listed, so its records are unknown.',
    remedy: 'Check who owns it.',
  },
  OUTAGE: { from: ['state'], means: 'A service did not answer.', remedy: 'Try again.' },
  PROJECTION_KEPT_ASIDE: {
    from: ['state'],
    means: 'A file that Gateline generates was edited; the edited version was saved elsewhere.',
    remedy: 'The message says where.',
  },
  PROJECTION_TOO_LONG: {
    from: ['state'],
    means: 'A state file has more than 10,000 lines, of which agents of the state guide read no more.',
    remedy: 'Let the gate write less, or list what later gates need under `exports` and let them read the request.',
  },
  PROJECTION_FAILED: {
    from: ['state'],
    means: 'A file that Gateline generates is out of date. The records are up to date.',
    remedy: 'Fix the cause, then run any command again.',
  },
} satisfies Readonly<Record<string, CodeMeaning>>;
