import { digestOfJson } from '../../../json/canonical-json.ts';
import { hexOf, type Digest } from '../../../json/digest.ts';
import { DECISIONS, recordKind, RUN_GATE, type EndedRecord, type GatelineRecord } from '../../../run/records/record.ts';
import { GatelineError } from '../../../errors/gateline-error.ts';
import { safeRecordName } from '../../record-names.ts';

/** Most characters in one of our names. GitHub allows about 260, and forbids `" : < > | * ? \ /` and line breaks. */
export const MAX_NAME_LENGTH = 220;

/** Highest run attempt and gate attempt: GitHub itself allows 50 re-runs. */
const MAX_COUNT = 9_999;

/** Names to try if earlier ones are taken by artifacts that never become visible. */
export const MAX_UPLOADS = 9;

/** Identifies a record by attempt and gate. */
interface RecordAddress {
  /** 8 hex digits that identify pipeline and subject: {@link scopeOf}. */
  readonly scope: string;
  readonly gate: string;
  /** Empty if there is none. */
  readonly leg: string;
  readonly runAttempt: number;
  readonly n: number;
  /** From 1; higher for uploads under another name because an earlier one never became visible. */
  readonly upload: number;
}

/** Data in the name of a record's artifact. */
export type RecordArtifactName = RecordAddress & { readonly holds: 'record' } & (
    | { readonly kind: 'started' }
    | {
        readonly kind: 'ended';
        readonly status: EndedRecord['verdict']['status'];
        /** First 12 hex digits. */
        readonly fingerprint: string;
        /** First 12 hex digits of the value's digest; `undefined` if there is no value. */
        readonly output: string | undefined;
      }
    | { readonly kind: 'decided'; /** As `recordKind` returns it. */ readonly decided: string }
    /** Of a kind that this version does not know: `of` is the rest of the name. It may be a decision. */
    | { readonly kind: 'unknown'; readonly of: string }
  );

/** Data in the name of an artifact with contents: the value unchanged, or a zip of everything else. */
export type ContentArtifactName = RecordAddress &
  (
    | { readonly holds: 'value' }
    /** `of`: as `recordKind` returns it. */
    | { readonly holds: 'files'; readonly of: string }
  );

export type ArtifactName = RecordArtifactName | ContentArtifactName;

const DECIDED = `decided\\.(?:${DECISIONS.join('|')})(?:\\.[a-z_][a-z0-9_-]{0,39}\\.[1-9][0-9]{0,3})?`;
const POSITION = [
  '^gl1\\.(?<scope>[0-9a-f]{8})',
  `\\.(?<gate>[a-z_][a-z0-9_-]{0,39}|${RUN_GATE})`,
  '\\.(?<leg>[A-Za-z0-9_-][A-Za-z0-9._-]{0,79})',
  '\\.(?<runAttempt>0|[1-9][0-9]{0,3})',
  '\\.(?<n>0|[1-9][0-9]{0,3})',
].join('');
const NAME = new RegExp(
  [
    POSITION,
    `\\.(?:(?<files>started|ended|${DECIDED})(?:\\.u(?<again>[2-${MAX_UPLOADS}]))?\\.files`,
    '|(?:(?<value>value)|(?<started>started)',
    '|ended\\.(?<status>passed|partial|failed|not-applicable)\\.(?<fingerprint>[0-9a-f]{12})\\.(?<output>[0-9a-f]{12}|_)',
    `|(?<decided>${DECIDED}))(?:\\.u(?<upload>[2-${MAX_UPLOADS}]))?\\.json)$`,
  ].join(''),
);
const UNKNOWN = new RegExp(`${POSITION}\\.(?<unknown>.+)\\.json$`);

/**
 * Parses one of our names; `undefined` for any other text. Never throws. A name is not proof: every job of a run may
 * upload under any name.
 */
