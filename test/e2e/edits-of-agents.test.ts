import { writeFile, rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { choicesOf, statusOf } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';

/** Four gates; the third edits a tracked file that the first three read, the fourth fails while `broken` is there. */
function pipeline({ inputs, files, edit }: { inputs: boolean; files: string; edit: string }): string {
  const counts = inputs ? '    inputs: [src/**]\n' : '';
  const gate = (id: string, needs: string, rest: string, more: string): string => `
  ${id}:
${needs}${counts}${more}    run: |
      echo "$GATELINE_GATE $GATELINE_ATTEMPT $$" >> "$START_LOG"
      ${rest}
      echo '{"gate": "${id}"}' > "$GATELINE_OUTPUT"
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

const EDIT = "sed 's/old/new/' src/app.txt > src/app.tmp && mv src/app.tmp src/app.txt";

describe.runIf(process.platform !== 'win32')('a gate that edits a tracked file which gates before it read', () => {
  for (const [what, definition] of [
    ['hands all changes on', { inputs: true, files: 'changed', edit: EDIT }],
    ['hands that file on', { inputs: true, files: '[src/app.txt]', edit: EDIT }],
    ['hands nothing on', { inputs: true, files: '[]', edit: EDIT }],
    ['commits it', { inputs: true, files: 'changed', edit: `${EDIT} && git commit -q -a -m edited` }],
    ['hands all changes on, where every tracked file counts', { inputs: false, files: 'changed', edit: EDIT }],
    [
      'commits it, where every tracked file counts',
      { inputs: false, files: 'changed', edit: `${EDIT} && git commit -q -a -m edited` },
    ],
  ] as const) {
    it(`does not make them run again after the last gate failed: it ${what}`, async () => {
      await using workspace = await ScratchWorkspace.create({
        'gateline.yml': pipeline(definition),
        'src/app.txt': 'an old line\n',
      });
      const env = { BESIDE: workspace.beside('') };
      await writeFile(workspace.beside('broken'), '');
      const failed = await workspace.gateline(['run', '-q'], { env });
      expect(failed, failed.stderr).toMatchObject({ code: 1 });
      expect(await workspace.startedGates()).toEqual(['four', 'one', 'three', 'two']);
      expect(await workspace.read('src/app.txt')).toBe('an new line\n');

      await rm(workspace.beside('broken'));
      await workspace.forgetStarts();
      const again = await workspace.gateline(['run', '-q'], { env });
      expect(again, again.stderr).toMatchObject({ code: 0 });
      expect(choicesOf(again)).toEqual({ one: 'keep', two: 'keep', three: 'keep', four: 'run' });
      expect(await workspace.startedGates()).toEqual(['four']);
    });
  }

  it('is no reason for a new run to run anything, as long as nobody commits it', async () => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': pipeline({ inputs: false, files: 'changed', edit: EDIT }),
      'src/app.txt': 'an old line\n',
    });
    const env = { BESIDE: workspace.beside('') };
    expect(await workspace.gateline(['run', '-q'], { env })).toMatchObject({ code: 0 });
    await workspace.forgetStarts();
    const again = await workspace.gateline(['run', '-q', '--json'], { env });
    expect(again, again.stderr).toMatchObject({ code: 0 });
    expect(statusOf(again)).toMatchObject({ run: 2, status: 'completed' });
    expect(choicesOf(again)).toEqual({ one: 'reuse', two: 'reuse', three: 'reuse', four: 'reuse' });
    expect(await workspace.starts()).toEqual([]);
  });
});
