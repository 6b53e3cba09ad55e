import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { expectOk, gateline } from './in-process.ts';

const here = (workspace: ScratchWorkspace, ...args: string[]): ReturnType<typeof gateline> =>
  gateline(workspace.root, args);

const read = (path: string): Promise<string> => readFile(join(REPOSITORY, path), 'utf8');

const PAGE = 'docs/recipes/from-agent-flow.md';
const ONE = '.claude/orchestration.local.md';
const TEAM = '.claude/team-orchestration.local.md';
const DIVE = '.claude/deep-dive.local.md';

/** The lines with which agent-flow looks at its files, and what they print of the exported files of its template. */
const MONITORING: readonly (readonly [line: string, prints: RegExp])[] = [
  [`head -30 ${ONE}`, /^---\nactive: false\n[^]*\n {2}exploration:\n {4}status: "passed"\n/],
  [`grep '^current_phase:' ${ONE}`, /^current_phase: "complete"\n$/],
  [`grep '^iteration:' ${ONE}`, /^iteration: 1\n$/],
  [
    `grep 'deep_dive:' -A4 ${ONE}`,
    /^deep_dive:\n {2}available: true\n {2}using: \w+\n {2}scope: "full"\n {2}generated: "/,
  ],
  [`head -50 ${TEAM}`, /^---\nactive: false\n[^]*mode: "team"\n[^]*parallel_groups:\n/],
  [`grep '^mode:' ${TEAM}`, /^mode: "team"\n$/],
  [`grep '^current_phase:' ${TEAM}`, /^current_phase: "complete"\n$/],
  [
    `grep 'parallel_groups:' -A15 ${TEAM}`,
    /^parallel_groups:\n {2}review_verification:\n[^]*"APPROVED"[^]*"VERIFIED"\n/,
  ],
  [`grep -A4 'review:' ${TEAM}`, /^ {4}review:\n {6}status: "passed"\n {6}agent: "Lawliet"\n/],
  [`grep -A4 'verification:' ${TEAM}`, / {4}verification:\n {6}status: "passed"\n {6}agent: "Alphonse"\n/],
  [`head -30 ${DIVE}`, /^---\ngenerated: "[^]*\n# Deep-Dive Context\n/],
  [`grep '^phase:' ${DIVE}`, /^phase: "complete"\n$/],
  [`grep '^scope:' ${DIVE}`, /^scope: "full"\n$/],
];

const CLEAN_UP = ['rm -f .claude/*.local.md', `rm -f ${ONE}`, `rm -f ${TEAM}`];

/** The flags of each of its scripts. */
const FLAGS: Readonly<Record<string, readonly string[]>> = {
  'init-orchestration.sh': ['--use-deep-dive', '--max-iterations'],
  'init-team-orchestration.sh': ['--use-deep-dive', '--force-sequential', '--max-iterations'],
  'update-orchestration-state.sh': ['--phase', '--gate-result', '--agent', '--message', '--complete'],
  'update-team-state.sh': ['--parallel-group', '--teammate'],
  'init-deep-dive.sh': ['--scope full', '--scope focused', '--focus-path', '--refresh'],
  'compile-deep-dive.sh': [
    '--tech-stack',
    '--entry-points',
    '--key-patterns',
    '--overview',
    '--architecture',
    '--conventions',
    '--antipatterns',
    '--quick-reference',
    '--agent-notes',
    '--mark-complete',
  ],
};

/** The template of agent-flow with a deep dive, committed; with or without its group. */
async function flow({ isTeam = true } = {}): Promise<ScratchWorkspace> {
  const workspace = await ScratchWorkspace.create({ 'README.md': 'x' });
  await expectOk(here(workspace, 'init', '--template', 'agent-flow'));
  await workspace.write('.gateline/memory/deep-dive.md', await read('test/fixtures/seeds/deep-dive.local.md'));
  const text = await workspace.read('gateline.yml');
  if (!isTeam) await workspace.write('gateline.yml', text.replace(/^groups:\n(?: .*\n)+/m, ''));
  await workspace.commitAll('agents');
  return workspace;
}

const shell = (workspace: ScratchWorkspace, line: string): string =>
  execFileSync('sh', ['-c', line], { cwd: workspace.root, encoding: 'utf8' });

describe('what agent-flow is used with', () => {
  it('has a row in the recipe: lines that look, lines that remove, and flags of scripts', async () => {
    const page = await read(PAGE);
    const lines = MONITORING.map(([line]) => line).concat(CLEAN_UP);
    for (const line of lines) expect(page).toContain(`\n| \`${line}\` | `);
    const rows = page
      .slice(page.indexOf('## Flags of its scripts'))
      .split('\n')
      .filter((row) => row.startsWith('| `'));
    for (const [script, flags] of Object.entries(FLAGS)) {
      expect(
        rows.some((row) => row.includes(script)),
        script,
      ).toBe(true);
      for (const flag of flags)
        expect(
          rows.some((row) => row.includes(flag)),
          `${script} ${flag}`,
        ).toBe(true);
    }
  });

  it('prints the same of exported files, of one agent after another and of a team', async () => {
    for (const isTeam of [false, true]) {
      await using workspace = await flow({ isTeam });
      await expectOk(here(workspace, 'run', '--quiet'));
      await expectOk(here(workspace, 'export', 'agent-flow'));
      const lines = MONITORING.filter(([line]) => !line.includes(isTeam ? ONE : TEAM));
      expect(lines.length).toBeGreaterThan(6);
      for (const [line, prints] of lines) expect(shell(workspace, line), line).toMatch(prints);
    }
  });

  it('removes files that are written again, and nothing that a run needs', async () => {
    await using workspace = await flow();
    await expectOk(here(workspace, 'run', '--quiet', '--mirror', 'agent-flow'));
    const before = await workspace.read(TEAM);
    const { out: status } = await here(workspace, 'status', '--json');
    for (const line of CLEAN_UP) shell(workspace, line);
    expect(shell(workspace, 'ls .claude')).toBe('');
    expect((await here(workspace, 'status', '--json')).out).toBe(status);
    await expectOk(here(workspace, 'export', 'agent-flow'));
    expect(await workspace.read(TEAM)).toBe(before);
  });

  it('shows in an export whether gates had the deep dive, as their requests say', async () => {
    await using workspace = await flow();
    const exported = async (): Promise<unknown> => {
      await expectOk(here(workspace, 'export', 'agent-flow'));
      return / {2}using: (.*)\n[^]*Deep-Dive Context: (.*)\n/.exec(await workspace.read(TEAM))?.slice(1);
    };
    await expectOk(here(workspace, 'run', '--quiet', '--memory', 'deep-dive', '--gate', 'exploration'));
    expect(await exported()).toEqual(['true', 'Available and in use']);
    await expectOk(here(workspace, 'run', '--quiet', '--memory', 'deep-dive'));
    expect(await exported()).toEqual(['true', 'Available and in use']);
    // The next run does the work again without it, and the one after it takes what was made with it from the first.
    await expectOk(here(workspace, 'run', '--quiet', '--new'));
    expect(await exported()).toEqual(['false', 'Available but not requested']);
    await expectOk(here(workspace, 'run', '--quiet', '--new', '--memory', 'deep-dive'));
    expect(await exported()).toEqual(['true', 'Available and in use']);
    expect((await here(workspace, 'status')).out).toContain('reused');
    await expectOk(here(workspace, 'export', 'agent-flow', '--run', '2'));
    expect(await workspace.read(TEAM)).toContain('using: false');
  });

  it('shows what the flags of a call say, while it runs', async () => {
    await using workspace = await flow();
    const task = ['--task', 'Complex task'];
    const flags = [...task, '--max-iterations', '20', '--memory', 'deep-dive', '--sequential'];
    const first = await workspace.read('agents/exploration.sh');
    const file = JSON.stringify(join(workspace.root, 'seen.md'));
    await workspace.write('agents/exploration.sh', `cp ${TEAM} ${file}\n${first}`);
    await workspace.commitAll('looks');
    await expectOk(here(workspace, 'run', '--quiet', '--mirror', 'agent-flow', ...flags));
    for (const path of [TEAM, 'seen.md']) {
      const text = await workspace.read(path);
      for (const said of ['task: "Complex task"', 'max_iterations: 20', 'mode: "sequential"', 'using: true'])
        expect(text, path).toContain(said);
    }
  });
});
