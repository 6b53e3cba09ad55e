import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { annotationsOf } from '../../../src/report/github/annotations.ts';
import { commentBody } from '../../../src/report/github/comment.ts';
import { commentHash, parseCommentRevision } from '../../../src/report/github/comment-marker.ts';
import { gateSummary } from '../../../src/report/github/gate-summary.ts';
import { keptSubject, parseGatesEntry, parseHistoryEntry, type RunHistory } from '../../../src/history/entry.ts';
import { entryLine, gatesLine } from '../../../src/history/entry-line.ts';
import { ownHistory } from '../../../src/report/github/own-history.ts';
import type { ReportLinks, RunReportInput } from '../../../src/report/github/report-input.ts';
import { runReport } from '../../../src/report/github/run-report.ts';
import { COMMENT_LIMIT, SUMMARY_LIMIT } from '../../../src/report/markdown/section.ts';
import { UNIT_STATUSES } from '../../../src/run/state/run-state.ts';
import type { GatelineRecord } from '../../../src/run/records/record.ts';
import { unitsOf } from '../../../src/run/records/unit.ts';
import { decided, ended, gate, NOW, pipelineOf, ran, started, stateOf } from '../fixtures.ts';
import { OBEYED_BY_TERMINALS } from '../hostile.ts';
import { FACTS, history, LINKS, PLANNED } from './fixtures.ts';
import { FOR_GITHUB, HOSTILE_HERE } from './hostile.ts';
import { expectSafe } from './safe-markdown.ts';
import { drawn, spread } from '../../support/samples.ts';

/** A run in which every text that somebody else may say is this one. */
function hostileInput(text: string): RunReportInput {
  const name = text === '' ? 'x' : text;
  const pipeline = pipelineOf(
    [
      gate('data', 0, { agent: text }),
      gate('e2e', 1, { needs: ['data'], legs: ['a', name].map((id) => ({ id, matrix: {} })) }),
      gate('pom', 2, { needs: ['data'] }),
      // No checked pipeline has such an id; nor does a report rely on that.
      gate(name, 3, { needs: ['pom'] }),
      gate('last', 4, { needs: ['pom'] }),
    ],
    { groups: [{ id: name, gates: ['pom', 'last'], mode: 'parallel', onFail: undefined }] },
  );
  const where = { pipeline, subject: name };
  const issue = { severity: 'error' as const, message: text, pointer: text, rule: text };
  const change = { path: name, before: null, after: { blob: 'b', mode: '100644' as const } };
  const verdict = { status: 'failed' as const, kind: 'check' as const, score: 1, issues: [issue, issue], advice: text };
  const said = { metrics: { model: text, inputTokens: 1e300, outputTokens: 2, costUsd: 1e300 }, signal: text };
  const work = { files: [change], touched: [change], ...said };
  const records: GatelineRecord[] = [
    ...ran('data', where, { verdict: { ...verdict, status: 'passed', kind: 'passed' }, ...work }),
    ...ran('pom', { ...where, minute: 1 }, { verdict, ...work }),
    ...ran('pom', { ...where, n: 2, minute: 2 }, { verdict, ...work, needs: { [name]: null } }),
    ended('e2e', { ...where, leg: 'a', minute: 2 }, { how: 'reused', verdict, ...work }),
    started('e2e', { ...where, leg: name, minute: 2 }),
    decided('last', { ...where, n: 1 }, { actor: name, reason: text }),
    decided('e2e', { ...where, leg: 'a', n: 2 }, { decision: 'reject', actor: name, reason: text }),
  ];
  const problems = [{ code: 'CORRUPT' as const, where: text, message: text, quarantine: text }];
  const state = stateOf(records, { ...where, problems }).state;
  const finding = { message: text, severity: text, file: text, line: 3, location: text };
  // Addresses come from GitHub; what is not https is not linked all the same.
  const url = /^\s*https:/i.test(text) ? 'http://evil.example' : text;
  const artifacts: ReportLinks['artifacts'] = new Map(
    ['data', 'pom'].map((key) => [
      key,
      [
        { name: text, url },
        { name: text, url: LINKS.run },
      ],
    ]),
  );
  return {
    pipeline,
    state,
    records,
    now: NOW,
    facts: { runId: '9003', sha: text, branch: text, event: text },
    history: history().map((entry) => hostileEntry(entry, state.subject, text)),
    links: { ...LINKS, artifacts },
    jobs: [{ id: text, result: text }],
    problems,
    values: new Map(['data', 'pom'].map((key) => [key, [finding, { ...finding, file: 'src/a.ts', message: text }]])),
    workspace: text,
  };
}

function hostileEntry({ entry, gates }: RunHistory, subject: string, text: string): RunHistory {
  return {
    entry: { ...entry, subject: keptSubject(subject), branch: text, commit: text },
    gates: { ...gates, gates: gates.gates.map((one) => ({ ...one, gate: text })) },
  };
}

