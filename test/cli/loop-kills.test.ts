import { mkdir, rm, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { readIfThere, ScratchWorkspace } from '../support/scratch-workspace.ts';
import { expectOk, gatelineIn as here, gatelineYml } from './in-process.ts';

/** Writes a file of its own, notes something, and works for ever where it shall be killed. */
const WORK = `
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
const { subject, gate } = JSON.parse(readFileSync(process.env.GATELINE_REQUEST, 'utf8'));
appendFileSync(process.env.START_LOG, subject + ' ' + gate + '\\n');
writeFileSync(subject + '-' + gate + '.txt', 'ok');
writeFileSync(process.env.GATELINE_LEARNINGS, '- Learned from ' + subject + '\\n');
writeFileSync(process.env.GATELINE_OUTPUT, '{}');
if (process.env.WORKS_ON === gate) setInterval(() => undefined, 1_000);
`;

const GATES = {
  first: { run: 'node work.mjs', files: 'changed', inputs: ['tasks.json'] },
  second: { needs: 'first', run: 'node work.mjs', files: 'changed', inputs: ['tasks.json'] },
};

async function tasks(): Promise<ScratchWorkspace> {
  return ScratchWorkspace.create({
    'gateline.yml': gatelineYml(GATES, { learning: 'auto' }),
    'work.mjs': WORK,
    'tasks.json': JSON.stringify({ format: 'gateline-set/1', subjects: [{ id: 'a', task: 'Add a' }] }),
  });
}

const loop = ['loop', 'tasks.json', '--quiet', '--max-failures', '1'];

/** A loop that is killed while the agent of a gate works. */
async function killedIn(workspace: ScratchWorkspace, gate: string): Promise<void> {
  const running = workspace.start(loop, { env: { WORKS_ON: gate } });
  await expect.poll(() => readIfThere(workspace.startLog), { timeout: 20_000 }).toContain(`a ${gate}\n`);
  running.process.kill('SIGKILL');
  await running.ended;
}

/** The files of each commit after the first. */
async function committed(workspace: ScratchWorkspace): Promise<string[]> {
  const log = await workspace.git('log', '--reverse', '--format=>%s', '--name-only');
  return log
    .split('>')
    .slice(2)
    .map((one) => one.trim().split(/\n+/).join(' '));
}

const WHOLE = 'Add a .gateline/memory/learned-patterns.md a-first.txt a-second.txt';

describe.runIf(process.platform !== 'win32')('gateline loop, interrupted', () => {
  it('continues the run of a killed call: a kill is no failure of the task, and needs no fix', async () => {
    await using workspace = await tasks();
    await killedIn(workspace, 'second');
    const { out } = await expectOk(here(workspace, 'tasks', 'tasks.json', '--max-failures', '1'));
    expect(out).toMatch(/^a {2}in-progress {2}1 run {2}second lost: /m);
    await expectOk(here(workspace, ...loop));
    expect(await readIfThere(workspace.startLog)).toBe('a first\na second\na second\n');
    expect((await expectOk(here(workspace, 'tasks', 'tasks.json'))).out).toContain('a  done  1 run');
    expect(await committed(workspace)).toEqual([WHOLE]);
  });

  it('applies what the run made after a person applied what there was', async () => {
    await using workspace = await tasks();
    await killedIn(workspace, 'second');
    await expectOk(here(workspace, 'apply', '--subject', 'a'));
    expect(await workspace.read('a-first.txt')).toBe('ok');
    await expectOk(here(workspace, ...loop));
    expect(await committed(workspace)).toEqual([WHOLE]);
  });

  it('commits learnings with their task, also after the commit was refused at first', async () => {
    await using workspace = await tasks();
    const hook = workspace.path('.git/hooks/pre-commit');
    await mkdir(workspace.path('.git/hooks'), { recursive: true });
    await writeFile(hook, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    expect((await here(workspace, ...loop)).err).toContain('COMMIT_REFUSED');
    await rm(hook);
    await expectOk(here(workspace, ...loop));
    expect(await committed(workspace)).toEqual([WHOLE]);
    expect(await workspace.git('status', '--porcelain')).toBe('');
    // What a person changes later is no part of it.
    await workspace.write('.gateline/memory/learned-patterns.md', '# Learned patterns\n');
    await expectOk(here(workspace, ...loop));
    expect(await committed(workspace)).toEqual([WHOLE]);
    expect(await workspace.read('.gateline/memory/learned-patterns.md')).toBe('# Learned patterns\n');
  });

  it('adds what a run noted whose files nobody has applied yet', async () => {
    await using workspace = await tasks();
    await workspace.edit('gateline.yml', '"auto"', '"propose"');
    await expectOk(here(workspace, 'run', '--set', 'tasks.json', '--quiet'));
    await workspace.edit('gateline.yml', '"propose"', '"auto"');
    await expectOk(here(workspace, ...loop));
    expect(await committed(workspace)).toEqual([WHOLE]);
  });
});
