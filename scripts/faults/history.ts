import type { Fault } from './fault.ts';

/** Faults in the outcomes of earlier runs. */
export const HISTORY_FAULTS: readonly Fault[] = [
  {
    name: 'history: what other gates reserved is not counted in the budget',
    find: 'if (!isUsedUp && used + others + mine <= limit + TOLERANCE) return MAY_START;',
    replace: 'if (!isUsedUp && used + mine <= limit + TOLERANCE) return MAY_START;',
    tests: ['test/history/budget.test.ts'],
    why: 'gates side by side would together spend more than the budget',
  },
  {
    name: 'history: an entry that was replaced is read, too',
    find: 'if (value !== undefined && seen.has(value as unknown as EntryIdentity)) continue;',
    replace: '',
    tests: ['test/history/oracle.test.ts'],
    why: 'a run that was continued would be counted twice',
  },
  {
    name: 'history: a half line is not removed before the next one',
    find: 'if (whole < fstatSync(file).size) ftruncateSync(file, whole);',
    replace: '',
    tests: ['test/crash/history.test.ts'],
    why: 'the entry after a kill would be lost with the half one before it',
  },
  {
    name: 'history: a killed call leaves no entry',
    find: 'await (hasRecords ? write(call, noted) : history!.end(noted, undefined));',
    replace: 'await history!.end(noted, hasRecords && call.holder === undefined ? undefined : undefined);',
    tests: ['test/crash/history.test.ts'],
    why: 'a run that was killed would be missing from every statistic',
  },
  {
    name: 'history: a percentile takes the rank below',
    find: 'return sorted[Math.ceil((percent / 100) * sorted.length) - 1];',
    replace: 'return sorted[Math.floor((percent / 100) * sorted.length) - 1];',
    tests: ['test/history/statistics.test.ts'],
    why: 'p95 would be a value that more than 5 percent exceed',
  },
  {
    name: 'history: reused outputs are attempts',
    find: '    if (attempts === 0) return;\n    this.#ran += 1;',
    replace: '    this.#ran += 1;',
    tests: ['test/history/statistics.test.ts'],
    why: 'rates would include gates that did not run',
  },
  {
    name: 'history: documents of forks are read',
    find: "originOf(artifact) === 'ours' ? [{ artifact",
    replace: "originOf(artifact) !== 'unknown' ? [{ artifact",
    tests: ['test/store/github/history/history-artifacts.test.ts'],
    why: 'anybody could write into the history of a repository',
  },
  {
    name: 'history: a cell of CSV can be a formula',
    find: "const safe = FORMULA.test(text) ? `'${text}` : text;",
    replace: 'const safe = FORMULA.test(text) ? text : text;',
    tests: ['test/history/entry.test.ts'],
    why: "an agent's text would be carried out by the spreadsheet that opens it",
  },
];
