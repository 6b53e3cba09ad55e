import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import type { Nodes } from 'mdast';
import { describe, expect, it } from 'vitest';
import { checkpointMarkdown } from '../../../src/report/markdown/checkpoint.ts';
import type { EndedRecord, GatelineRecord } from '../../../src/run/records/record.ts';
import { expectGolden } from '../golden.ts';
import {
  decided,
  ended,
  failedRun,
  exportsOf,
  gate,
  pipelineOf,
  ran,
  started,
  stateOf,
  webTests,
} from '../fixtures.ts';
import { CONTROLS, HOSTILE } from '../hostile.ts';

/** Every node of what GitHub would make of a text. */
function nodesOf(markdown: string): Nodes[] {
  const found: Nodes[] = [];
  const visit = (node: Nodes): void => {
    found.push(node);
    if ('children' in node) for (const child of node.children) visit(child);
  };
  visit(fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }));
  return found;
}

function headings(markdown: string): string[] {
  return markdown.split('\n').filter((line) => line.startsWith('#'));
}

function checkpoint(key: string, from: ReturnType<typeof stateOf>): string {
  return checkpointMarkdown({ unit: from.graph.get(key)!, graph: from.graph, state: from.state });
}

describe('the checkpoint of a gate', () => {
  it('of a gate that passed shows agent, score, metrics with MCPs, tools, tokens and cost, and the next step', () => {
    expectGolden('checkpoint-passed.md', checkpoint('dom', failedRun()), {
      contains: [
        '# Checkpoint: gate 2, `dom`',
        '| Agent | DOMAgent |',
        '| Score | 87 (threshold 80) |',
        '| Took | 13s |',
        /\| Fingerprint \| `[0-9a-f]{12}` \|/,
        '- MCPs executed: `playwright`, `memory`',
        '- Tools: `read_file`',
        '- Tokens: 1200 in, 340 out',
        '- Cost: USD 0.012',
        'The gates after it are done.',
        /## Self-audit\n\n- \[x\] State written: output `[0-9a-f]{12}`\n- \[x\] Outputs of earlier gates .*`design` \(passed\)\n/,
      ],
    });
  });

  it('audits what a gate was given and left: its state, outputs of earlier gates, documents', () => {
    const memory = ['deep-dive', 'handoff'];
    const pipeline = pipelineOf([gate('a', 0), gate('b', 1, { needs: ['a'], memory })]);
    const about = { pipeline };
    const audit = (...records: GatelineRecord[]): string =>
      /## Self-audit\n\n([^#]*)\n\n## /.exec(checkpoint('b', stateOf(records, about)))?.[1] ?? '';
    expect(audit(...ran('a', about))).toBe('');
    const both = [...ran('a', about), ...ran('b', about, { learnings: exportsOf('x') })];
    const documents = '- [x] Documents given, where they exist: `.gateline/memory/deep-dive.md`, `handoff`';
    expect(audit(...both).replace(/[0-9a-f]{12}/, 'DIGEST')).toBe(
      [
        '- [x] State written: output `DIGEST`',
        '- [x] Outputs of earlier gates loaded and checked: `a` (passed)',
        documents,
        '- [x] Learnings kept',
      ].join('\n'),
    );
    const replaced = { needs: {}, standIns: { a: 'file' } } as const;
    expect(audit(started('b', about, replaced), ended('b', about, replaced)).split('\n')[1]).toBe(
      '- [x] Outputs of earlier gates loaded and checked: `a` (stand-in: file)',
    );
    const { value: _, ...none } = ended('b', about);
    expect(audit(...ran('a', about), started('b', about), none).split('\n')).toEqual([
      '- [ ] State written: no output',
      '- [x] Outputs of earlier gates loaded and checked: `a` (passed)',
      documents,
    ]);
  });

  it('of a gate that failed shows the kind, each issue with its pointer, and what to do', () => {
    expectGolden('checkpoint-failed.md', checkpoint('execute', failedRun()), {
      contains: [
        '**failed** (check)',
        '## Issues (2)',
        '- error at `/finalStatus/passRate`',
        'Make the spec pass',
        'run `gateline run` again',
        '| Exit code | 0 |',
      ],
    });
  });

  it('of a reused gate says where its output came from, and no time that it did not take', () => {
    const text = checkpoint('data', failedRun());
    expect(text).toContain('| How | reused from run 2 |');
    expect(text).not.toContain('| Took |');
  });

  it('lists the files that are handed on apart from those that are not', () => {
    const text = checkpoint('pom', failedRun());
    expect(text).toContain(
      '## Files handed on (2)\n\n- added `tests/pages/registration.ts`\n- deleted `tests/old.ts`\n',
    );
    expect(text).toContain('## Files changed, but not handed on (1)\n\n- changed `package.json`\n');
    expect(text).toContain('Next: gate 4 `execute` (failed).');
  });

  it('of a skipped gate says who skipped it, why and until when', () => {
    const text = checkpoint('data', stateOf([decided('data', {}, { until: '2027-01-01T00:00:00.000Z' })]));
    expect(text).toContain('**skipped**: skipped by octocat: not today.');
    expect(text).toContain(
      '## Decision\n\nskip by octocat at 2026-01-02T03:00:30.000Z, until 2027-01-01T00:00:00.000Z: not today',
    );
  });

  it('of a lost attempt does not show what an attempt before it came to', () => {
    const writer = { host: 'host', boot: 'boot', pid: 8, pidStart: '2' };
    const records: GatelineRecord[] = [
      ...ran('data', {}, { verdict: { status: 'failed', kind: 'schema', score: 33, issues: [], advice: 'x' } }),
      started('data', { n: 2 }, { by: writer }),
    ];
    const text = checkpoint('data', stateOf(records, { deadWriters: new Set(['host|boot|8|2']) }));
    expect(text).toContain('**lost**');
    expect(text).toContain('| Attempt | attempt 2 (run 1) |');
    expect(text).not.toContain('33');
  });

  it('of a completed run says so, and of one that waits for approval says that', () => {
    const one = pipelineOf([gate('review', 0, { contract: { ...webTests.gates[0]!.contract, partial: 'pause' } })]);
    expect(checkpoint('review', stateOf(ran('review', { pipeline: one }), { pipeline: one }))).toContain(
      'Every gate is done.',
    );
    const partial: EndedRecord['verdict'] = { status: 'partial', kind: 'partial', score: 70, issues: [], advice: '' };
    expect(
      checkpoint('review', stateOf(ran('review', { pipeline: one }, { verdict: partial }), { pipeline: one })),
    ).toContain('approval');
  });

  it.each(HOSTILE)('does nothing with %j, in Markdown as in a terminal', (text) => {
    const pipeline = pipelineOf([gate('data', 0, { agent: text })]);
    const where = { pipeline, subject: text };
    const change = { path: text, before: null, after: { blob: 'b', mode: '100644' as const } };
    const records = [
      started('data', where),
      ended('data', where, {
        verdict: {
          status: 'failed',
          kind: 'schema',
          score: 0,
          advice: text,
          issues: [{ severity: 'error', message: text, pointer: text, rule: text }],
        },
        metrics: { model: text, session: text, tools: [text], mcps: [text, ''] },
        files: [change],
        touched: [change],
        signal: text,
      }),
    ];
    const rejected = decided('data', { ...where, n: 3 }, { decision: 'reject', actor: text, reason: text });
    for (const more of [[], [rejected]]) {
      const markdown = checkpoint('data', stateOf([...records, ...more], where));
      const nodes = nodesOf(markdown);
      const bad = nodes.filter(({ type }) =>
        [
          'html',
          'link',
          'image',
          'linkReference',
          'imageReference',
          'definition',
          'footnoteReference',
          'code',
        ].includes(type),
      );
      expect(bad).toEqual([]);
      expect(nodes.filter(({ type }) => type === 'heading')).toHaveLength(headings(markdown).length);
      expect(
        headings(markdown).every((line) =>
          /^#{1,2} (?:Checkpoint|Issues|Decision|Metrics|Files|Self-audit|Next)/.test(line),
        ),
      ).toBe(true);
      expect(nodes.filter(({ type }) => type === 'table')).toHaveLength(1);
      const prose = nodes.flatMap((node) => (node.type === 'text' ? [node.value] : [])).join('\n');
      expect(prose).not.toMatch(/@octocat|#1\b|GH-2/);
      expect(markdown).not.toContain('<!--');
      expect(markdown).not.toMatch(CONTROLS);
      expect(markdown).not.toMatch(/^\s*::|##\[/m);
    }
  });

  it('stays below its limit with the largest record that there can be, and counts what it leaves out', () => {
    const big = '<'.repeat(4_000);
    const files = Array.from({ length: 10_000 }, (_, at) => ({
      path: `${at}${big}`,
      before: null,
      after: { blob: 'b', mode: '100644' as const },
    }));
    const issues = Array.from({ length: 100 }, () => ({
      severity: 'error' as const,
      message: big,
      pointer: `/${big}`,
      rule: big,
    }));
    const names = Array.from({ length: 200 }, () => '`<'.repeat(100));
    const subject = '|'.repeat(1_024);
    const pipeline = pipelineOf([gate('data', 0, { agent: big })]);
    const records = [
      ended(
        'data',
        { pipeline, subject },
        {
          verdict: { status: 'failed', kind: 'schema', score: 0, advice: big.slice(0, 2_048), issues },
          metrics: { model: big.slice(0, 200), session: big.slice(0, 200), tools: names, mcps: names },
          files,
          touched: files,
        },
      ),
      decided('data', { pipeline, subject, n: 4 }, { decision: 'reject', actor: big.slice(0, 255), reason: big }),
    ];
    const text = checkpoint('data', stateOf(records, { pipeline, subject }));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_536);
    expect(text).toMatch(/- … and 99\d\d more\n/);
    expect(text).toContain('## Next step');
  });
});
