import type { SourceFile, WrittenFiles } from '../../src/formats/format.ts';
import type { JsonObject } from '../../src/json/json.ts';
import type { RunStatus, RunView, UnitStatus, UnitView } from '../../src/report/view.ts';
import type { Verdict } from '../../src/verdict/verdict.ts';

const DONE: readonly UnitStatus[] = ['passed', 'not-applicable', 'skipped'];

/** A verdict as judging gives it to a unit of this status. */
function verdictOf(status: UnitStatus, score: number, issues: readonly string[]): Verdict | undefined {
  const of = {
    passed: 'passed',
    paused: 'partial',
    partial: 'partial',
    'not-applicable': 'not-applicable',
    failed: 'failed',
  };
  const result = (of as Partial<Record<UnitStatus, Verdict['status']>>)[status];
  if (result === undefined) return undefined;
  const list = issues.map((message) => ({ severity: 'warning' as const, message }));
  return { status: result, kind: result === 'failed' ? 'schema' : result, score, issues: list, advice: 'Repair it.' };
}

interface UnitSketch extends Partial<UnitView> {
  readonly status: UnitStatus;
  readonly score?: number;
  readonly remarks?: readonly string[];
}

export function unitOf(number: number, { score = 100, remarks = [], ...unit }: UnitSketch): UnitView {
  const gate = `gate_${number}`;
  const { leg = '', status } = unit;
  return {
    key: leg === '' ? gate : `${gate}/${leg}`,
    gate,
    leg,
    number,
    agent: gate,
    place: { file: 'gateline.yml' },
    needs: [],
    memory: [],
    done: DONE.includes(status),
    reason: `it is ${status}`,
    iteration: 1,
    threshold: 80,
    verdict: verdictOf(status, score, remarks),
    attempts: [],
    files: [],
    changes: [],
    undeclared: [],
    ...unit,
  };
}

export function viewOf(status: RunStatus, units: readonly UnitView[], metadata: JsonObject, subject: string): RunView {
  const figures = { units: units.length, done: 0, ran: 0, used: 0, ms: 0, savedMs: 0 };
  const base = { format: 'gateline-run/3', pipeline: 'p', run: 1, groups: [], decisions: [], history: [] } as const;
  return { ...base, subject, status, metadata, figures, units, next: { text: '' } };
}

/** A file as a reader gets it. */
export const fileOf = (path: string, value: unknown): SourceFile => ({
  path,
  bytes: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
});
/** The files that a writer wrote, for a reader. */
export const filesOf = (written: WrittenFiles): SourceFile[] =>
  Object.entries(written).flatMap(([path, text]) => (text === null ? [] : [fileOf(path, text)]));
export const valueIn = (written: WrittenFiles, path: string): JsonObject => JSON.parse(written[path]!) as JsonObject;
