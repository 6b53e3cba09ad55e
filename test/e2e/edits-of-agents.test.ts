import { writeFile, rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { choicesOf, statusOf } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { someOf } from '../support/test-size.ts';

/**
 * Four gates; the third edits a tracked file that the first three read, the fourth says what it finds in that file, and
 * fails while `broken` is there.
 */
function pipeline({ inputs, files, edit }: Definition): string {
  const counts = inputs ? '    inputs: [src/**]\n' : '';
  const gate = (id: string, needs: string, rest: string, more: string): string => `
  ${id}:
${needs}${counts}${more}    run: |
      echo "$GATELINE_GATE $GATELINE_ATTEMPT $$" >> "$START_LOG"
      ${rest}
      echo "{\\"gate\\": \\"${id}\\", \\"found\\": \\"$(cat src/app.txt)\\"}" > "$GATELINE_OUTPUT"
`;
  return `
pipeline: edits
subject: edits
defaults:
  run:
    shell: sh
gates:
${gate('one', '', 'grep -q old src/app.txt', '')}
${gate('two', '    needs: one\n', 'grep -q old src/app.txt', '')}
${gate('three', '    needs: two\n', edit, `    files: ${files}\n`)}
${gate('four', '    needs: three\n', 'test ! -e "$BESIDE/broken"', '')}
`;
}

interface Definition {
  readonly inputs: boolean;
  readonly files: string;
  readonly edit: string;
}

const EDIT = "sed 's/old/new/' src/app.txt > src/app.tmp && mv src/app.tmp src/app.txt";
const COMMIT = `${EDIT} && git commit -q -a -m edited`;

const onDisk = (definition: Definition): Promise<ScratchWorkspace> =>
  ScratchWorkspace.create({ 'gateline.yml': pipeline(definition), 'src/app.txt': 'an old line\n' });

/** What the fourth gate found in the file. */
async function foundByFour(workspace: ScratchWorkspace): Promise<unknown> {
  const { stdout } = await workspace.gateline(['show', 'four', 'output']);
  return (JSON.parse(stdout) as { found: unknown }).found;
}

describe.runIf(process.platform !== 'win32')('a gate that edits a tracked file which gates before it read', () => {
  const edits = [
    ['hands all changes on', { inputs: true, files: 'changed', edit: EDIT }, 'an new line'],
    ['hands that file on', { inputs: true, files: '[src/app.txt]', edit: EDIT }, 'an new line'],
    ['hands nothing on', { inputs: true, files: '[]', edit: EDIT }, 'an old line'],
    ['commits it', { inputs: true, files: 'changed', edit: COMMIT }, 'an new line'],
    [
      'hands all changes on, where every tracked file counts',
      { inputs: false, files: 'changed', edit: EDIT },
      'an new line',
    ],
    ['commits it, where every tracked file counts', { inputs: false, files: 'changed', edit: COMMIT }, 'an new line'],
  ] as const;
  for (const [what, definition, found] of someOf(edits, 2)) {
    it(`changes nothing for them, nor in the user's folder: it ${what}`, async () => {
      await using workspace = await onDisk(definition);
      const env = { BESIDE: workspace.beside('') };
      const [before, commits] = [await workspace.files(), await workspace.git('log', '--all', '--format=%H %s')];
      await writeFile(workspace.beside('broken'), '');
      const failed = await workspace.gateline(['run', '-q'], { env });
      expect(failed, failed.stderr).toMatchObject({ code: 1 });
      expect(await workspace.startedGates()).toEqual(['four', 'one', 'three', 'two']);

      await rm(workspace.beside('broken'));
      await workspace.forgetStarts();
      const again = await workspace.gateline(['run', '-q'], { env });
      expect(again, again.stderr).toMatchObject({ code: 0 });
      expect(choicesOf(again)).toEqual({ one: 'keep', two: 'keep', three: 'keep', four: 'run' });
      expect(await workspace.startedGates()).toEqual(['four']);
      expect(await foundByFour(workspace)).toBe(found);
      expect(await workspace.files()).toEqual(before);
      expect(await workspace.git('log', '--all', '--format=%H %s')).toBe(commits);
      expect(await workspace.git('status', '--porcelain')).toBe('');
    });
  }

  it('is no reason for a new run to run anything, until its edit is applied: then the file is an input like any other', async () => {
    await using workspace = await onDisk({ inputs: true, files: 'changed', edit: EDIT });
    const env = { BESIDE: workspace.beside('') };
    expect(await workspace.gateline(['run', '-q'], { env })).toMatchObject({ code: 0 });
    await workspace.forgetStarts();
    const again = await workspace.gateline(['run', '-q', '--json'], { env });
    expect(again, again.stderr).toMatchObject({ code: 0 });
    expect(statusOf(again)).toMatchObject({ run: 2, status: 'completed' });
    expect(choicesOf(again)).toEqual({ one: 'reuse', two: 'reuse', three: 'reuse', four: 'reuse' });
    expect(await workspace.starts()).toEqual([]);

    const applied = await workspace.gateline(['apply']);
    expect(applied, applied.stderr).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^wrote src\/app\.txt\n/) as string,
    });
    expect(await workspace.read('src/app.txt')).toBe('an new line\n');
    const after = await workspace.gateline(['run', '-q'], { env });
    // The first gate refuses a file without an old line.
    expect(after, after.stderr).toMatchObject({ code: 1 });
    expect(choicesOf(after)).toMatchObject({ one: 'run' });
    expect(await workspace.startedGates()).toEqual(['one']);
  });
});
