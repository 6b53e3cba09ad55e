import { execFileSync } from 'node:child_process';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agent, pipeline, Project } from './support.ts';

/** Copies what it is given to a folder beside the project, and notes what it learned. */
const AGENT = `mkdir -p "$OUT"; cp -r "$GATELINE_MEMORY/." "$OUT"; cp "$GATELINE_REQUEST" "$OUT/request.json"; echo "$LEARNED" > "$GATELINE_LEARNINGS"; ${agent()}`;

function project(gates: Readonly<Record<string, object>>, documents: Readonly<Record<string, string>> = {}): Project {
  const files = Object.entries(documents).map(([name, text]) => [`.gateline/memory/${name}.md`, text] as const);
  const made = new Project({ 'gateline.yml': pipeline(gates), ...Object.fromEntries(files) });
  made.environment['OUT'] = join(made.outside, 'given');
  made.environment['LEARNED'] = '';
  return made;
}

const read = (folder: Project, name: string) =>
  execFileSync('cat', [join(folder.environment['OUT']!, name)], { encoding: 'utf8' });

describe('a document that a gate names', () => {
  const gates = { read: { run: AGENT, memory: ['style'] }, other: { inputs: undefined, needs: 'read' } };

  it('is given to its agent as a copy, and only its change runs that gate again', async () => {
    const folder = project(gates, { style: '# Style\n' });
    expect(await folder.run()).toBe('0: read other');
    expect(read(folder, 'style.md')).toBe('# Style\n');
    const { memory } = JSON.parse(read(folder, 'request.json')) as { memory: Record<string, { file: string }> };
    expect(memory['style']!.file).toMatch(/\.state\/attempts\/.*\/memory\/style\.md$/);
    expect(await folder.run()).toBe('0: ');
    folder.write('.gateline/memory/style.md', '# New style\n');
    // Also for a gate that reads all files, other documents are no inputs.
    folder.write('.gateline/memory/more.md', 'x');
    expect(await folder.why('read')).toBe('run: a memory document changed: style');
    expect(await folder.run()).toBe('0: read');
    expect(await folder.run('--memory', 'more')).toBe('0: read other');
    expect(read(folder, 'more.md')).toBe('x');
    expect(await folder.run('--isolated', '--new')).toBe('0: ');
  });

  it.each([
    ['run', '', 'error: gateline.yml:4:3: read needs the document style, and there is no .gateline/memory/style.md'],
    ['plan', '', 'write it, or remove style from `memory` of read'],
    ['begin read', '', 'there is no .gateline/memory/style.md'],
    ['run --memory ../x', 'style', '../x is no name of a document'],
    ['run --memory y', 'style', 'needs the document y'],
  ])('is missed before an agent starts: %s %s', async (words, name, text) => {
    const folder = project(gates, name === '' ? {} : { [name]: '' });
    await folder.expect(words, 2, text);
    expect(folder.ran()).toBe('');
  });

  it('may be made by a gate before', async () => {
    const write = { run: `mkdir -p .gateline/memory; echo made > .gateline/memory/style.md; ${agent()}` };
    const files = ['.gateline/memory/style.md'];
    const folder = project({ write: { ...write, files }, read: { run: AGENT, memory: ['style'], needs: 'write' } });
    expect(await folder.run()).toBe('0: write read');
    expect(read(folder, 'style.md')).toBe('made\n');
    expect(await folder.run()).toBe('0: ');
    folder.remove('.gateline/memory/style.md');
    expect(await folder.run()).toBe('0: ');
    expect(folder.read('.gateline/memory/style.md')).toBe('made\n');
  });
});

