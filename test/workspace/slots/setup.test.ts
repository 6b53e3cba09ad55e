import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProcessAgent } from '../../../src/agent/process/process-agent.ts';
import { runSetup, type SetupOptions } from '../../../src/workspace/slots/setup.ts';
import { UserAndTree } from '../work-tree.ts';

interface Told {
  readonly lines: string[];
  readonly setup: (options?: Partial<SetupOptions>) => ReturnType<typeof runSetup>;
}

function setupIn(both: UserAndTree): Told {
  const { from, to } = both;
  const lines: string[] = [];
  const agent = createProcessAgent({ graceMs: 100 });
  return {
    lines,
    setup: async (options = {}) =>
      runSetup({
        command: 'echo ready; echo ran >> count',
        shell: 'bash',
        from,
        to,
        workingDirectory: to,
        folder: both.folder.beside('tree.setup'),
        environment: both.folder.environment,
        secrets: [],
        start: async (task) => agent.run(task),
        signal: new AbortController().signal,
        onLine: (stream, line) => lines.push(`${stream} ${line}`),
        redact: (text) => text.replaceAll('hunter2', '***'),
        ...options,
      }),
  };
}

describe('the setup command', () => {
  it('runs once in a work tree, and again when it is another command', async () => {
    await using both = await UserAndTree.create();
    const { setup, lines } = setupIn(both);
    expect(await setup()).toBe('ran');
    expect(await setup()).toBe('current');
    expect(both.read('count')).toBe('ran\n');
    expect(lines).toEqual(['stdout ready']);
    expect(await setup({ command: 'echo again >> count' })).toBe('ran');
    expect(await setup({ command: 'echo again >> count', shell: 'sh' })).toBe('ran');
    expect(await setup({ command: 'echo again >> count', shell: 'sh' })).toBe('current');
    expect(both.read('count')).toBe('ran\nagain\nagain\n');
  });

  it('runs again in a work tree that was made anew at the same path', async () => {
    await using both = await UserAndTree.create();
    const { setup } = setupIn(both);
    await setup();
    mkdirSync(both.folder.beside('other'));
    rmSync(both.to, { recursive: true });
    mkdirSync(both.to);
    expect(await setup()).toBe('ran');
  });

  it('runs in the place of the workspace', async () => {
    await using both = await UserAndTree.create();
    both.inTree('web/package.json');
    const { setup, lines } = setupIn(both);
    await setup({ command: 'pwd', workingDirectory: join(both.to, 'web') });
    expect(lines).toEqual([`stdout ${both.to}/web`]);
  });

  it('gets no secrets, no variables of ours and none that tie git to a repository', async () => {
    await using both = await UserAndTree.create();
    const { setup, lines } = setupIn(both);
    const environment = {
      ...both.folder.environment,
      API_KEY: 'hunter2',
      PLAIN: 'yes',
      GATELINE_TOKEN: 'x',
      ACTIONS_RUNTIME_TOKEN: 'x',
      GIT_DIR: `${both.from}/.git`,
      GIT_INDEX_FILE: 'x',
      GIT_SSH_COMMAND: 'ssh -v',
    };
    const command =
      'echo "${API_KEY-}|${PLAIN-}|${GATELINE_TOKEN-}|${ACTIONS_RUNTIME_TOKEN-}|${GIT_DIR-}|${GIT_INDEX_FILE-}|${GIT_SSH_COMMAND-}"';
    await setup({ command, environment, secrets: ['API_KEY'] });
    expect(lines).toEqual(['stdout |yes|||||ssh -v']);
  });

  it('finds programs of the work tree where the caller has those of the folder', async () => {
    await using both = await UserAndTree.create();
    const { setup, lines } = setupIn(both);
    const { environment } = both.folder;
    await setup({
      command: 'echo "${PATH%%:*} $VIRTUAL_ENV $DATA"',
      environment: {
        ...environment,
        PATH: `${both.from}/node_modules/.bin:${environment['PATH']!}`,
        VIRTUAL_ENV: `${both.from}/.venv`,
        DATA: `${both.from}/data`,
      },
    });
    expect(lines).toEqual([`stdout ${both.to}/node_modules/.bin ${both.to}/.venv ${both.from}/data`]);
  });

  it('that fails is an error with the end of its output, and runs again the next time', async () => {
    await using both = await UserAndTree.create();
    const { setup, lines } = setupIn(both);
    const command = 'for n in $(seq 30); do echo "line $n hunter2" >&2; done; exit 3';
    await expect(setup({ command })).rejects.toMatchObject({
      code: 'SETUP_FAILED',
      fault: 'user',
      message: expect.stringMatching(
        / failed with exit code 3\. The end of its output:\n {2}\| line 11 \*\*\*\n[^]*\| line 30 \*\*\*$/,
      ),
    });
    expect(lines).toHaveLength(30);
    await expect(setup({ command })).rejects.toMatchObject({ code: 'SETUP_FAILED' });
  });

  it('that worked once and fails with another command leaves nothing that says it is ready', async () => {
    await using both = await UserAndTree.create();
    const { setup } = setupIn(both);
    await setup();
    await expect(setup({ command: 'exit 1' })).rejects.toThrow('It printed nothing.');
    expect(await setup()).toBe('ran');
  });

  it.each([
    [{ command: 'sleep 60', timeoutMs: 200 }, 'did not end within 0 minutes'],
    [{ command: 'kill -9 $$' }, 'was ended by SIGKILL'],
    [{ shell: 'no-such-shell {0}' }, 'could not be started: no-such-shell was not found on the PATH'],
  ])('%j', async (options, why) => {
    await using both = await UserAndTree.create();
    await expect(setupIn(both).setup(options)).rejects.toMatchObject({
      code: 'SETUP_FAILED',
      message: expect.stringContaining(why),
    });
  });

  it('that is cancelled is not taken for one that ended well', async () => {
    await using both = await UserAndTree.create();
    const { setup } = setupIn(both);
    const controller = new AbortController();
    const command = 'echo started; sleep 60';
    const onLine = (): void => controller.abort();
    expect(await setup({ command, signal: controller.signal, onLine })).toBe('cancelled');
    expect(await setup({ command: 'true' })).toBe('ran');
  });
});
