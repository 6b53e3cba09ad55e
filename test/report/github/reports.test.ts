import { describe, expect, it } from 'vitest';
import { commentBody } from '../../../src/report/github/comment.ts';
import { gateGraph } from '../../../src/report/graph/mermaid.ts';
import { gateSummary, type GateSummaryInput } from '../../../src/report/github/gate-summary.ts';
import { jobsWithoutRecord } from '../../../src/report/github/needed-jobs.ts';
import { checkpointMarkdown } from '../../../src/report/markdown/checkpoint.ts';
import { runReport } from '../../../src/report/github/run-report.ts';
import { COMMENT_LIMIT, SUMMARY_LIMIT } from '../../../src/report/markdown/section.ts';
import { VERDICT_KINDS } from '../../../src/verdict/verdict.ts';
import { unitsOf } from '../../../src/run/records/unit.ts';
import { decided, gate, pipelineOf, ran, started, stateOf, webTests } from '../fixtures.ts';
import { expectGolden, type Facts } from '../golden.ts';
import {
  EXECUTE_OUTPUT,
  FACTS,
  failedInput,
  history,
  inputOf,
  LINKS,
  PLANNED,
  reviewedInput,
  WORKSPACE,
} from './fixtures.ts';
import { expectSafe } from './safe-markdown.ts';

function golden(name: string, text: string, facts: Facts): void {
  expectSafe(text);
  expectGolden(`../github/golden/${name}`, text, facts);
}

function summary(key: string, over: Partial<GateSummaryInput> = {}): string {
  const { state, records } = failedInput();
  const graph = unitsOf(webTests);
  return gateSummary({ unit: graph.get(key)!, graph, state, records, links: LINKS, ...over });
}

