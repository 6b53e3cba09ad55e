import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isRunning } from '../agent/attempt.ts';
import { statusOf } from '../support/command-line.ts';
import { readIfThere, ScratchWorkspace } from '../support/scratch-workspace.ts';

const PIPELINE = `
pipeline: long
subject: long
gates:
  long:
    inputs: []
    run: |
      echo "long $GATELINE_ATTEMPT $$" >> "$START_LOG"
      sleep 600 &
      echo $! > "$BESIDE/child.pid"
      wait
`;

describe.runIf(process.platform !== 'win32')('a run that is going on', () => {
  it('keeps a second engine out (exit 75), and ends with its whole tree and a record on Ctrl-C', async () => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': PIPELINE });
    const env = { BESIDE: workspace.beside('') };
    const first = workspace.start(['run', '-q', '--json'], { env });
    while (!(await readIfThere(workspace.beside('child.pid'))).endsWith('\n')) await sleep(20);
    const second = await workspace.gateline(['run', '-q'], { env });
    expect(second.code).toBe(75);
    expect(second.stderr).toContain(`process ${first.process.pid}`);
    expect(await workspace.starts()).toHaveLength(1);

    const pids = [(await workspace.starts())[0]!.pid, Number(await readIfThere(workspace.beside('child.pid')))];
    first.process.kill('SIGINT');
    const result = await first.ended;
    expect(result).toMatchObject({ code: 130, signal: null });
    expect(await Promise.all(pids.map(isRunning))).toEqual([false, false]);
    expect(statusOf(result).gates).toMatchObject([{ key: 'long', status: 'failed', verdict: { kind: 'cancelled' } }]);
    expect((await workspace.records()).map(({ kind }) => kind).toSorted()).toEqual(['ended', 'started']);
  });
});
