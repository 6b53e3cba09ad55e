import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { expectOk, gatelineIn, gatelineYml } from './in-process.ts';

/** Gates whose agents say that they started, and wait until they may end. */
async function waiting(): Promise<ScratchWorkspace> {
  const agent = (gate: string) =>
    `echo ${gate} >> "$BESIDE/starts"; until [ -e "$BESIDE/${gate}" ]; do sleep 0.05; done; echo '{}' > "$GATELINE_OUTPUT"`;
  const gate = (id: string, ...needs: string[]) => ({ run: agent(id), shell: 'sh', inputs: [], needs });
  return ScratchWorkspace.create({
    'gateline.yml': gatelineYml({ a: gate('a'), b: gate('b', 'a'), c: gate('c', 'b') }),
  });
}

/** Runs the pipeline, decides while `during` works, and lets every agent end. */
async function decidedWhile(workspace: ScratchWorkspace, during: string, ...decision: string[]) {
  const started = async (): Promise<string[]> =>
    existsSync(workspace.beside('starts')) ? (await readFile(workspace.beside('starts'), 'utf8')).split('\n') : [];
  const run = workspace.start(['run', '-q'], { env: { BESIDE: workspace.beside('') } });
  for (const gate of ['a', 'b', 'c'].slice(0, ['a', 'b', 'c'].indexOf(during))) await end(workspace, gate);
  while (!(await started()).includes(during)) await sleep(25);
  await expectOk(gatelineIn(workspace, ...decision, '--reason', 'looked at it'));
  for (const gate of ['a', 'b', 'c']) await end(workspace, gate);
  return { result: await run.ended, starts: (await started()).filter(Boolean) };
}

const end = (workspace: ScratchWorkspace, gate: string) => writeFile(workspace.beside(gate), '');

describe('what somebody decides while a run works', () => {
  it.each([
    ['pause', 3, 'paused'],
    ['close', 1, 'error'],
  ])('%s: the gate that works ends, and no other starts', async (decision, code, status) => {
    await using workspace = await waiting();
    const { result, starts } = await decidedWhile(workspace, 'a', decision);
    expect({ starts, code: result.code }).toEqual({ starts: ['a'], code });
    const after = await gatelineIn(workspace, 'status', '--json');
    expect(JSON.parse(after.out)).toMatchObject({ status });
  });

  it('a reject of what had passed: nothing after it starts, and the run is red', async () => {
    await using workspace = await waiting();
    const { result, starts } = await decidedWhile(workspace, 'b', 'reject', 'a');
    expect({ starts, code: result.code }).toEqual({ starts: ['a', 'b'], code: 1 });
  });

  it('a pause that is lifted: the next call continues', async () => {
    await using workspace = await waiting();
    await decidedWhile(workspace, 'a', 'pause');
    const env = { BESIDE: workspace.beside('') };
    const { code } = await workspace.start(['resume', '-q', '--reason', 'go on'], { env }).ended;
    expect(code).toBe(0);
    expect(await readFile(workspace.beside('starts'), 'utf8')).toBe('a\nb\nc\n');
  });
});
