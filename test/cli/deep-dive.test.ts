import { describe, expect, it } from 'vitest';
import { deepDiveHeader } from '../../src/formats/agent-flow/read.ts';
import type { Freshness } from '../../src/local/learnings/memory.ts';
import { Project } from './support.ts';

const PATH = '.gateline/memory/deep-dive.md';

async function init(): Promise<Project> {
  const folder = new Project({ 'src/index.ts': 'x', 'src/auth/login.ts': 'y', 'test/login.test.ts': 'z' });
  await folder.expect('init --template deep-dive', 0);
  folder.edit('gateline.yml', '20 commits', '2 commits');
  folder.commit();
  return folder;
}

const refresh = async (folder: Project, ...words: readonly string[]) => {
  const answer = await folder.json<{ freshness: { isStale: boolean; reason: string }; result?: { ran: string[] } }>(
    'memory',
    'refresh',
    ...words,
  );
  return `${answer.freshness.reason}: ${answer.result?.ran.toSorted().join(' ') ?? 'not run'}`;
};
const ALL = 'compile explore/conventions explore/structure explore/testing synthesis';

const STALE: readonly (readonly [change: (text: string) => string, reason: string])[] = [
  [(text) => text.replace('2 commits', '30d').replace(/^generated: "\d+/m, 'generated: "2020'), 'made 2020-'],
  [(text) => text.replace('2 commits', 'soon'), '`stale_after` is no time, and no number of commits'],
  [
    (text) => text.replace(/^commit: "\w{40}/m, `commit: "${'a'.repeat(40)}`),
    'its commit aaaaaaaaaaaa is not in this clone',
  ],
  [(text) => text.replace(/^commit:.*\n/m, ''), 'it names no commit'],
  [(text) => text.replace('phase: "complete"', 'phase: "exploring"'), 'it is not complete: exploring'],
];

describe('a deep dive', () => {
  it('is made by explorers side by side, with the front matter of agent-flow, and made anew when it is stale', async () => {
    const folder = await init();
    expect(await refresh(folder)).toBe(`there is no such document: ${ALL}`);
    const document = folder.read(PATH)!;
    const head = folder.git('rev-parse', 'HEAD').trim();
    expect(deepDiveHeader(document)).toMatchObject({
      scope: 'full',
      focus_path: null,
      phase: 'complete',
      agent_count: 3,
      phases: { parallel_exploration: { status: 'complete', agents_spawned: 3, agents_completed: 3 } },
      commit: head,
      stale_after: '2 commits',
    });
    expect(document).toContain(
      '## Architecture Map\n\n| Component | Location | Purpose |\n| --- | --- | --- |\n| auth | src/auth/ | 1 files |\n',
    );
    expect(document.match(/^## .*$/gm)).toEqual(
      [
        'Repository Overview',
        'Architecture Map',
        'Conventions',
        'Anti-Patterns (DO NOT)',
        'Key Files Quick Reference',
        'Agent Notes',
      ].map((title) => `## ${title}`),
    );
    // The commit of the document itself says nothing about the code.
    folder.commit();
    const short = head.slice(0, 12);
    expect(await refresh(folder)).toBe(`0 of 2 commits since ${short}: not run`);
    await folder.expect('memory', 0, /^deep-dive +[\d.]+ KiB +\S+ +fresh: 0 of 2 commits/m);
    // The document is a file of its gate, and no input of the explorers.
    expect(await folder.choices()).not.toContain('run');
    for (const text of ['1', '2']) {
      folder.write('src/index.ts', text);
      folder.commit();
    }
    await folder.expect('memory', 0, /^deep-dive .*stale: 2 of 2 commits/m);
    expect(await refresh(folder)).toBe(`2 of 2 commits since ${short}: ${ALL}`);
    expect(folder.read(PATH)).not.toContain(head);
    expect(await refresh(folder, '--force')).toMatch(new RegExp(`^0 of 2 commits since .*: ${ALL}$`));
  });

  it('is stale by its front matter', async () => {
    const folder = await init();
    expect(await folder.run()).toBe('0: ');
    const document = folder.read(PATH)!;
    const reasonOf = async (text: string) => {
      folder.write(PATH, text);
      const { documents } = await folder.json<{ documents: { freshness: Freshness }[] }>('memory');
      return documents[0]!.freshness;
    };
    for (const [change, reason] of STALE)
      expect(await reasonOf(change(document))).toEqual({ isStale: true, reason: expect.stringContaining(reason) });
    folder.write(PATH, document.replace(/^---/, ''));
    expect(await refresh(folder)).toBe(`its front matter cannot be read: ${ALL}`);
    await folder.expect('memory', 0, 'fresh: 0 of 2 commits');
  });

  it('counts commits in its part of the code base only, and needs a gate that makes it', async () => {
    const folder = await init();
    folder.edit('gateline.yml', 'focus: null', 'focus: src/auth');
    expect(await folder.run()).toBe('0: ');
    expect(deepDiveHeader(folder.read(PATH)!)).toMatchObject({ scope: 'focused', focus_path: 'src/auth' });
    for (const path of ['src/index.ts', 'test/login.test.ts', 'src/auth/login.ts']) {
      folder.write(path, 'changed');
      folder.commit();
    }
    expect(await refresh(folder)).toMatch(/^1 of 2 commits since \w{12}: not run$/);
    folder.edit('gateline.yml', 'deep-dive.md', 'other.md');
    await folder.expect('memory refresh', 2, `no gate of deep-dive makes ${PATH}`);
  });
});
