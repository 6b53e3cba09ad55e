import { describe, expect, it } from 'vitest';
import { VERDICT_KINDS } from '../../../src/verdict/verdict.ts';
import { KIND_MEANING } from '../../../src/report/wording.ts';
import { VERDICT_TEXT_LIMIT, verdictText } from '../../../src/report/terminal/verdict-text.ts';
import { ended, failedRun } from '../fixtures.ts';
import { HOSTILE, OBEYED_BY_TERMINALS } from '../hostile.ts';

describe('the text of a verdict', () => {
  it('has the kind, its meaning, each issue with pointer and rule, and what to do', () => {
    expect(verdictText(failedRun().state.units.get('execute')!.ended!)).toBe(
      [
        'execute, attempt 1 (run 3): failed (check)',
        '  A check of the contract failed.',
        '  score: 60',
        '  exit code: 0',
        '  took: 13s',
        '  2 issues:',
        '    1. error at /finalStatus/passRate: `output.finalStatus.passRate >= 90` is false: passRate is 60',
        '    2. warning: 2 tests are slow',
        '  what to do: Make the spec pass: 2 of 5 tests fail.',
        '',
      ].join('\n'),
    );
  });

  it('names the rule where the message does not, and the threshold where there is one', () => {
    const issues = [
      { severity: 'error' as const, message: 'too short', pointer: '/name', rule: '/properties/name/minLength' },
    ];
    const verdict = { status: 'failed' as const, kind: 'check' as const, score: 100, issues, advice: '' };
    const record = ended('data', {}, { verdict });
    const text = verdictText(record, { contract: { score: '/score', threshold: 70 } });
    expect(text).toContain('  score: 100 (threshold 70)\n');
    expect(text).toContain('1. error at /name: too short [/properties/name/minLength]\n');
    // A gate that asks for no score did not fail by one.
    expect(verdictText(record, { contract: { score: undefined, threshold: 0 } })).not.toContain('score');
  });

  it('differs for every kind of verdict', () => {
    const texts = VERDICT_KINDS.map((kind) =>
      verdictText(ended('data', {}, { verdict: { status: 'failed', kind, score: 0, issues: [], advice: 'x' } })),
    );
    expect(new Set(texts.map((text) => text.split('\n')[1])).size).toBe(VERDICT_KINDS.length);
    for (const meaning of Object.values(KIND_MEANING)) expect(meaning).toMatch(/^[A-Z].*\.$/);
  });

  it('says by which signal an agent ended and where a reused output came from', () => {
    const text = verdictText(
      ended('data', {}, { how: 'reused', source: { runNumber: 1, runAttempt: 4, n: 2 }, signal: 'SIGKILL' }),
    );
    expect(text).toContain('ended by signal: SIGKILL');
    expect(text).toContain('output reused from run 1');
  });

  it('stays below its limit with the largest verdict that there can be, and counts what it leaves out', () => {
    const big = '漢'.repeat(4_096);
    const issues = Array.from({ length: 100 }, () => ({
      severity: 'error' as const,
      message: big,
      pointer: `/${big.slice(1)}`,
      rule: big,
    }));
    const text = verdictText(
      ended(
        'data',
        {},
        { verdict: { status: 'failed', kind: 'schema', score: 0, issues, advice: big.slice(0, 2_048) } },
      ),
    );
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(VERDICT_TEXT_LIMIT);
    expect(text).toMatch(/… and \d+ more/);
  });

  it('lists what an attempt did with entities, and not more of a long list than a person reads', () => {
    const creates = Array.from({ length: 23 }, (_, at) => ({ entity: 'refs', instance: `@e${at}` }));
    const requires = [{ entity: 'page', instance: '' }];
    const text = verdictText(ended('data', {}, { effects: { creates, invalidates: [] } }), {
      uses: { requires, invalidates: [{ entity: 'refs', instance: 'a\n::error::b' }], creates: ['refs'] },
    });
    expect(text).toContain('\n  required: page\n  invalidated: refs/a ::error::b\n  created: refs/@e0, refs/@e1, ');
    expect(text).toContain('refs/@e19, and 3 more\n');
  });

  it.each(HOSTILE)('obeys nothing in %j', (payload) => {
    const issues = [{ severity: 'error' as const, message: payload, pointer: payload, rule: payload }];
    const text = verdictText(
      ended(
        'data',
        { leg: payload },
        { signal: payload, verdict: { status: 'failed', kind: 'schema', score: 0, issues, advice: payload } },
      ),
    );
    expect(text).not.toMatch(OBEYED_BY_TERMINALS);
    expect(text.split('\n')).toHaveLength(9);
  });
});
