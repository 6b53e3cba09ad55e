import { ID_PATTERN } from '../pipeline/pipeline.ts';
import { recordName, type GatelineRecord } from '../run/records/record.ts';
import type { ReadProblem } from '../run/records/reading.ts';
import { GatelineError } from '../errors/gateline-error.ts';

/** What a record's name tells of it. `kind` is `started`, `ended` or `decided.<decision>`. */
export type NamedRecord = NonNullable<ReadProblem['names']>;

const NUMBER = '(0|[1-9][0-9]{0,9})';
const RECORD_NAME = new RegExp(
  `^([a-z_][a-z0-9_-]{0,39})\\.([A-Za-z0-9._-]{1,80})\\.${NUMBER}\\.${NUMBER}\\.${NUMBER}\\.(started|ended|decided\\.[a-z]{1,16})$`,
);

/** Ids of legs that can stand in a name: no path, no space, and not the `_` that stands for "no leg". */
const LEG = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,79}$/;

/** The inverse of `recordName`. `undefined`: that is no record's name. */
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

/**
 * `recordName` of a record whose leg can stand in a name.
 * @throws GatelineError `RECORD_INVALID` for any other leg: ids of legs are made by us, so this is a bug of ours.
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

/** File name of a record: `<pipeline>.<recordName>.json`. With its folder (subject, run) that is its whole identity. */
export function recordFileName(record: GatelineRecord): string {
  return `${record.pipeline}.${safeRecordName(record)}.json`;
}

/** What a file's name says. `undefined`: it is not the name of a record's file. */
export function parseRecordFileName(
  fileName: string,
): { readonly pipeline: string; readonly names: NamedRecord } | undefined {
  const dot = fileName.indexOf('.');
  const pipeline = fileName.slice(0, Math.max(dot, 0));
  if (!fileName.endsWith('.json') || !ID_PATTERN.test(pipeline)) return undefined;
  const names = parseRecordName(fileName.slice(dot + 1, -'.json'.length));
  return names === undefined ? undefined : { pipeline, names };
}
