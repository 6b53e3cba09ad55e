import { describe, expect, it } from 'vitest';
import { DEEP_DIVE } from '../../src/cli/templates/deep-dive.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { expectOk, gateline, gatelineYml, writes } from './in-process.ts';

const DOCUMENT = '.gateline/memory/deep-dive.md';

const here = (workspace: ScratchWorkspace, ...args: string[]): ReturnType<typeof gateline> =>
  gateline(workspace.root, args);

/** Five files of a code base, and the pipeline that explores it. */
async function explored(): Promise<ScratchWorkspace> {
  const files = Object.fromEntries([1, 2, 3, 4, 5].map((number) => [`src/${number}.ts`, `${number}`]));
  const workspace = await ScratchWorkspace.create({ ...DEEP_DIVE.files, ...files });
  await expectOk(here(workspace, 'run', '--quiet'));
  return workspace;
}

/** The gates that a command started. */
const startedBy = ({ out, err }: { readonly out: string; readonly err: string }): string[] =>
  [...`${out}${err}`.matchAll(/^(\S+): started$/gm)].map(([, gate]) => gate!).toSorted();

const EXPLORERS = ['explore/conventions', 'explore/structure', 'explore/tests'];

const staleness = async (workspace: ScratchWorkspace): Promise<string> => {
  const { out } = await expectOk(here(workspace, 'memory', 'refresh', 'deep-dive', '--dry-run'));
  return out.split('. ')[0]!;
};

describe('gateline memory compile deep-dive', () => {
  it('writes what the synthesis found, who explored, and the commit', async () => {
    await using workspace = await explored();
    const { out } = await expectOk(here(workspace, 'memory', 'compile', 'deep-dive', '--focus', 'src/'));
    expect(out).toMatch(/^Wrote \.gateline\/memory\/deep-dive\.md from synthesis of run 1: \d+ bytes\.\n$/);
    const text = await workspace.read(DOCUMENT);
    expect(text).toContain('scope: focused\nfocus_path: src\n');
    expect(text).toContain('agents_spawned: 3\n    agents_completed: 3\n');
    expect(text).toContain(`commit: ${(await workspace.git('rev-parse', 'HEAD')).trim()}\n`);
    expect(text).toContain('| src | src/ | 5 files |');
    expect(await staleness(workspace)).toBe(
      'deep-dive is fresh: 0 of 5 files changed since it was made (0%, limit 20%)',
    );
  });

  it('keeps what an earlier version says about itself, unless an option says otherwise', async () => {
    await using workspace = await explored();
    await expectOk(here(workspace, 'memory', 'compile', 'deep-dive', '--focus', 'src', '--max-age', '30d'));
    await expectOk(here(workspace, 'memory', 'compile', 'deep-dive', '--stale-after', '50%'));
    const text = await workspace.read(DOCUMENT);
    expect(text).toContain('refresh when more than 50% of the files in src changed, or after 30d');
  });

  it('refuses outputs that are no findings, gates that are not done, and options that make no sense', async () => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml({ synthesis: { run: writes(1), inputs: [] }, b: { run: 'exit 1', inputs: [] } }),
    });
    const refused = async (...args: string[]): Promise<string> => {
      const { code, err } = await here(workspace, 'memory', 'compile', ...args);
      expect(code).toBe(2);
      return err;
    };
    expect(await refused('deep-dive')).toContain('DOCUMENT_NOT_COMPILED: gate synthesis is not what');
    await here(workspace, 'run', '--quiet');
    expect(await refused('deep-dive')).toContain('its output is not a set of findings');
    expect(await refused('deep-dive', '--gate', 'b')).toContain('DOCUMENT_NOT_COMPILED: gate b ');
    expect(await refused('deep-dive', '--gate', 'c')).toContain('GATE_UNKNOWN');
    expect(await refused('glossary')).toContain('only deep-dive and progress are');
    expect((await expectOk(here(workspace, 'memory'))).out).toContain('There are no documents.');
  });
});

