import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { running } from '../agent/attempt.ts';
import { COMMAND_LINE, plainEnvironment } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline, gatelineYml, writes } from './in-process.ts';

const OWN = gatelineYml({
  a: { run: writes({ x: 1 }), inputs: [] },
  own: { needs: 'a', inputs: [], output: { checks: ["metadata.level == 'high'"] } },
  after: { needs: 'own', run: writes(1), inputs: [] },
});

/** Runs a script in a shell that has `gateline`. */
async function shell(workspace: ScratchWorkspace, script: string): Promise<{ stdout: string; stderr: string }> {
  const command = workspace.beside('gateline');
  await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' '${COMMAND_LINE}' "$@"\n`);
  await chmod(command, 0o755);
  const environment = plainEnvironment();
  const env = { ...environment, PATH: `${workspace.beside('.')}:${environment['PATH']}` };
  return promisify(execFile)('sh', ['-c', script], { cwd: workspace.root, env });
}

describe('an agent that runs by itself', () => {
  it('begins and completes in a shell, and every end of begin is one of the shell', async () => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': OWN });
    const { stdout } = await shell(
      workspace,
      `gateline begin own >/dev/null 2>&1; echo "blocked $?"
       eval "$(gateline begin own 2>/dev/null)"; echo "blocked in eval $?"
       gateline run -q -m level=high >/dev/null; echo "run waits $?"
       GATELINE_TOKEN=stale
       eval "$(gateline begin own -m level=high)" && [ -n "\${GATELINE_TOKEN:-}" ] && { echo '{}' > "$GATELINE_OUTPUT"; echo "begun"; }
       ( eval "$(gateline begin own -m level=high 2>/dev/null)"; echo "second $? [\${GATELINE_TOKEN:-}]" )
       gateline run -q -m level=high >/dev/null; echo "run waits $?"
       gateline complete --exit-code 0 >/dev/null; echo "complete $?"
       gateline complete >/dev/null 2>&1; echo "again $?"
       eval "$(gateline begin own -m level=high)"; echo "nothing to do $? [\${GATELINE_TOKEN:-}]"
       gateline run -q -m level=high >/dev/null; echo "run $?"`,
    );
    expect(stdout.trimEnd().split('\n')).toEqual([
      'blocked 2',
      'blocked in eval 2',
      'run waits 3',
      'begun',
      'second 75 []',
      'run waits 3',
      'complete 0',
      'again 2',
      'nothing to do 0 []',
      'run 0',
    ]);
  });

  it('is left alone by runs, and so is what its user started from that shell, also after its deadline', async () => {
    const brief = gatelineYml({ own: { inputs: [], 'timeout-minutes': 1 }, a: { run: writes(1), inputs: [] } });
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': brief });
    const pids = workspace.beside('pids');
    const late = { now: () => new Date(Date.now() + 2 * 60_000) };
    try {
      await shell(
        workspace,
        `eval "$(gateline begin own 2>/dev/null)" || exit 1
         sleep 600 >/dev/null 2>&1 & echo $! > '${pids}'
         setsid sleep 600 >/dev/null 2>&1 & echo $! >> '${pids}'`,
      );
      const started = (await readFile(pids, 'utf8')).trim().split('\n').map(Number);
      expect((await workspace.gateline(['run', '-q', '--gate', 'a'])).code).toBe(0);
      expect(await running(started)).toEqual(started);
      expect((await gateline(workspace.root, ['run', '-q', '--gate', 'a'], late)).code).toBe(0);
      expect(await running(started)).toEqual(started);
    } finally {
      for (const pid of (await readFile(pids, 'utf8')).trim().split('\n')) process.kill(Number(pid), 'SIGKILL');
    }
  });

  it('is what comes next, where nothing else can start', async () => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml({
        first: { run: 'echo {} > "$GATELINE_OUTPUT"', shell: 'sh' },
        own: { needs: ['first'] },
      }),
    });
    const { out } = await gateline(workspace.root, ['run', '-q']);
    expect(out).toContain('The agent of own runs by itself: `gateline begin own`, then `gateline complete`.');
    expect(out).not.toContain('Run `gateline run` to continue');
  });

  it('is judged with the metadata that it was begun with, and its failure is recorded', async () => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': OWN });
    await gateline(workspace.root, ['run', '-q']);
    const begun = JSON.parse((await gateline(workspace.root, ['begin', 'own', '--json'])).out);
    expect(begun).toMatchObject({ format: 'gateline-begin/1', gate: 'own', choice: 'run' });
    await writeFile(begun.variables.GATELINE_OUTPUT, '{}');
    const completed = await gateline(workspace.root, ['complete', '--json', '--token', begun.token]);
    expect(JSON.parse(completed.out)).toMatchObject({ status: 'failed', verdict: { kind: 'check' } });
    expect(completed.code).toBe(1);
    const again = await gateline(workspace.root, ['complete', '--token', begun.token]);
    expect(again).toMatchObject({ code: 2, err: expect.stringContaining('ALREADY_COMPLETED') });
    const failed = JSON.parse((await gateline(workspace.root, ['begin', 'own', '--json'])).out);
    const agentFailed = await gateline(workspace.root, ['complete', '--token', failed.token, '--exit-code', '7']);
    expect(agentFailed.out).toContain('own, attempt 2 (run 1): failed (agent-error)');
    expect(agentFailed.out).toContain(
      'The agent of own runs by itself: `gateline begin own`, then `gateline complete`.',
    );
  });

  it('says in one voice which gates run again because of what it edited', async () => {
    const gates = gatelineYml({
      make: { run: `echo made > made.txt; ${writes(1)}`, inputs: [], files: ['made.txt'] },
      lint: { needs: 'make', run: writes(1), inputs: ['made.txt', 'src.txt'] },
      other: { run: writes(1), inputs: [] },
      after: { needs: 'lint', run: writes(1), inputs: [] },
      // It edits what it reads, and a file that lint is given by make.
      impl: { inputs: ['src.txt'], files: ['src.txt'] },
      last: { needs: 'impl', run: 'exit 1', inputs: [] },
    });
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gates, 'src.txt': 'a', 'made.txt': 'old' });
    const here = (args: readonly string[]) =>
      gateline(workspace.root, args, { environment: plainEnvironment(workspace.variables()) });
    await here(['run', '-q']);
    await here(['apply']);
    const { token, variables } = JSON.parse((await here(['begin', 'impl', '--json'])).out);
    await workspace.write('src.txt', 'b');
    await workspace.write('made.txt', 'edited');
    await writeFile(variables.GATELINE_OUTPUT, '1');
    const { out, err } = await here(['complete', '--token', token]);
    expect(err).toContain('lint: src.txt changed in the folder and is among its inputs: the gate will run again\n');
    expect(err).toMatch(/impl: src.txt .* edits what it reads. To avoid that, begin it with `--tree` or leave/);
    expect(out).toContain('Run `gateline run` to continue: make and other will be reused.');
    const plan = JSON.parse((await here(['plan', '--json'])).out);
    expect(plan.gates.map(({ key, choice }: Record<string, string>) => `${key} ${choice}`)).toEqual(
      expect.arrayContaining(['make keep', 'other keep', 'lint run', 'impl wait']),
    );
  });

  it('does not begin while a run is going on, which would start the gate too', async () => {
    const both = gatelineYml({ slow: { run: 'sleep 30', shell: 'sh', inputs: [] }, own: { inputs: [] } });
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': both });
    const run = workspace.start(['run', '--gate', 'slow']);
    while (!existsSync(workspace.path('.state/attempts'))) await new Promise((resolve) => setTimeout(resolve, 20));
    const begun = await workspace.gateline(['begin', 'own', '--json']);
    expect(begun).toMatchObject({ code: 75, stdout: expect.stringContaining('ENGINE_BUSY') as string });
    run.process.kill('SIGINT');
    expect((await run.ended).code).toBe(130);
  });

  it('two that begin at once: one has the gate, the other is told so', async () => {
    const alone = gatelineYml({ own: { inputs: [] } });
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': alone });
    const both = await Promise.all([1, 2, 3].map(() => workspace.gateline(['begin', 'own', '--json'])));
    expect(both.map(({ code }) => code).toSorted((a, b) => a! - b!)).toEqual([0, 75, 75]);
    const refused = both.filter(({ code }) => code === 75).map(({ stdout }) => JSON.parse(stdout));
    for (const error of refused) {
      expect(error).toMatchObject({ format: 'gateline-error/1' });
      expect(['GATE_CLAIMED', 'ENGINE_BUSY']).toContain(error.code);
    }
  });

  it.each([
    [['--token', 'nonsense'], 'TOKEN_INVALID'],
    [['--token', 'e30'], 'TOKEN_INVALID'],
    [['--exit-code', '-1', '--token', 'x'], 'OPTION_VALUE'],
    [['--exit-code=-1', '--token', 'x'], 'OPTION_VALUE: --exit-code -1'],
    [['--exit-code=', '--token', 'x'], 'OPTION_VALUE: --exit-code : expected'],
  ])('complete %j is refused', async (args, said) => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': OWN });
    expect(await gateline(workspace.root, ['complete', ...args])).toMatchObject({
      code: 2,
      err: expect.stringContaining(said),
    });
  });

  it('is told where to complete when it is still in its work tree', async () => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml({ own: { inputs: [] } }) });
    const environment = plainEnvironment(workspace.variables());
    const begun = await gateline(workspace.root, ['begin', 'own', '--tree', '--json'], { environment });
    const { token, variables, workspace: tree } = JSON.parse(begun.out);
    const inTree = { environment: { ...environment, ...variables, GATELINE_TOKEN: token, GATELINE_WORKSPACE: tree } };
    expect(await gateline(tree, ['complete'], inTree)).toMatchObject({
      code: 2,
      err: expect.stringMatching(new RegExp(`TOKEN_UNKNOWN[^]*where it was begun: \`cd ${workspace.root}\``)) as string,
    });
  });

  it('with a token of elsewhere, or one that ran out, is refused and can begin again', async () => {
    const brief = gatelineYml({ own: { inputs: [], 'timeout-minutes': 1 } });
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': brief });
    await using elsewhere = await ScratchWorkspace.create({ 'gateline.yml': brief });
    const { token } = JSON.parse((await gateline(workspace.root, ['begin', 'own', '--json'])).out);
    const complete = (root: string, minutes: number) =>
      gateline(root, ['complete', '--token', token], { now: () => new Date(Date.now() + minutes * 60_000) });
    expect((await complete(elsewhere.root, 0)).err).toContain('TOKEN_UNKNOWN');
    expect((await complete(workspace.root, 2)).err).toContain('CLAIM_EXPIRED');
    const late = { now: () => new Date(Date.now() + 2 * 60_000) };
    expect((await gateline(workspace.root, ['begin', 'own'], late)).code).toBe(0);
    expect((await complete(workspace.root, 0)).err).toContain('CLAIM_EXPIRED');
  });
});