describe('the report of a run', () => {
  it('of a failed run shows what failed, where, what was reused and saved, cost, retries, timeline and history', () => {
    golden('run-failed.md', runReport(failedInput()), {
      contains: [
        '## ❌ failed: `web_tests` for',
        '**4 of 6 gates done**, 2 reused · ❌ 1 failed · ⛔ 1 blocked · 3m 13s · USD 0.07 · 16,540 tokens · 4 attempts',
        'saved 25s, USD 0.055 and 13,900 tokens by reuse',
        `[run 3, run attempt 1](${LINKS.run}), on \`main\` at \`0123456\``,
        '**Next step:** `execute`: Make the spec pass',
        '**Re-run failed jobs**',
        '| 0 | `data` | ✅\u00a0passed | reused | 95 |  |  | output reused from attempt 1 (run 2) |',
        '[output](https://github.com/acme/shop/actions/runs/9003/artifacts/77)',
        'n4["execute<br/>❌ failed"]:::bad',
        'n0 --> n1',
        '[`tests/registration.spec.ts:41`](https://github.com/acme/shop/blob/',
        '| **All** |  | **25s** | **USD 0.055** | **13,900** |',
        '1 retry of 1 gate',
        '| `dom` | 1 | 1 | failed (malformed): not JSON',
        /^dom {5}·* ?█+·+ +13s failed \(malformed\)$/m,
        '| Results | 🟥🟩🟥 | 33 % passed |',
        '3m 13s ▼ against 4m 43s, the previous median',
        '[2](https://github.com/acme/shop/actions/runs/9002)',
        '| `execute` | 1 of 3 |',
      ],
      lacks: ['Jobs without a record', 'Invalid records'],
    });
  });

  it('of groups and legs shows each, what was lost, jobs that left nothing, and records in quarantine', () => {
    const jobs = [
      { id: 'build', result: 'success' },
      { id: 'lint', result: 'skipped' },
    ];
    const problems = [
      { code: 'CORRUPT' as const, where: 'gl1.json', message: 'not JSON', quarantine: 'kept/gl1.json' },
    ];
    golden('run-reviewed.md', runReport(reviewedInput({ jobs, problems })), {
      contains: [
        '**group review: 1 of 2 gates done**',
        '└ `firefox-linux` | 💥\u00a0lost',
        '- ❌ `lint` (skipped) left no record',
        '- `CORRUPT` `gl1.json`: not JSON; kept in `kept/gl1.json`',
        'subgraph s0["review"]',
        '0 of 2 legs done',
        '59m 00s running',
        'no result',
      ],
      lacks: ['`build` (success) left', '### History', '### Reused', '### Cost'],
    });
  });

  it('says of what could not be read that it could not be read, and not that it is not there', () => {
    const names = { gate: 'data', leg: '', runNumber: 1, runAttempt: 1, n: 1, kind: 'ended' };
    const problem = { code: 'OUTAGE', where: 'gl1.data.json', message: 'no answer', names } as const;
    const jobs = [
      { id: 'data', result: 'success' },
      { id: 'docs', result: 'success' },
      { id: 'lint', result: 'skipped' },
    ];
    const input = inputOf([], { jobs, problems: [problem], state: stateOf([], { problems: [problem] }).state });
    const shown = [
      runReport(input),
      commentBody({ from: 'report', ...input, revision: { runNumber: 1, runAttempt: 1, records: 1 } }),
    ];
    for (const text of shown) {
      expect(text).toContain('- ❌ `docs` (success) left no visible record');
      expect(text).toContain('- ❌ `lint` (skipped) left no record:');
      expect(text).toContain('the result of attempt 1 could not be read: gl1.data.json: no answer');
      expect(text).not.toMatch(/nothing has begun|No gate has begun|needs nothing/);
    }
    const blind = { code: 'OUTAGE', where: 'artifacts of run 7', message: 'no answer' } as const;
    const nothing = {
      jobs,
      problems: [blind],
      state: stateOf([], { pipeline: pipelineOf([]), problems: [blind] }).state,
    };
    const text = runReport(inputOf([], nothing, pipelineOf([])));
    expect(text).toMatch(/^## ❌ not everything could be read: /);
    expect(text).toContain('- ❌ `data` (success) left no visible record');
    expect(text).toContain('Not everything could be read: artifacts of run 7: no answer');
  });

  it('of a completed run with a missing job is not called passed', () => {
    const records = webTests.gates.flatMap(({ id }) => ran(id));
    expect(runReport(inputOf(records))).toMatch(/^## ✅ passed: /);
    expect(runReport(inputOf(records, { jobs: [{ id: 'lint', result: 'success' }] }))).toMatch(/^## ❌ not checked: /);
    expect(runReport(inputOf([]))).toMatch(/^## ⏳ not started: /);
  });

  it('tells of what failed before what is partial, wherever it stands', () => {
    const verdict = { kind: 'partial', status: 'partial', score: 70, issues: [], advice: '' } as const;
    const pipeline = pipelineOf([gate('first', 0), gate('second', 1)]);
    const records = [
      ...ran('first', { pipeline }, { verdict: { ...verdict, issues: [] } }),
      ...ran('second', { pipeline }, { verdict: { ...verdict, status: 'failed', kind: 'schema', issues: [] } }),
    ];
    expect(runReport(inputOf(records, {}, pipeline))).toMatch(/❌ \*\*`second`\*\*[^]*🟡 \*\*`first`\*\*/);
  });

  it('takes this run for the latest of the history, and no other pipeline or subject into it', () => {
    const [green] = history();
    const about = (over: object): typeof green & {} => ({ ...green!, entry: { ...green!.entry, ...over } });
    const own = about({ runId: FACTS.runId, run: 3, status: 'completed' });
    const text = runReport(failedInput({ history: [own, green!, about({ runId: '5', subject: 'other' })] }));
    expect(text).toContain('| Results | 🟩🟥 |');
    expect(runReport(failedInput({ history: [own] }))).not.toContain('### History');
  });

  it('stays below its limit with 1,000 gates, and says what is left out', () => {
    const pipeline = pipelineOf(
      Array.from({ length: 1_000 }, (_, at) => gate(`gate_${at}`, at, { needs: at === 0 ? [] : ['gate_0'] })),
    );
    const issues = Array.from({ length: 5 }, () => ({
      severity: 'error' as const,
      message: '<'.repeat(400),
      pointer: '/x',
    }));
    const records = pipeline.gates.flatMap(({ id }, at) =>
      ran(
        id,
        { pipeline },
        at % 2 === 0 ? {} : { verdict: { status: 'failed', kind: 'schema', score: 0, issues, advice: '' } },
      ),
    );
    const text = runReport(inputOf(records, { links: LINKS }, pipeline));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(SUMMARY_LIMIT);
    expect(Buffer.byteLength(text)).toBeGreaterThan(SUMMARY_LIMIT / 2);
    expect(text.match(/<details>/g)?.length).toBe(text.match(/<\/details>/g)?.length);
    expect(text).toMatch(/_… and \d+ more.*; \[full text\]/);
    expect(text).toContain('`gate_1`');
    expect(text).not.toContain('```mermaid');
  });
});

describe('the summary of a gate', () => {
  it('that failed shows the decision, the issues with pointer, file and line, what it was given, and what to do', () => {
    golden('gate-failed.md', summary('execute', { planned: PLANNED, value: EXECUTE_OUTPUT, workspace: WORKSPACE }), {
      contains: [
        '## ❌ Gate 4 `execute`: failed (check)',
        '**The agent ran:** Exports of pom changed',
        '| Score | 60 (threshold 80) |',
        '### Issues (2)',
        'at `/finalStatus/passRate`, in [`tests/registration.spec.ts:41`]',
        '**Re-run failed jobs**',
        'Or push a fix',
        '| `pom` | ✅ passed |',
        '- file tests/old.ts removed',
        '| Artifacts | [output](https://github.com/acme/shop/actions/runs/9003/artifacts/77) (18 KiB) |',
      ],
    });
  });

  it('that was reused says from where and what that saved', () => {
    const planned = {
      ...PLANNED,
      choice: 'reuse' as const,
      reason: 'attempt 1 (run 2)',
      from: { runNumber: 2, runAttempt: 1, n: 1 },
      differences: [],
      notices: [],
    };
    golden('gate-reused.md', summary('data', { planned }), {
      contains: [
        '## ✅ Gate 0 `data`: passed',
        '**Reused:**',
        'attempt 1 (run 2)',
        '| Saved | 13s, USD 0.021, 4,100 tokens |',
      ],
      lacks: ['| Cost |', '| Took |', 'Attempts in this run'],
    });
  });

  it('that was tried again shows every attempt, and files that it hands on', () => {
    expect(summary('dom')).toMatch(/Attempts in this run \(2\)[^]*failed \(malformed\)[^]*\| passed \| 48s \|/);
    expect(summary('pom')).toContain('Files handed on (1)</summary>\n\n- added `tests/pages/registration.ts`');
    expect(summary('dom')).toContain('This gate is done.');
    expect(summary('pom')).toContain('Next: `execute`.');
  });

  it.each(VERDICT_KINDS)('says what to do about the kind %s', (kind) => {
    const records = ran('data', {}, { verdict: { status: 'failed', kind, score: 0, issues: [], advice: '' } });
    const text = summary('data', { state: stateOf(records).state, records });
    expectSafe(text);
    const [, next = ''] = /### Next step\n\n(.*)\n/.exec(text) ?? [];
    expect(next.length).toBeGreaterThan(40);
    expect(next.includes('Re-run failed jobs')).toBe(!['claimed', 'contract'].includes(kind));
  });

  it('says who decided what', () => {
    const records = [decided('data', {}, { reason: 'not today' })];
    const text = summary('data', { state: stateOf(records).state, records });
    expect(text).toContain('**skip** by octocat: Not today.');
  });

  it('says what it was given where the state knows nothing of that', () => {
    const records = ran('data');
    const given = { elsewhere: `sha256:${'a1'.repeat(32)}` as const, silent: null };
    const text = summary('data', { state: stateOf(records).state, records, given });
    expect(text).toContain('<details><summary>Needs (2)</summary>');
    expect(text).toContain('| `elsewhere` |  | `a1a1a1a1a1a1` |');
    expect(text).toContain('| `silent` |  | no output |');
  });

  it('has the outputs and reasons of legs beside them, whatever they are called by', () => {
    const leg = { id: 'chrome-120-0a1b2c', matrix: { browser: 'Chrome 120' } };
    const pipeline = pipelineOf([gate('e2e', 0, { legs: [leg] })]);
    const records = ran(
      'e2e',
      { pipeline, leg: leg.id },
      { how: 'reused', source: { runNumber: 1, runAttempt: 1, n: 2 } },
    );
    const artifacts = new Map([[`e2e/${leg.id}`, [{ name: 'output', url: 'https://github.com/a' }]]]);
    const report = runReport(inputOf(records, { links: { ...LINKS, artifacts } }, pipeline));
    expect(report).toMatch(/└ `Chrome 120` .*\[output\]\(https:.*output reused from attempt 2 \(run /);
  });

  it('has no number where no file numbers the gates, and no threshold where the gate asks for no score', () => {
    const plain = { schema: undefined, score: undefined, threshold: 0, partial: 'block', checks: [] } as const;
    const pipeline = pipelineOf([gate('data', 0, { contract: plain })]);
    const graph = unitsOf(pipeline);
    const issues = [{ severity: 'error' as const, message: 'output.critical == 0: output.critical is 1' }];
    const verdict = { status: 'failed', kind: 'check', score: 100, issues, advice: '' } as const;
    const [failing, passing] = [ran('data', { pipeline }, { verdict }), ran('data', { pipeline })];
    const of = (records: typeof failing): string =>
      summary('data', { unit: graph.get('data')!, numbered: false, ...stateOf(records, { pipeline }), records });
    expect(of(failing)).toMatch(/^## ❌ Gate `data`: failed \(check\)\n/);
    expect(of(failing)).not.toContain('| Score |');
    expect(of(passing)).toContain('| Score | 95 |');
    const report = runReport(inputOf(failing, {}, pipeline));
    expect(report).toContain('**`data`** failed (check): A check of the contract failed.\n');
  });

  it('shows every fact that the checkpoint of the gate shows', () => {
    const { state } = failedInput();
    const graph = unitsOf(webTests);
    for (const unit of graph.values()) {
      const rows = checkpointMarkdown({ unit, graph, state }).match(/^\| \w.*$/gm) ?? [];
      expect(rows).toContain('| Subject | `demoqa_com-student_registration` |');
      expect(summary(unit.key).split('\n')).toEqual(expect.arrayContaining(rows));
    }
  });

  it('of a gate that the run does not know says so', () => {
    const unit = { ...unitsOf(webTests).get('data')!, key: 'other' };
    expect(summary('data', { unit })).toBe('## Gate 0 `other`\n\nThis run has no such gate.\n');
  });
});

describe('the comment', () => {
  const revision = { runNumber: 3, runAttempt: 1, records: 12 };

  it('of a run has a short table, what failed first and a link to the run', () => {
    golden('comment-failed.md', commentBody({ ...failedInput(), from: 'report', revision }), {
      contains: [
        /^<!-- gateline-comment\/1 [0-9a-f]{16} 3\.1\.12 -->\n### ❌ failed/,
        '| `execute` | ❌\u00a0failed | ran | 60 | 13s |',
        `[run 3, run attempt 1](${LINKS.run})`,
        '**error** at `/finalStatus/passRate`',
      ],
      lacks: ['mermaid', '<details>'],
    });
  });

  it('of the names of records alone shows how far each gate is', () => {
    const rows = [
      { gate: 'data', leg: '', status: 'passed' as const },
      { gate: 'e2e', leg: 'chrome', status: 'running' as const },
      { gate: 'pom', leg: '', status: 'failed' as const },
    ];
    golden(
      'comment-live.md',
      commentBody({ from: 'names', pipeline: 'web_tests', subject: 'pr-7', revision, rows, run: LINKS.run }),
      {
        contains: [
          '### ❌ `web_tests` for `pr-7`',
          '**1 of 3 gates done so far.**',
          '| `e2e/chrome` | 🔄\u00a0running |',
          `(${LINKS.run})`,
        ],
      },
    );
  });

  it('lists only what did not pass of a large pipeline, within its limit', () => {
    const pipeline = pipelineOf(Array.from({ length: 300 }, (_, at) => gate(`g${at}`, at)));
    const issues = Array.from({ length: 100 }, () => ({ severity: 'error' as const, message: '<'.repeat(4_000) }));
    const verdict = { status: 'failed', kind: 'schema', score: 0, issues, advice: '<'.repeat(2_000) } as const;
    const records = pipeline.gates.flatMap(({ id }, at) =>
      ran(id, { pipeline }, at % 10 === 0 ? { verdict: structuredClone(verdict) } : {}),
    );
    const body = commentBody({ ...inputOf(records, { links: LINKS }, pipeline), from: 'report', revision });
    expectSafe(body);
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(COMMENT_LIMIT);
    expect(body).toContain('| … and 270 more |');
    expect(body).toContain('… and 25 more gates');
    expect(body).toContain('| `g290` | ❌\u00a0failed |');
  });
});

describe('the graph', () => {
  it('names boxes by number, so that no gate’s id is a word of Mermaid’s', () => {
    const pipeline = pipelineOf([gate('end', 0), gate('click', 1, { needs: ['end'] })]);
    const text = gateGraph(pipeline, stateOf([], { pipeline }).state);
    expect(text).toContain('n0["end<br/>⏳ ready"]');
    expect(text).not.toMatch(/^\s*(?:end|click)\b.*-->/m);
  });

  it('is left out of what nobody could read, and drawn downwards when long', () => {
    const chain = (length: number) =>
      pipelineOf(Array.from({ length }, (_, at) => gate(`g${at}`, at, { needs: at === 0 ? [] : [`g${at - 1}`] })));
    const graph = (length: number) => gateGraph(chain(length), stateOf([], { pipeline: chain(length) }).state);
    expect(graph(1)).toBe('');
    expect(graph(81)).toBe('');
    expect(graph(7)).toContain('flowchart LR');
    expect(graph(8)).toContain('flowchart TB');
  });
});

describe('a needed job', () => {
  const run = { pipeline: 'web_tests', subject: 'demoqa_com-student_registration', runNumber: 1 };
  it('has a record when it wrote one or a gate of its name has one, in this run', () => {
    const by = { host: 'h', boot: 'b', pid: 1, pidStart: '1', job: 'build' };
    const jobs = ['data', 'build', 'lint'].map((id) => ({ id, result: 'success' }));
    expect(jobsWithoutRecord(jobs, [started('data'), started('pom', {}, { by })], run)).toMatchObject([jobs[2]]);
    expect(jobsWithoutRecord(jobs, [started('data', { run: 2 })], run)).toMatchObject(jobs);
    expect(jobsWithoutRecord(jobs, [started('data', { subject: 'other' })], run)).toMatchObject(jobs);
  });

  it('has none when there is only a decision about its gate, which every job of the run can write', () => {
    const jobs = [{ id: 'data', result: 'skipped' }];
    const skip = decided('data', {}, { decision: 'skip' });
    expect(jobsWithoutRecord(jobs, [{ ...skip, ...run }], run)).toEqual(jobs);
  });

  it('has a record when the gate that it says it worked on has one', () => {
    const jobs = [
      { id: 'build', result: 'success', gate: 'data' },
      { id: 'lint', result: 'success', gate: 'pom' },
    ];
    expect(jobsWithoutRecord(jobs, [started('data')], run)).toMatchObject([jobs[1]]);
    expect(jobsWithoutRecord(jobs, [started('lint')], run)).toMatchObject([jobs[0]]);
  });
});
