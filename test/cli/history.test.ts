import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { expectOk, gateline, gatelineYml, writes, type Answer } from './in-process.ts';

const PASSES = `printf '{"ok": true}' > "$GATELINE_OUTPUT"; printf '{"costUsd": 0.25, "inputTokens": 100, "model": "m-1", "tools": ["bash"]}' > "$GATELINE_METRICS"`;

interface Line {
  readonly [name: string]: unknown;
}

async function linesOf(workspace: ScratchWorkspace, file = 'history.jsonl'): Promise<Line[]> {
  const text = await readFile(workspace.path(`.state/${file}`), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

describe('gateline history', () => {
  it('lists what runs came to, the newest first, and keeps one entry a run', async () => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml({ a: { run: PASSES, inputs: [] }, b: { needs: 'a', run: 'exit 1', inputs: [] } }),
    });
    const say = (...args: string[]): Promise<Answer> => gateline(workspace.root, args);
    expect((await say('run', '-q', '--task', 'checkout')).code).toBe(1);
    const [failed] = await linesOf(workspace);
    expect(failed).toMatchObject({
      format: 'gateline-history/2',
      pipeline: 'p',
      run: 1,
      attempt: 1,
      status: 'error',
      gates: 2,
      passed: 1,
      failed: 1,
      cost: 0.25,
      tokens: 100,
      failure: { gate: 'b', kind: 'agent-error' },
      task: 'checkout',
      workflowFile: 'gateline.yml',
      models: ['m-1'],
      tools: ['bash'],
    });
    await workspace.write(
      'gateline.yml',
      gatelineYml({ a: { run: PASSES, inputs: [] }, b: { needs: 'a', run: writes(1), inputs: [] } }),
    );
    await expectOk(say('run', '-q', '--task', 'checkout'));
    expect((await linesOf(workspace)).map(({ run, attempt, status }) => [run, attempt, status])).toEqual([
      [1, 1, 'error'],
      [1, 2, 'completed'],
    ]);
    await expectOk(say('run', '-q'));
    const { out } = await expectOk(say('history'));
    expect(
      out
        .split('\n')
        .slice(1, -1)
        .map((line) => /^ *(\d+) .*(completed|error)/.exec(line)?.slice(1)),
    ).toEqual([
      ['2', 'completed'],
      ['1', 'completed'],
    ]);
    const json = JSON.parse((await expectOk(say('history', '--json', '--status', 'completed'))).out) as {
      entries: Line[];
    };
    expect(json.entries.map(({ run, reused = 0 }) => [run, reused])).toEqual([
      [2, 0],
      [1, 0],
    ]);
    expect(await readdir(workspace.path('.state/history/open'))).toEqual([]);
  });
});