/** Every text that can be made of it. */
function textsOf(input: RunReportInput, maxBytes?: number): { summaries: string[]; comments: string[] } {
  const { pipeline, state, records, links, values, workspace } = input;
  const graph = unitsOf({ ...pipelineOf([]), ...pipeline });
  const text = input.facts!.branch;
  const planned = {
    ...PLANNED,
    reason: text,
    differences: [{ what: 'file' as const, name: text, change: 'changed' as const }],
    notices: [text],
  };
  const gates = [...graph.values()].map((unit) => {
    const value = values?.get(unit.key);
    const more = { planned, links: links!, workspace: workspace!, ...(value !== undefined && { value }) };
    return gateSummary({ unit, graph, state, records, ...more }, maxBytes);
  });
  const revision = { runNumber: 1, runAttempt: 1, records: records.length };
  const rows = UNIT_STATUSES.map((status) => ({ gate: text, leg: text, status }));
  const live = {
    from: 'names' as const,
    pipeline: pipeline.id,
    subject: state.subject,
    revision,
    rows,
    run: LINKS.run,
  };
  return {
    summaries: [runReport(input, maxBytes), ...gates],
    comments: [commentBody({ ...input, from: 'report', revision }), commentBody(live)],
  };
}

describe('what others say', () => {
  it('comes in more than twenty sorts', () => {
    expect(FOR_GITHUB.length).toBeGreaterThan(20);
    expect(HOSTILE_HERE.length).toBeGreaterThan(200);
  });

  const shown = FOR_GITHUB.map((text, at) => [at, text.slice(0, 60), text] as const);
  it.each(spread(shown, 12))('shows and does nothing: %i %j', (_at, _short, text) => {
    const { summaries, comments } = textsOf(hostileInput(text));
    for (const markdown of [...summaries, ...comments]) expectSafe(markdown);
    for (const markdown of summaries) expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(SUMMARY_LIMIT);
    for (const body of comments) expect(Buffer.byteLength(body)).toBeLessThanOrEqual(COMMENT_LIMIT);
  });

  it('shows and does nothing, whatever else it tries', () => {
    for (const text of spread(HOSTILE_HERE, 20)) {
      const { summaries, comments } = textsOf(hostileInput(text));
      for (const markdown of [summaries[1]!, comments[0]!]) expectSafe(markdown);
    }
  });

  it('never makes a comment that of another run, pipeline or subject', () => {
    for (const text of FOR_GITHUB) {
      const input = hostileInput(text);
      for (const body of textsOf(input).comments) {
        const hash = commentHash(input.pipeline.id, input.state.subject);
        expect(parseCommentRevision(body)).toEqual({
          hash,
          runNumber: 1,
          runAttempt: 1,
          records: input.records.length,
        });
        expect(body.match(/<!--/g)).toHaveLength(1);
      }
    }
  });

  it('is one line without commands in annotations, and names no file outside the repository', () => {
    for (const text of HOSTILE_HERE) {
      const { state, values, workspace } = hostileInput(text);
      const annotations = annotationsOf({ units: [...state.units.values()], values: values!, workspace: workspace! });
      expect(annotations.length).toBeGreaterThan(0);
      for (const { title, message, file = '' } of annotations) {
        expect(`${title} ${message} ${file}`).not.toMatch(OBEYED_BY_TERMINALS);
        expect(message.length).toBeLessThan(4_000);
        expect(title).not.toContain('\n');
        expect(message).not.toContain('\n');
        expect(file.split('/')).not.toContain('..');
        expect(file).not.toMatch(/^[/\\~]|^[a-z]+:/i);
      }
    }
  });

  it('never makes a history entry that is too large, or that cannot be read back', () => {
    for (const text of HOSTILE_HERE) {
      const { pipeline, state, records } = hostileInput(text.slice(0, 1_024));
      const facts = { ...FACTS, branch: text, sha: text, event: text, actor: text, trust: text, workflowFile: text };
      const { entry, gates } = ownHistory({ pipeline, state, records, facts, now: NOW, set: text });
      expect(Buffer.byteLength(`${entryLine(entry)}\n`)).toBeLessThanOrEqual(500);
      expect(Buffer.byteLength(gatesLine(gates))).toBeLessThanOrEqual(64 * 1_024);
      expect(parseHistoryEntry(JSON.parse(entryLine(entry)))).toEqual({ state: 'present', value: entry });
      expect(parseGatesEntry(JSON.parse(gatesLine(gates)))).toEqual({ state: 'present', value: gates });
    }
  });

  it('stays harmless and below any budget, whatever it is', () => {
    const piece = fc.oneof(
      fc.constantFrom(...HOSTILE_HERE.filter(({ length }) => length < 2_000)),
      fc.string({ unit: 'binary', maxLength: 30 }),
    );
    const text = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 30_000 }), (text, maxBytes) => {
        const { summaries, comments } = textsOf(hostileInput(text), maxBytes);
        expectSafe(summaries[0]!);
        expectSafe(summaries[1]!);
        expectSafe(comments[0]!);
        for (const markdown of summaries) {
          expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(maxBytes);
        }
      }),
      drawn(60),
    );
  });
});
