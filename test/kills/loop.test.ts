import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Task } from '../../src/run/tasks.ts';
import { pipeline, Project } from '../cli/support.ts';
import { bundlePrograms } from '../support/runner/bundle.ts';

/** Kills the loop where it is told to, once: in an agent, half-way, or in a hook of git. */
const KILL = 'die() { if [ -e "$KILLS/$1" ]; then rm "$KILLS/$1"; kill -9 "$(cat "$KILLS/pid")"; sleep 100000; fi; }';
/** The file of the task; that of the fifth is bad before its repair. */
const IMPLEMENT = `${KILL}
id=$(grep -m1 '"subject"' "$GATELINE_REQUEST" | cut -d'"' -f4)
mkdir -p src; echo half > "src/$id.txt"; die "implement-$id"
case "$GATELINE_TASK" in fix-*) die "fix-$id"; echo fixed > src/tool.txt;; esac
word=good; [ "$id" = t5 ] && [ ! -e src/tool.txt ] && word=bad
echo $word > "src/$id.txt"; echo '{}' > "$GATELINE_OUTPUT"`;
const TEST = `${KILL}
id=$(grep -m1 '"subject"' "$GATELINE_REQUEST" | cut -d'"' -f4)
die "test-$id"
echo "{\\"is\\": \\"$(cat "src/$id.txt")\\"}" > "$GATELINE_OUTPUT"; die "end-$id"`;
const GATES = {
  implement: { run: IMPLEMENT, files: ['src/**'], memory: ['handoff'] },
  test: { run: TEST, needs: 'implement', output: { checks: "output.is == 'good'" } },
};
const IDS = Array.from({ length: 10 }, (_, index) => `t${index}`);
/** Where the loop is killed, in order; numbers: after so many operations on the disk. */
const PHASES = [
  'implement-t0',
  'test-t1',
  'end-t2',
  'pre-commit',
  'post-commit',
  5,
  'end-t5',
  'fix-t5',
  40,
  'implement-t7',
  70,
];

it.skipIf(process.platform === 'win32')(
  'a loop of ten tasks that is killed in each phase does each task once, in one commit each',
  async () => {
    const folder = new Project({
      'gateline.yml': pipeline(GATES),
      'tasks.json': JSON.stringify({ subjects: IDS.map((id) => ({ id, task: `Make ${id}` })) }),
    });
    folder.commit();
    const kills = join(folder.outside, 'kills');
    folder.environment['KILLS'] = kills;
    mkdirSync(kills);
    for (const hook of ['pre-commit', 'post-commit'])
      folder.program(hook, `#!/bin/sh\n${KILL.replace('sleep 100000', 'exit 1')}\ndie ${hook}\n:\n`);
    folder.git('config', 'core.hooksPath', join(folder.outside, 'bin'));
    const cli = join(await bundlePrograms(), 'cli.mjs');
    const loop = (dieAt?: number): Promise<string> => {
      const preload = dieAt === undefined ? [] : ['--import', join(import.meta.dirname, 'die.ts')];
      const env = { ...folder.environment, DIE_AT: String(dieAt ?? 0), DIE_AFTER_MS: '0', DIE_WITH_GIT: 'true' };
      const child = spawn(process.execPath, [...preload, cli, 'loop', 'tasks.json', '-q'], {
        cwd: folder.root,
        env,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      writeFileSync(join(kills, 'pid'), String(child.pid));
      let text = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += String(chunk)));
      return new Promise((resolve) => child.on('exit', (code, signal) => resolve(signal ?? `${code} ${text}`)));
    };
    for (const phase of PHASES) {
      if (typeof phase === 'string') writeFileSync(join(kills, phase), '');
      const end = await loop(typeof phase === 'number' ? phase : undefined);
      expect(`${phase}: ${end}`).toBe(`${phase}: SIGKILL`);
      if (typeof phase === 'string') expect(existsSync(join(kills, phase))).toBe(false);
      // What a killed git leaves in the user's own repository, the user removes.
      rmSync(join(folder.root, '.git/index.lock'), { force: true });
    }
    expect(await loop()).toMatch(/^0 /);
    const commits = folder.git('log', '--reverse', '--format=> %s', '--name-only').split('> ').slice(2);
    const lines = commits.map((commit) => commit.trim().split(/\n+/).join(' '));
    const expected = IDS.map((id) => `${id}: Make ${id} src/${id}.txt`);
    const repair =
      'fix-t5-1: make t5 pass. test: check: output.is == \'good\': output.is is "bad". The task: Make t5 src/t5.txt src/tool.txt';
    expect(lines).toEqual([...expected.slice(0, 5), repair, ...expected.slice(6)]);
    expect(folder.git('status', '--porcelain')).toBe('');
    const { tasks } = await folder.json<{ tasks: Task[] }>('loop', 'tasks.json', '--dry-run');
    expect(tasks.map(({ id, status, retries }) => `${id} ${status} ${retries}`)).toEqual(
      IDS.map((id) => `${id} completed ${id === 't5' ? 1 : 0}`),
    );
  },
  300_000,
);
