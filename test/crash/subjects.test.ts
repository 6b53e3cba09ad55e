import { expect, it } from 'vitest';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { killAfter } from './kill-points.ts';

const FILES = {
  'gateline.yml': [
    'pipeline: p',
    'defaults: { run: { shell: sh } }',
    'gates:',
    '  first: { inputs: a.txt, run: \'echo first 1 1 >> "$START_LOG"; echo 1 > "$GATELINE_OUTPUT"\' }',
    '  second: { needs: first, inputs: a.txt, run: \'echo second 1 1 >> "$START_LOG"; echo 2 > "$GATELINE_OUTPUT"\' }',
    '',
  ].join('\n'),
  'a.txt': 'a\n',
  '.gitignore': '.state/\n',
};

/** The operations that write the index of outputs. */
async function indexWrites(pristine: ScratchWorkspace): Promise<number[]> {
  await using workspace = await pristine.copy();
  const { operations } = await killAfter(workspace, Infinity, {});
  return operations.flatMap((what, index) => (what.includes('checkpoints.jsonl') ? [index + 1] : []));
}

it('another branch reuses every output after a kill while their index was written', { timeout: 600_000 }, async () => {
  await using pristine = await ScratchWorkspace.create(FILES);
  const points = await indexWrites(pristine);
  // Made for the first gate, then one line for each output.
  expect(points).toHaveLength(3);
  for (const point of points) {
    await using workspace = await pristine.copy();
    const { result } = await killAfter(workspace, point, {});
    expect(result.signal, String(point)).toBe('SIGKILL');
    expect(await workspace.gateline(['run', '-q'])).toMatchObject({ code: 0 });
    await workspace.git('checkout', '-q', '-b', 'feature');
    await workspace.forgetStarts();
    expect(await workspace.gateline(['run', '-q'])).toMatchObject({ code: 0 });
    expect(await workspace.starts(), String(point)).toEqual([]);
  }
});