describe('the handoff', () => {
  it('tells an agent what was done, what failed and what was learned, and is no part of its request', async () => {
    const gates = {
      plan: {
        run: `echo '- Look before you leap' > "$GATELINE_LEARNINGS"; ${agent({ message: 'five steps' })}`,
        output: { message: '/message' },
      },
      build: {
        needs: 'plan',
        run: `cat "$GATELINE_HANDOFF" > "$OUT"; ${agent({ ok: false })}`,
        memory: 'handoff',
        output: { checks: 'output.ok' },
      },
    };
    const folder = project(gates);
    await folder.expect(['run', '--task', 'Build ```it'], 1);
    const first = execFileSync('cat', [folder.environment['OUT']!], { encoding: 'utf8' });
    expect(first).toContain('## Task\n\n````text\nBuild ```it\n````\n');
    expect(first).toContain('## Done\n\n```text\nplan: five steps\n```\n');
    expect(first).toContain('## Learnings\n\n```text\nLearnings: Look before you leap\n```\n');
    expect(first).not.toContain('## Failed');
    const { handoff } = await folder.json<{ handoff: string }>('status', '--handoff', '--task', 'Build ```it');
    expect(handoff).toContain('## Failed\n\n```text\nbuild: check: output.ok');
    expect(handoff).toContain('## Next\n\n```text\nmake build pass\n```\n');

    expect(folder.ran()).toBe('plan build');
    folder.edit('gateline.yml', '\\"ok\\":false', '\\"ok\\":true');
    expect(await folder.run('--task', 'Build ```it')).toBe('0: build');
    expect(execFileSync('cat', [folder.environment['OUT']!], { encoding: 'utf8' })).toContain('## Failed');
    // What it says has changed; what is asked has not.
    await folder.expect('memory promote', 0, 'added Learnings: Look before you leap');
    expect(await folder.run('--task', 'Build ```it')).toBe('0: ');
    await folder.expect(['status', '--handoff'], 0, /^# Handoff\n(?![^]*leap)/);
  });
});

describe('what agents learn', () => {
  const gates = { a: { run: AGENT, memory: ['handoff'] }, b: { needs: 'a' } };

  it('is listed, promoted once, and in progress.md by itself', async () => {
    const folder = project(gates, { 'learned-patterns': '# Learned Patterns\n\n## Code Style\n- Use early returns\n' });
    folder.environment['LEARNED'] =
      '# Notes\n## Error handling\n- Wrap async calls\n\n## code style\n* use EARLY returns\n- Prefer const <!-- x\n';
    await folder.expect(['run', '--task', 'Add a\nlogin'], 0);
    expect(folder.read('.gateline/memory/progress.md')).toBe(
      '# Progress\n\n## Completed Tasks\n- [x] main: Add a login\n\n## Learnings\n- Error handling: Wrap async calls\n- code style: use EARLY returns\n- code style: Prefer const &lt;!-- x\n',
    );
    const memory = '.gateline/memory/learned-patterns.md';
    const at = new Date('2026-01-02T03:04:05Z');
    utimesSync(join(folder.root, memory), at, at);
    expect(await folder.json('memory')).toMatchObject({
      documents: [
        { name: 'learned-patterns', bytes: 54, modified: at.toISOString(), path: memory },
        { name: 'progress' },
      ],
      learnings: [
        { gate: 'a', text: 'Wrap async calls' },
        { heading: 'code style', text: 'Prefer const &lt;!-- x' },
      ],
    });
    await folder.expect('memory promote b', 0, 'There is nothing new.');
    await folder.expect('memory promote c', 2, 'the pipeline has no gate c');
    await folder.expect('memory promote a', 0, 'added Error handling: Wrap async calls');
    expect(folder.read(memory)!.replace(/<!-- learned \w+ -->/g, '#')).toBe(
      '# Learned Patterns\n\n## Code Style\n- Use early returns\n- Prefer const &lt;!-- x #\n\n## Error handling\n- Wrap async calls #\n',
    );
    // Who words it anew keeps the comment.
    folder.edit(memory, 'Wrap async calls', 'Catch what async calls throw');
    await folder.expect('memory promote', 0, 'There is nothing new.');
    await folder.expect('memory', 0, /^document +size +modified\nlearned-patterns +\d+ bytes/);
    expect(folder.ran()).toBe('a b');
    expect(await folder.run('--task', 'Add a\nlogin')).toBe('0: ');
  });

  it('is nowhere but in the log without a folder for documents', async () => {
    const folder = project(gates);
    folder.environment['LEARNED'] = 'A first one,\nin two lines.\n\nA second one.';
    expect(await folder.run()).toBe('0: a b');
    expect(folder.read('.gateline/memory/progress.md')).toBeUndefined();
    await folder.expect(
      'memory',
      0,
      'There are no documents.\n2 new learnings (`gateline memory promote` keeps them):\na: Learnings: A first one, in two lines.',
    );
    await folder.expect('memory promote', 0, 'added');
    expect(folder.read('.gateline/memory/learned-patterns.md')).toMatch(
      /^# Learned Patterns\n\n## Learnings\n- A first/,
    );
  });

  it('is in the files of dev-loop, with the handoff, if it is mirrored there', async () => {
    const folder = new Project({ 'gateline.yml': pipeline(gates, { mirror: 'dev-loop' }) });
    Object.assign(folder.environment, { OUT: join(folder.outside, 'given'), LEARNED: '- A pattern' });
    folder.write('.gateline/memory/learned-patterns.md', '# Learned Patterns\n');
    expect(await folder.run('-t', 'Add a')).toBe('0: a b');
    expect(folder.read('.devloop/handoff.md')).toContain('## Learnings\n\n```text\nLearnings: A pattern\n```');
    expect(folder.read('.devloop/progress.md')).toContain('- [x] main: Add a\n');
    expect(folder.read('.devloop/learned-patterns.md')).toBe('# Learned Patterns\n');
    expect(await folder.run('-t', 'Add a')).toBe('0: ');
  });

  it('does not follow a link out of the folder', async () => {
    const folder = project({ a: { run: `ln -s "$HOME" .gateline/memory; ${agent()}` } });
    folder.write('.gateline/x', '');
    expect(await folder.run()).toBe('0: a');
    await folder.expect('memory', 2, '.gateline/memory is no folder, or a link to one');
  });
});
