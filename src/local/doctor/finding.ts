import type { Digest } from '../../json/digest.ts';

/**
 * - `error`: something is lost or unusable, and a person has to act
 * - `warning`: a copy or an index is damaged, or something waits for a person
 * - `note`: what a killed or a working command leaves; nothing is to be done
 */
export type Severity = 'error' | 'warning' | 'note';

/** The code of the problem, for programs. docs/reference/cli.md and json-output.md list them. */
export type FindingCode = keyof typeof FINDINGS;

/** Each finding: how bad it is, and what a person can do. */
export const FINDINGS = {
  RECORD_UNREADABLE: {
    severity: 'error',
    advice: 'Restore the file from a backup. Until then its attempt counts, and its output is not used.',
  },
  RECORD_QUARANTINED: {
    severity: 'warning',
    advice: 'Put the right file back in its place, or delete the file if the attempt never was.',
  },
  RECORD_TOO_NEW: { severity: 'error', advice: 'Install a newer version of Gateline.' },
  CONTENT_ALTERED: {
    severity: 'error',
    advice: 'Restore it from a backup, or run the gate again: `gateline run --force GATE --reason TEXT`.',
  },
  CONTENT_UNREADABLE: { severity: 'error', advice: 'Check the permissions and the disk.' },
  CONTENT_MISSING: {
    severity: 'error',
    advice: 'Restore it from a backup, or run the gate again: `gateline run --force GATE --reason TEXT`.',
  },
  CONTENT_NAME: { severity: 'warning', advice: 'It is not a content of Gateline. Move it away.' },
  OBJECTS_DAMAGED: {
    severity: 'error',
    advice: 'Remove `.state/git`: it is created again. Snapshots of earlier runs can then not be restored.',
  },
  INDEX_DAMAGED: { severity: 'warning', advice: 'Delete it, or use --repair: it is made from the records.' },
  STATE_FILE_CHANGED: {
    severity: 'warning',
    advice: 'Use --repair: the file goes to quarantine and is made from the records.',
  },
  STATE_FILE_OUTDATED: { severity: 'note', advice: 'The next command that changes the run makes it again.' },
  HISTORY_DAMAGED: {
    severity: 'warning',
    advice: 'Use --repair: a copy goes to quarantine, and the lines of runs that have records are rebuilt.',
  },
  HISTORY_INCOMPLETE: { severity: 'warning', advice: 'Use --repair: the entry is made from the records.' },
  HISTORY_OPEN: { severity: 'note', advice: 'The next command writes the entry of the run.' },
  LOCK_HELD: { severity: 'note', advice: 'Some checks are left out until that command ends.' },
  LOCK_STALE: { severity: 'note', advice: 'The next command takes the lock.' },
  LOCK_DAMAGED: {
    severity: 'error',
    advice: 'If you are sure that no other Gateline works in this workspace, remove the file.',
  },
  ROLLBACK_UNFINISHED: { severity: 'error', advice: 'Repeat the rollback.' },
  APPLY_UNFINISHED: { severity: 'warning', advice: 'Run `gateline apply` again.' },
  APPLIED_LIST_UNREADABLE: { severity: 'error', advice: 'Restore the file from a backup.' },
  WORK_TREE_LEFT: { severity: 'note', advice: 'The next run removes it.' },
  PROCESS_LEFT: { severity: 'note', advice: '`gateline entities reset NAME --reason TEXT` ends it.' },
  QUARANTINE_KEPT: { severity: 'note', advice: 'Look at it, and delete what you do not need.' },
} as const satisfies Record<string, { readonly severity: Severity; readonly advice: string }>;

/** The automatic repair of a finding. */
export type Repair =
  | { readonly action: 'quarantine-record'; readonly root: string; readonly pipeline: string; readonly subject: string }
  | { readonly action: 'quarantine-content'; readonly root: string; readonly digest: Digest }
  | { readonly action: 'rebuild-index'; readonly root: string }
  | { readonly action: 'rebuild-state-files'; readonly subject: string }
  | { readonly action: 'rebuild-history' };

/** One thing that is not as it should be. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  /** Relative to the workspace; absolute for what is outside of it. */
  readonly path: string;
  readonly message: string;
  /** Advice for a person. */
  readonly advice: string;
  readonly repair: Repair | undefined;
}

/** A finding with the severity of its code. @param more.advice instead of that of its code */
export function finding(
  code: FindingCode,
  path: string,
  message: string,
  { repair, advice = FINDINGS[code].advice }: { readonly repair?: Repair; readonly advice?: string } = {},
): Finding {
  return { code, severity: FINDINGS[code].severity, path, message, advice, repair };
}
