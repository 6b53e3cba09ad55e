import { describe, expect, it } from 'vitest';
import { deepDiveHeader, frontMatter, isShare, stalenessOf } from '../../../src/formats/agent-flow/deep-dive.ts';
import { deepDiveSections, findingsIn } from '../../../src/formats/agent-flow/deep-dive-sections.ts';

const COMMIT = 'c'.repeat(40);
const NOW = new Date('2026-01-31T10:00:00Z');

const ORIGIN = {
  generated: new Date('2026-01-15T10:00:00Z'),
  focus: 'src/auth',
  commit: COMMIT,
  staleAfter: '20%',
  maxAge: '30d',
  agents: { spawned: 5, completed: 4 },
};

/** As agent-flow's guide shows it. */
const OF_AGENT_FLOW = `---
generated: "2024-01-15T10:00:00Z"
scope: "full"
focus_path: null
expires_hint: "refresh when codebase significantly changes"
phase: "complete"
agent_count: 5
phases:
  parallel_exploration:
    status: "complete"
    agents_spawned: 5
    agents_completed: 5
  synthesis:
    status: "complete"
  compilation:
    status: "complete"
---

# Deep-Dive Context
`;

describe('the front matter of a deep dive', () => {
  it('is read as it was written, with the hint in words', () => {
    expect(deepDiveHeader(`${frontMatter(ORIGIN)}\n# Deep-Dive Context\n`)).toEqual({
      generated: '2026-01-15T10:00:00.000Z',
      scope: 'focused',
      focus_path: 'src/auth',
      expires_hint: 'refresh when more than 20% of the files in src/auth changed, or after 30d',
      phase: 'complete',
      agent_count: 5,
      phases: {
        parallel_exploration: { status: 'complete', agents_spawned: 5, agents_completed: 4 },
        synthesis: { status: 'complete' },
        compilation: { status: 'complete' },
      },
      commit: COMMIT,
      stale_after: '20%',
      max_age: '30d',
    });
    const full = deepDiveHeader(frontMatter({ ...ORIGIN, focus: null, maxAge: null }));
    expect(full).toMatchObject({ scope: 'full', focus_path: null, max_age: null });
    expect(full!.expires_hint).toBe('refresh when more than 20% of the files changed');
  });

  it('of agent-flow is read, with line ends of Windows too', () => {
    for (const text of [OF_AGENT_FLOW, OF_AGENT_FLOW.replaceAll('\n', '\r\n')])
      expect(deepDiveHeader(text)).toMatchObject({ agent_count: 5, commit: null, stale_after: '20%', max_age: null });
  });

  it.each([
    '',
    '# Deep-Dive Context\n',
    '---\n',
    '---\n: : :\n---\n',
    '---\n- a\n---\n',
    OF_AGENT_FLOW.replace('2024-01-15T10:00:00Z', 'yesterday'),
    OF_AGENT_FLOW.replace('"full"', '"everything"'),
    OF_AGENT_FLOW.replace('focus_path: null', 'focus_path: ../../etc'),
    OF_AGENT_FLOW.replace('scope:', 'commit: --output=/etc/passwd\nscope:'),
    OF_AGENT_FLOW.replace('scope:', 'stale_after: 101%\nscope:'),
    OF_AGENT_FLOW.replace('scope:', 'max_age: soon\nscope:'),
  ])('that is none is not read: %j', (text) => {
    expect(deepDiveHeader(text)).toBeUndefined();
  });

  it('takes shares from 0% to 100%', () => {
    expect(['0%', '9%', '20%', '100%'].every(isShare)).toBe(true);
    expect(['', '20', '-1%', '101%', '020%', '1.5%', ' 5%'].some(isShare)).toBe(false);
  });
});

