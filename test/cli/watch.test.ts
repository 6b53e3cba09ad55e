import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { expectOk, gateline, gatelineYml, writes } from './in-process.ts';

/** Lines of progress, without times. */
function linesOf(text: string): string[] {
  return text
    .split('\n\n')[0]!
    .replaceAll(/\d+\.\ds/g, '_s')
    .split('\n');
}

describe.runIf(process.platform !== 'win32')('watch', () => {
  it('waits for a run of another process, shows what happens in it, and then its status', async () => {
    await using workspace = await ScratchWorkspace.create({ f: '1' });
    const go = workspace.beside('go');
    // The second attempt prints nothing: whether a look falls into it is chance.
    const talk = `[ -e '${go}' ] || echo "one $TOKEN"; until [ -e '${go}' ]; do sleep 0.05; done; echo >> '${go}'; [ "$(wc -l < '${go}')" -ge 2 ] || exit 1`;
    const gates = {
      before: { run: writes(1), inputs: ['f'] },
      talk: { needs: 'before', run: `${talk}; ${writes(1)}`, retries: 1, secrets: ['TOKEN'], inputs: [] },
      after: { needs: 'talk', run: 'exit 1', inputs: [] },
    };
    await workspace.write('gateline.yml', gatelineYml(gates));
    const watching = workspace.start(['watch']);
    await once(watching.process.stderr!, 'data');
    let seen = '';
    watching.process.stdout!.on('data', (text) => (seen += String(text)));
    const running = workspace.start(['run', '--quiet'], { env: { TOKEN: 'tok-5f1d7c2e9b' } });
    await expect.poll(() => seen, { timeout: 60_000 }).toContain('talk | one ***\n');
    await writeFile(go, '');
    const { code, stdout, stderr } = await watching.ended;
    expect([code, stderr]).toEqual([0, 'waiting for a run to begin\n']);
    expect((await running.ended).code).toBe(1);
    const expected = [
      'talk: started (try 1 of at most 2)',
      'talk | one ***',
      'talk: failed',
      'talk: started (try 2 of at most 2)',
      'talk: passed, score 100, _s',
      'after: started',
    ];
    const lines = linesOf(stdout).map((line) =>
      line.replace(/^(talk: failed) \(agent-error\), .* Retrying with this feedback\.$/, '$1'),
    );
    expect(lines.filter((line) => expected.includes(line))).toEqual(expected);
    expect(lines.filter((line) => line.startsWith('after: failed (agent-error)'))).toHaveLength(1);
    const status = await expectOk(gateline(workspace.root, ['status']));
    expect(stdout.endsWith(`\n\n${status.out}`)).toBe(true);
    expect(await expectOk(gateline(workspace.root, ['watch']))).toMatchObject({ out: status.out, err: '' });
  });

  it('does not take a run for ended whose process has not begun the next attempt yet', async () => {
    await using workspace = await ScratchWorkspace.create({ f: '1' });
    const tries = workspace.beside('tries');
    const definition = gatelineYml({
      a: {
        run: `echo >> '${tries}'; [ "$(wc -l < '${tries}')" -ge 2 ] || exit 1; ${writes(1)}`,
        retries: 1,
        inputs: [],
      },
    });
    await workspace.write('gateline.yml', definition);
    const watching = workspace.start(['watch']);
    await once(watching.process.stderr!, 'data');
    let isHeld = false;
    const onDurable = (what: string): void => {
      if (isHeld || !what.includes('.ended.')) return;
      isHeld = true;
      // Many looks fall into this moment. The other process goes on while this one does nothing.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000);
    };
    await expectOk(gateline(workspace.root, ['run', '--quiet'], { onDurable }));
    expect(isHeld).toBe(true);
    const { stdout } = await watching.ended;
    expect(stdout).toContain('a: passed, score 100');
  });

  it('ends when the process that worked on the run was killed', async () => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml({
        a: { run: writes(1), inputs: [] },
        b: { needs: 'a', run: 'sleep 60', inputs: [] },
      }),
    });
    const running = workspace.start(['run']);
    await expect
      .poll(() => gateline(workspace.root, ['status']).then(({ out }) => out), { timeout: 60_000 })
      .toMatch(/b +running/);
    const watching = workspace.start(['watch', '--quiet']);
    await once(watching.process.stdout!, 'data');
    running.process.kill('SIGKILL');
    const { code, stdout } = await watching.ended;
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^p for main: continuing run 1, 1 of 2 gates done\n/)]);
    expect(stdout).toMatch(/\n1 +b +lost/);
  });
});
