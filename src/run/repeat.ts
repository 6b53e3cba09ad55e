import type { EndedEntry } from './entry.ts';
import type { UnitKey } from '../pipeline/pipeline.ts';
import type { LogState, RunState } from './state.ts';
import type { Unit } from './units.ts';
import { cutText } from '../verdict/texts.ts';
import { MAX_ISSUES, verdictText, type Issue, type Verdict } from '../verdict/verdict.ts';

/**
 * The end of an attempt of a gate with `repeat`. The last attempt of a series ends with the result of the series: verdict
 * and output of the attempt with the median score among those with the status of the series. An earlier attempt is a
 * part, and no result by itself.
 */
export function judgeTogether({ current }: LogState, { gate, key }: Unit, entry: EndedEntry): EndedEntry {
  const { repeat } = gate;
  if (repeat === undefined || entry.verdict.kind === 'cancelled') return entry;
  const series = seriesOf(current?.run === entry.run ? endsOf(current, key) : [], entry);
  if (series.length < repeat.times) return { ...entry, part: true };
  const withStatus = (...statuses: Verdict['status'][]) =>
    series.filter(({ verdict }) => statuses.includes(verdict.status));
  const passed = withStatus('passed');
  const status =
    passed.length >= repeat.pass
      ? 'passed'
      : withStatus('passed', 'partial').length >= repeat.pass
        ? 'partial'
        : 'failed';
  const candidates = withStatus(status).toSorted((a, b) => a.verdict.score - b.verdict.score);
  const median = candidates[Math.floor((candidates.length - 1) / 2)]!;
  const { output, exports, legs, verdict } = median;
  const { output: _output, exports: _exports, legs: _legs, ...rest } = entry;
  return {
    ...rest,
    ...(output && { output }),
    ...(exports && { exports }),
    ...(legs && { legs }),
    verdict: describeSeries(verdict, series, median, repeat.pass, gate.contract.score !== undefined),
  };
}

/** The verdict on a series: that of its median, with the results of all its attempts. */
function describeSeries(
  verdict: Verdict,
  series: readonly EndedEntry[],
  median: EndedEntry,
  pass: number,
  hasScore: boolean,
): Verdict {
  const passed = series.filter((end) => end.verdict.status === 'passed').length;
  const scores = hasScore ? series.filter(({ output }) => output !== undefined).map((end) => end.verdict.score) : [];
  const listed = scores.toSorted((a, b) => a - b).map((score) => Math.round(score * 100) / 100);
  const spread = `${passed} of ${series.length} passed${listed.length === 0 ? '' : `, scores ${listed.join(', ')}`}`;
  const attempts = series.map((end): Issue => {
    const { status } = end.verdict;
    const text = `attempt ${end.n} ${status}${status === 'passed' ? '' : `: ${verdictText(end.verdict)}`}`;
    return { severity: 'notice', message: cutText(text + (end === median ? ' (this output)' : ''), 4_096) };
  });
  const isPassed = verdict.status === 'passed';
  const failure: Issue[] = isPassed ? [] : [{ severity: 'error', message: `${spread}; ${pass} must pass` }];
  const own = verdict.issues.slice(0, MAX_ISSUES - attempts.length - 1);
  const message = verdict.message ? `${spread}: ${verdict.message}` : spread;
  return { ...verdict, issues: [...failure, ...own, ...attempts], ...(isPassed && { message: cutText(message, 300) }) };
}

/**
 * The attempts of a unit that are judged together with this one, this one last. Lost and cancelled ones do not count.
 * @param ends all ends of the unit in the run
 */
export function seriesOf(ends: readonly EndedEntry[], entry: EndedEntry): readonly EndedEntry[] {
  const { n, fingerprint, contract } = entry;
  const counted = ends.filter((end) => end.n < n && end.how !== 'lost' && end.verdict.kind !== 'cancelled');
  const isPart = (end: EndedEntry) => end.part === true && end.fingerprint === fingerprint && end.contract === contract;
  return [...counted.slice(counted.findLastIndex((end) => !isPart(end)) + 1), entry];
}

/** The ends of a unit in a run, in order. */
export function endsOf(run: RunState | undefined, unit: UnitKey): readonly EndedEntry[] {
  return (run?.attempts.get(unit) ?? []).flatMap(({ ended }) => ended ?? []);
}
