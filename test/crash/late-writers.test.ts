import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { isRunning } from '../agent/attempt.ts';
import { statusOf } from '../support/command-line.ts';
import { readIfThere, ScratchWorkspace } from '../support/scratch-workspace.ts';
import { IS_FULL, someOf } from '../support/test-size.ts';

/**
 * The agent: tells that it starts; after the kill (`killed` is there) it answers at once, or, beside a late writer from
 * `elsewhere`, lets that one write first. Before, it sleeps until it is told to go on (`go`, at most a minute), then
 * answers, writes its file, and tells that it did (`wrote`).
 */
const AGENT = {
  'slow.sh': `
echo "slow $GATELINE_ATTEMPT $$" >> "$START_LOG"
if [ -e "$BESIDE/killed" ]; then
  echo second > made.txt
  if [ "$WAY" = elsewhere ]; then
    touch "$BESIDE/go"
    until [ -e "$BESIDE/wrote" ]; do sleep 0.05; done
  fi
  echo '{"from": "second"}' > "$GATELINE_OUTPUT"
  exit 0
fi
case "$WAY" in
  plain) exec sh late.sh "$GATELINE_OUTPUT" "$BESIDE" made.txt ;;
  setsid) setsid sh late.sh "$GATELINE_OUTPUT" "$BESIDE" made.txt & ;;
  vanished) (env -i setsid sh late.sh "$GATELINE_OUTPUT" "$BESIDE" made.txt > /dev/null 2>&1 &) ;;
  elsewhere)
    cp late.sh "$BESIDE" && made="$PWD/made.txt"
    (cd / && env -i setsid sh "$BESIDE/late.sh" "$GATELINE_OUTPUT" "$BESIDE" "$made" > /dev/null 2>&1 &) ;;
esac
sleep 60
`,
  'late.sh': `
echo $$ > "$2/late.pid"
turns=0
until [ -e "$2/go" ] || [ $turns -ge 600 ]; do sleep 0.1; turns=$((turns + 1)); done
echo first > "$3"
echo '{"from": "first"}' > "$1"
touch "$2/wrote"
`,
};

const PIPELINE = `
pipeline: late
subject: writers
defaults:
  run:
    shell: sh
gates:
  slow:
    inputs: [slow.sh, late.sh]
    files: [made.txt]
    run: . ./slow.sh
  next:
    needs: slow
    inputs: [made.txt]
    run: |
      echo "next $GATELINE_ATTEMPT $$" >> "$START_LOG"
      echo "{\\"read\\": \\"$(cat made.txt)\\"}" > "$GATELINE_OUTPUT"
`;

type Way = 'plain' | 'setsid' | 'vanished' | 'elsewhere';

/** A workspace whose engine was killed while its agent sleeps. */
async function killedWhileAsleep(way: Way): Promise<{ workspace: ScratchWorkspace; pid: number }> {
  const workspace = await ScratchWorkspace.create({ ...AGENT, 'gateline.yml': PIPELINE, '.gitignore': 'made.txt\n' });
  const command = workspace.start(['run', '-q'], { env: { WAY: way, BESIDE: workspace.beside('') } });
  const late = workspace.beside('late.pid');
  await until(async () => (await readIfThere(late)).endsWith('\n'));
  command.process.kill('SIGKILL');
  expect((await command.ended).signal).toBe('SIGKILL');
  const pid = Number(await readFile(late, 'utf8'));
  expect(await isRunning(pid)).toBe(true);
  return { workspace, pid };
}

/** Lets the agents of later attempts answer at once. */
async function goOn(workspace: ScratchWorkspace, way: Way) {
  await writeFile(workspace.beside('killed'), '');
  const env = { WAY: way, BESIDE: workspace.beside('') };
  const result = await workspace.gateline(['run', '--json', '-q'], { env });
  expect(result, result.stderr).toMatchObject({ code: 0, signal: null });
  expect(statusOf(result).status).toBe('completed');
  return result;
}