describe('gateline memory refresh deep-dive', () => {
  it('does nothing while the document is fresh, and explores again when too much changed', async () => {
    await using workspace = await explored();
    await expectOk(here(workspace, 'memory', 'compile', 'deep-dive', '--focus', 'src'));
    await workspace.write('src/1.ts', 'changed');
    await workspace.write('README.md', 'is not below src');
    expect(await staleness(workspace)).toBe(
      'deep-dive is fresh: 1 of 5 files changed since it was made (20%, limit 20%)',
    );
    const before = await workspace.read(DOCUMENT);
    expect(startedBy(await expectOk(here(workspace, 'memory', 'refresh', 'deep-dive')))).toEqual([]);
    expect(await workspace.read(DOCUMENT)).toBe(before);

    await workspace.write('src/6.ts', 'not tracked yet');
    expect(await staleness(workspace)).toBe(
      'deep-dive is stale: 2 of 5 files changed since it was made (40%, limit 20%)',
    );
    const again = await expectOk(here(workspace, 'memory', 'refresh', 'deep-dive'));
    expect(startedBy(again)).toEqual([...EXPLORERS, 'synthesis']);
    expect(again.err).toContain('note: what changed is not committed: commit it and refresh again');
    await workspace.commitAll('Change');
    const committed = await expectOk(here(workspace, 'memory', 'refresh', 'deep-dive'));
    expect([startedBy(committed), committed.err]).toEqual([[], expect.not.stringContaining('not committed')]);
    expect(await workspace.read(DOCUMENT)).toContain('| src | src/ | 6 files |');
  });

  it('explores again what has not changed when the document is too old, or with --force', async () => {
    await using workspace = await explored();
    await expectOk(here(workspace, 'memory', 'compile', 'deep-dive', '--max-age', '30d'));
    const text = await workspace.read(DOCUMENT);
    await workspace.write(DOCUMENT, text.replace(/generated: .*/, 'generated: 2020-01-01T00:00:00Z'));
    expect(await staleness(workspace)).toBe(
      'deep-dive is stale: made 2020-01-01T00:00:00Z, and its maximum age is 30d',
    );
    expect(startedBy(await expectOk(here(workspace, 'memory', 'refresh', 'deep-dive')))).toEqual(EXPLORERS);
    const { out, err } = await expectOk(here(workspace, 'memory', 'refresh', 'deep-dive', '--force', '--json'));
    expect(JSON.parse(out)).toMatchObject({
      format: 'gateline-memory/1',
      name: 'deep-dive',
      run: 3,
      gate: 'synthesis',
    });
    expect(startedBy({ out: '', err })).toEqual(EXPLORERS);
  });

  it('says before a run that gates get a document that is out of date', async () => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml({ a: { run: writes(1), inputs: [], memory: ['deep-dive'] } }),
      [DOCUMENT]: '---\ngenerated: 2020-01-01T00:00:00Z\nmax_age: 1d\n---\n',
    });
    const note = 'note: a: deep-dive is stale: made 2020-01-01T00:00:00Z, and its maximum age is 1d';
    expect((await expectOk(here(workspace, 'plan'))).err).toContain(note);
    expect((await expectOk(here(workspace, 'run', '--quiet'))).err).toContain(note);
    await workspace.write(DOCUMENT, '# Notes of a person\n');
    expect((await expectOk(here(workspace, 'plan'))).err).not.toContain('stale');
    expect((await expectOk(here(workspace, 'memory'))).out).toContain('perhaps stale: its front matter cannot be read');
  });
});

it('gateline memory compile progress: what completed runs were to achieve, and what agents noted, each once', async () => {
  const NOTES = `echo '["Wait for the table"]' > "$GATELINE_LEARNINGS"`;
  await using workspace = await ScratchWorkspace.create({
    'gateline.yml': gatelineYml({ a: { run: `${NOTES}; ${writes(1)}`, inputs: [] } }),
  });
  await expectOk(here(workspace, 'run', '--quiet', '--subject', 'REQ-1.1', '--task', 'Implement the login'));
  await expectOk(here(workspace, 'memory', 'compile', 'progress', '1', '--subject', 'REQ-1.1'));
  const text = await workspace.read('.gateline/memory/progress.md');
  expect(text).toBe(
    '# Progress\n\n## Completed Tasks\n\n- [x] REQ-1.1: Implement the login\n\n## Learnings\n\n- Wait for the table\n',
  );
  await expectOk(here(workspace, 'memory', 'compile', 'progress', '--subject', 'REQ-1.1'));
  expect(await workspace.read('.gateline/memory/progress.md')).toBe(text);
});
