import { ID_PATTERN } from '../pipeline/pipeline.ts';
import { DECISIONS, recordName, RUN_GATE, type GatelineRecord } from '../run/records/record.ts';
import type { ReadFault, ReadProblem } from '../run/records/reading.ts';
import { GatelineError } from '../errors/gateline-error.ts';

/** Data in a record's name. `kind` is as `recordKind` returns it. */
export type NamedRecord = NonNullable<ReadProblem['names']>;

const NUMBER = '(0|[1-9][0-9]{0,9})';
/** Also kinds of other versions: such a record may be a decision. */
const RECORD_NAME = new RegExp(
  `^([a-z_][a-z0-9_-]{0,39}|${RUN_GATE})\\.([A-Za-z0-9._-]{1,80})\\.${NUMBER}\\.${NUMBER}\\.${NUMBER}\\.([a-z]{1,16}|decided\\.[a-z0-9._-]{1,80})$`,
);
const KNOWN_KIND = new RegExp(
  `^(?:started|ended|decided\\.(?:${DECISIONS.join('|')})(?:\\.[a-z_][a-z0-9_-]{0,39}\\.[1-9][0-9]{0,3})?)$`,
);

/** Leg ids that are allowed in a name: no path, no space, and not `_`, which means "no leg". */
const LEG = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,79}$/;

/** The inverse of `recordName`. `undefined`: not the name of a record. */
export function parseRecordName(name: string): NamedRecord | undefined {
  const match = RECORD_NAME.exec(name);
  if (match === null) return undefined;
  const [, gate = '', leg = '', runNumber, runAttempt, n, kind = ''] = match;
  return {
    gate,
    leg: leg === '_' ? '' : leg,
    runNumber: Number(runNumber),
    runAttempt: Number(runAttempt),
    n: Number(n),
    kind,
  };
}

/** The problem of a record with this name, whatever it contains: its kind is unknown. `undefined`: no problem. */
export function unknownKind(named: NamedRecord | undefined): ReadFault | undefined {
  if (named === undefined || KNOWN_KIND.test(named.kind)) return undefined;
  return { code: 'UNKNOWN_VERSION', message: 'a kind of record that this version of Gateline does not know' };
}

/**
 * `recordName` of a record whose leg is allowed in a name.
 * @throws GatelineError `RECORD_INVALID` for any other leg: we generate leg ids, so this is our own bug.
 */
export function safeRecordName(record: GatelineRecord): string {
  if (record.leg !== '' && (record.leg === '_' || !LEG.test(record.leg))) {
    throw new GatelineError(
      'RECORD_INVALID',
      `The leg ${JSON.stringify(record.leg)} of gate "${record.gate}" cannot be part of a record's name`,
      {
        hint: 'Ids of legs are made of letters, digits, dots, hyphens and underscores.',
      },
    );
  }
  return recordName(record);
}

/**
 * File name of a record: `<pipeline>.<recordName>.json`. Together with its folder (subject, run) it identifies the
 * record.
 */
export function recordFileName(record: GatelineRecord): string {
  return `${record.pipeline}.${safeRecordName(record)}.json`;
}

/** Parses a file name. `undefined`: not the name of a record's file. */
export function parseRecordFileName(
  fileName: string,
): { readonly pipeline: string; readonly names: NamedRecord } | undefined {
  const dot = fileName.indexOf('.');
  const pipeline = fileName.slice(0, Math.max(dot, 0));
  if (!fileName.endsWith('.json') || !ID_PATTERN.test(pipeline)) return undefined;
  const names = parseRecordName(fileName.slice(dot + 1, -'.json'.length));
  return names === undefined ? undefined : { pipeline, names };
}