/** What is kept of both gates, and what the first one hands on. */
async function whatCounts(workspace: ScratchWorkspace): Promise<unknown[]> {
  const show = async (gate: string): Promise<unknown> =>
    JSON.parse((await workspace.gateline(['show', gate, 'output'])).stdout) as unknown;
  const { stdout: patch } = await workspace.gateline(['diff', 'slow']);
  return [await show('slow'), await show('next'), /^\+(\w+)$/m.exec(patch)?.[1]];
}

const SECOND = [{ from: 'second' }, { read: 'second' }, 'second'];

/** What a slot holds of the file that agents write; '' when it is not there. */
async function madeIn(workspace: ScratchWorkspace, slot: number): Promise<string> {
  return (await readIfThere(join(workspace.trees, String(slot), 'tree', 'made.txt'))).trim();
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20);
}

describe.runIf(process.platform === 'linux')('an agent that sleeps past the kill of its engine and then writes', () => {
  it.runIf(IS_FULL)('is not used when it wrote before the run goes on', async () => {
    const { workspace, pid } = await killedWhileAsleep('plain');
    await using _ = workspace;
    await writeFile(workspace.beside('go'), '');
    await until(async () => existsSync(workspace.beside('wrote')) && !(await isRunning(pid)));
    expect(await madeIn(workspace, 0)).toBe('first');
    await goOn(workspace, 'plain');
    expect(await whatCounts(workspace)).toEqual(SECOND);
    expect(await workspace.startedGates()).toEqual(['next', 'slow', 'slow']);
    expect(await workspace.slots()).toEqual({ 2: 'idle' });
    expect(existsSync(workspace.path('made.txt'))).toBe(false);
  });

  for (const way of someOf(['setsid', 'plain'] as const, 1)) {
    it(`is ended when the run goes on (${way})`, async () => {
      const { workspace, pid } = await killedWhileAsleep(way);
      await using _ = workspace;
      const result = await goOn(workspace, way);
      expect(result.stderr).toContain(`process ${pid}, left by a killed run, was stopped`);
      expect(await isRunning(pid)).toBe(false);
      expect(existsSync(workspace.beside('wrote'))).toBe(false);
      expect(await whatCounts(workspace)).toEqual(SECOND);
    });
  }

  it('is not used when it writes, by an absolute path, while the next attempt is at work', async () => {
    const { workspace, pid } = await killedWhileAsleep('elsewhere');
    await using _ = workspace;
    await goOn(workspace, 'elsewhere');
    expect(existsSync(workspace.beside('wrote'))).toBe(true);
    await until(async () => !(await isRunning(pid)));
    expect(await whatCounts(workspace)).toEqual(SECOND);
  });

  it.runIf(IS_FULL)(
    'is not used when it got away and writes after all is done: its slot is kept for it alone, and deleted after it',
    async () => {
      const { workspace, pid } = await killedWhileAsleep('vanished');
      await using _ = workspace;
      await goOn(workspace, 'vanished');
      expect(await isRunning(pid)).toBe(true);
      expect(await workspace.slots()).toEqual({ 0: 'retired', 2: 'idle' });
      await writeFile(workspace.beside('go'), '');
      await until(async () => existsSync(workspace.beside('wrote')) && !(await isRunning(pid)));
      const { stdout } = await promisify(execFile)('grep', ['-rl', '"from": "first"', '.state'], {
        cwd: workspace.root,
      });
      expect(stdout.trim()).toMatch(/^\.state\/attempts\/[0-9a-f]{16}\/1\/late\.slow\._\.1\.1\/output\.json$/);
      expect(await madeIn(workspace, 0)).toBe('first');
      await workspace.forgetStarts();
      await goOn(workspace, 'vanished');
      expect(await whatCounts(workspace)).toEqual(SECOND);
      expect(await workspace.starts()).toEqual([]);
      expect(await workspace.slots()).toEqual({ 2: 'idle' });
    },
  );
});
