import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { RunningCommand } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { expectOk, gateline, gatelineYml, writes } from './in-process.ts';

/** Lines of two streams come in any order. */
function sorted(text: string): string[] {
  return text.split('\n').toSorted();
}

describe.runIf(process.platform !== 'win32')('logs', () => {
  /** Prints, waits for a file, prints again; fails once. */
  const TALKS =
    'echo "one $TOKEN"; echo two >&2; until [ -e "$GO" ]; do sleep 0.05; done; echo three; echo >> "$GO"; [ "$(wc -l < "$GO")" -ge 2 ] || exit 1';

  async function talking(): Promise<ScratchWorkspace> {
    const run = `${TALKS}; ${writes({ ok: true })}`;
    const gates = {
      talk: { run, retries: 1, secrets: ['TOKEN'], inputs: [] },
      after: { needs: 'talk', run: 'exit 1' },
    };
    return ScratchWorkspace.create({ 'gateline.yml': gatelineYml(gates) });
  }

  /** A run whose agent has printed, and waits for the file `go`. */
  async function started(workspace: ScratchWorkspace): Promise<{ running: RunningCommand; go: string }> {
    const go = workspace.beside('go');
    const running = workspace.start(['run', '--quiet'], { env: { GO: go, TOKEN: 'tok-5f1d7c2e9b' } });
    await expect
      .poll(() => gateline(workspace.root, ['logs', 'talk']).then(({ out }) => sorted(out)), { timeout: 60_000 })
      .toEqual(sorted('one ***\ntwo\n'));
    return { running, go };
  }

  it('follow an agent and its retry in another process, without secrets, and print the same afterwards', async () => {
    await using workspace = await talking();
    const { running, go } = await started(workspace);
    const following = workspace.start(['logs', 'talk', '--follow']);
    await once(following.process.stdout!, 'data');
    await writeFile(go, '');
    const { code, stdout, stderr } = await following.ended;
    expect([code, sorted(stdout)]).toEqual([0, sorted('one ***\ntwo\nthree\none ***\ntwo\nthree\n')]);
    expect(stderr).toContain('talk: attempt 2');
    expect((await running.ended).code).toBe(1);
    const { out } = await expectOk(gateline(workspace.root, ['logs', 'talk', '--attempt', '1']));
    expect(out).toBe('one ***\nthree\ntwo\n');
  });

  it('of an attempt that was killed are what was seen', async () => {
    await using workspace = await talking();
    const { running, go } = await started(workspace);
    running.process.kill('SIGKILL');
    await running.ended;
    for (const args of [
      ['logs', 'talk'],
      ['logs', 'talk', '--follow'],
    ]) {
      expect(sorted((await expectOk(gateline(workspace.root, args))).out)).toEqual(sorted('one ***\ntwo\n'));
    }
    // The agent outlived its engine.
    await writeFile(go, '');
    const { code, err } = await gateline(workspace.root, ['logs', 'after']);
    expect([code, err]).toEqual([2, expect.stringContaining('gate after has no logs in this run')]);
  });
});