export function parseArtifactName(name: string): ArtifactName | undefined {
  const match = name.length > MAX_NAME_LENGTH ? null : (NAME.exec(name) ?? UNKNOWN.exec(name));
  if (match === null) return undefined;
  const told = match.groups as Readonly<Record<string, string | undefined>>;
  const position: RecordAddress = {
    scope: told['scope']!,
    gate: told['gate']!,
    leg: told['leg'] === '_' ? '' : told['leg']!,
    runAttempt: Number(told['runAttempt']),
    n: Number(told['n']),
    upload: Number(told['upload'] ?? told['again'] ?? 1),
  };
  if (told['unknown'] !== undefined) return { ...position, holds: 'record', kind: 'unknown', of: told['unknown'] };
  if (told['files'] !== undefined) return { ...position, holds: 'files', of: told['files'] };
  if (told['value'] !== undefined) return { ...position, holds: 'value' };
  if (told['started'] !== undefined) return { ...position, holds: 'record', kind: 'started' };
  if (told['decided'] !== undefined) return { ...position, holds: 'record', kind: 'decided', decided: told['decided'] };
  return {
    ...position,
    holds: 'record',
    kind: 'ended',
    status: told['status'] as EndedRecord['verdict']['status'],
    fingerprint: told['fingerprint']!,
    output: told['output'] === '_' ? undefined : told['output'],
  };
}

/** 8 hex digits of the digest of pipeline and subject: distinguishes a run's artifacts of several subjects. */
export function scopeOf(pipeline: string, subject: string): string {
  return hexOf(digestOfJson([pipeline, subject])).slice(0, 8);
}

/** The last part of the record's name, as `recordKind` returns it. */
export function kindOf(named: RecordArtifactName): string {
  if (named.kind === 'unknown') return named.of;
  return named.kind === 'decided' ? named.decided : named.kind;
}

/**
 * The name of a record's artifact: `gl1.<scope>.<gate>.<leg or _>.<runAttempt>.<n>.started.json`,
 * `….ended.<status>.<fp12>.<out12 or _>.json`, `….decided.<decision>.json`. It does not contain the run's number: an
 * artifact belongs to one run.
 * @throws GatelineError `RECORD_INVALID` for a leg that is not allowed in a name and for counters above 9,999
 */
export function recordArtifactName(record: GatelineRecord, upload = 1): string {
  return `${base(record)}.${tail(record)}${again(upload)}.json`;
}

/** The name of the artifact with an ended record's value, for people to open: `….<n>.value.json`. */
export function valueArtifactName(record: GatelineRecord, upload = 1): string {
  return `${base(record)}.value${again(upload)}.json`;
}

/** The name of the zip with a record's other contents: `….<n>.<started|ended|decided.…>.files`. */
export function filesArtifactName(record: GatelineRecord, upload = 1): string {
  return `${base(record)}.${recordKind(record)}${again(upload)}.files`;
}

/** Whether two names are about the same record. Names alone cannot show which of several ends is valid. */
export function sameRecord(a: RecordArtifactName, b: RecordArtifactName): boolean {
  return (
    a.scope === b.scope &&
    a.gate === b.gate &&
    a.leg === b.leg &&
    a.runAttempt === b.runAttempt &&
    a.n === b.n &&
    kindOf(a) === kindOf(b)
  );
}

function base(record: GatelineRecord): string {
  // Refuses legs that are not allowed in a name.
  safeRecordName(record);
  for (const count of [record.runAttempt, record.n]) {
    if (count <= MAX_COUNT) continue;
    throw new GatelineError('RECORD_INVALID', `${count} is too large for an artifact's name`, {
      hint: `Run attempts and attempts of a gate are limited to ${MAX_COUNT} on GitHub.`,
    });
  }
  const scope = scopeOf(record.pipeline, record.subject);
  return `gl1.${scope}.${record.gate}.${record.leg || '_'}.${record.runAttempt}.${record.n}`;
}

function tail(record: GatelineRecord): string {
  if (record.kind !== 'ended') return recordKind(record);
  const output = record.value === undefined ? '_' : twelve(record.value.digest);
  return `ended.${record.verdict.status}.${twelve(record.fingerprint)}.${output}`;
}

function twelve(digest: Digest): string {
  return hexOf(digest).slice(0, 12);
}

function again(upload: number): string {
  return upload === 1 ? '' : `.u${upload}`;
}
