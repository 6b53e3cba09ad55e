import { existsSync } from 'node:fs';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
function decidedWhile(workspace: ScratchWorkspace, during: string, ...decision: string[]) {
  const decide = () => expectOk(gatelineIn(workspace, ...decision, '--reason', 'looked at it'));
  return doneWhile(workspace, during, decide);
}

/** Runs the pipeline, does something while `during` works, and lets every agent end. */
async function doneWhile(workspace: ScratchWorkspace, during: string, what: () => Promise<unknown>) {
  const started = async (): Promise<string[]> =>
    existsSync(workspace.beside('starts')) ? (await readFile(workspace.beside('starts'), 'utf8')).split('\n') : [];
  const run = workspace.start(['run', '-q'], { env: { BESIDE: workspace.beside('') } });
  for (const gate of ['a', 'b', 'c'].slice(0, ['a', 'b', 'c'].indexOf(during))) await end(workspace, gate);
  while (!(await started()).includes(during)) await sleep(25);
  await what();
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

  it('something that only a newer version understands: no other gate starts', async () => {
    await using workspace = await waiting();
    const { result, starts } = await doneWhile(workspace, 'a', async () => {
      const folder = join(workspace.root, '.state/runs/main/1');
      const claim = (await readdir(folder)).find((name) => name.endsWith('.1.1.1.started.json'))!;
      const text = (await readFile(join(folder, claim), 'utf8')).replace('gateline-record/2', 'gateline-record/3');
      await writeFile(workspace.beside('new.json'), text);
      await rename(workspace.beside('new.json'), join(folder, claim.replace('.1.1.1.started', '.1.2.0.decided.hold')));
    });
    expect(starts).toEqual(['a']);
    expect(result.code).not.toBe(0);
    expect((await gatelineIn(workspace, 'run')).err).toContain('RECORD_TOO_NEW');
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

  it('before it, about an entity: the run that goes on knows it, and ends', async () => {
    const first = { run: 'echo 1 > "$GATELINE_OUTPUT"', shell: 'sh', inputs: [] };
    const last = { ...first, needs: 'first', requires: 'session' };
    const definition = gatelineYml({ first, last }, { entities: { session: null } });
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': definition });
    const run = async () => {
      const running = workspace.start(['run', '-q']);
      // One that never ends is killed, and has no code.
      const longest = setTimeout(() => running.process.kill('SIGKILL'), 30_000);
      const result = await running.ended;
      clearTimeout(longest);
      return result;
    };
    expect((await run()).code).toBe(1);
    for (const action of ['create', 'invalidate'])
      await expectOk(gatelineIn(workspace, 'entities', action, 'session', '--reason', 'looked at it'));
    expect((await run()).code).toBe(1);
    await expectOk(gatelineIn(workspace, 'entities', 'create', 'session', '--reason', 'looked at it'));
    expect((await run()).code).toBe(0);
  });
});