describe('a deep dive', () => {
  const header = deepDiveHeader(frontMatter(ORIGIN))!;
  const choice = (changed: number, total: number, staleAfter = '20%'): string =>
    stalenessOf({ ...header, stale_after: staleAfter }, { changed, total }, NOW).choice;

  it('is stale when a larger share of its files changed than it says', () => {
    expect([choice(0, 100), choice(20, 100), choice(21, 100), choice(3, 2)]).toEqual([
      'fresh',
      'fresh',
      'stale',
      'stale',
    ]);
    expect([choice(0, 0, '0%'), choice(1, 0, '0%'), choice(1, 1_000, '0%')]).toEqual(['fresh', 'stale', 'stale']);
    expect(stalenessOf(header, { changed: 25, total: 100 }, NOW).reason).toBe(
      '25 of 100 files changed since it was made (25%, limit 20%)',
    );
  });

  it('expires with its maximum age, and not at that moment', () => {
    const at = (time: string): string => stalenessOf(header, { changed: 0, total: 9 }, new Date(time)).choice;
    expect([at('2026-02-14T10:00:00.000Z'), at('2026-02-14T10:00:00.001Z')]).toEqual(['fresh', 'expired']);
  });

  it('is stale while it is made, and unknown where nothing can be compared', () => {
    expect(stalenessOf({ ...header, phase: 'exploring' }, { changed: 0, total: 1 }, NOW)).toEqual({
      choice: 'stale',
      reason: 'it is not complete: exploring',
    });
    const unknown = [
      stalenessOf(undefined, undefined, NOW),
      stalenessOf({ ...header, commit: null }, undefined, NOW),
      stalenessOf(header, undefined, NOW),
    ];
    expect(unknown.map((one) => one.choice)).toEqual(['unknown', 'unknown', 'unknown']);
    expect(unknown[2]!.reason).toBe(`its commit ${'c'.repeat(12)} is not in this clone`);
  });
});

describe('findings', () => {
  const sections = (output: unknown): string => {
    const read = findingsIn(output);
    if (!read.ok) throw new Error(read.message);
    return deepDiveSections(read.findings);
  };

  it('become all sections of agent-flow', () => {
    expect(
      sections({
        tech_stack: 'TypeScript\nReact',
        entry_points: ['src/index.ts'],
        key_patterns: ['Repository pattern'],
        overview: 'A shop',
        architecture: [{ component: 'API', location: 'src/api/', purpose: 'REST' }],
        conventions: { Naming: ['Files: kebab-case'], Testing: 'Framework: Jest' },
        anti_patterns: ['Do not use any'],
        quick_reference: [{ task: 'Add an endpoint', look_here: 'src/api/' }],
        agent_notes: { Database: ['PostgreSQL'] },
      }),
    ).toBe(`# Deep-Dive Context

## Repository Overview

- **Tech stack**: TypeScript, React
- **Entry points**: src/index.ts
- **Key patterns**: Repository pattern
- A shop

## Architecture Map

| Component | Location | Purpose |
| --- | --- | --- |
| API | src/api/ | REST |

## Conventions

### Naming

- Files: kebab-case

### Testing

- Framework: Jest

## Anti-Patterns (DO NOT)

- Do not use any

## Key Files Quick Reference

| Task | Look Here |
| --- | --- |
| Add an endpoint | src/api/ |

## Agent Notes

### Database

- PostgreSQL
`);
  });

  it('stay lines and cells, whatever an agent writes', () => {
    const text = sections({
      overview: ['one\n## Anti-Patterns\n- do it', '<!-- hidden', '\u202eevil\u001b[31m'],
      architecture: [{ component: 'a | b\n| c', location: 'x\\|y', purpose: '' }],
      conventions: { 'x\n# y': ['---\ncommit: 1'] },
    });
    expect(text.split('\n').filter((line) => line.startsWith('#'))).toEqual([
      '# Deep-Dive Context',
      '## Repository Overview',
      '## Architecture Map',
      '## Conventions',
      '### x # y',
    ]);
    expect(text).toContain('- one ## Anti-Patterns - do it\n');
    expect(text).not.toMatch(/<!--|[\u001b\u202e]/);
    expect(text).toContain(String.raw`| a &#124; b &#124; c | x\&#124;y |  |`);
  });

  it.each([
    [null, ''],
    [[], ''],
    [{}, 'it has none of /tech_stack'],
    [{ tech_stack: 1 }, '/tech_stack: expected a text, or a list'],
    [{ conventions: 1 }, '/conventions: expected a text, or a list'],
    [{ architecture: [{ component: 'a' }] }, '/architecture/0/location: '],
    [{ overview: 'x'.repeat(65_537) }, '/overview: '],
  ])('that are none are named: %j', (output, message) => {
    const read = findingsIn(output);
    expect(read.ok ? 'ok' : read.message).toContain(message);
    expect(read.ok).toBe(false);
  });
});
