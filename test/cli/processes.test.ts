import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMAND_LINE, REPOSITORY, plainEnvironment } from '../support/command-line.ts';
import { readIfThere, ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gatelineYml, writes } from './in-process.ts';

/** An agent with a child and a grandchild that ignore being asked; they write their pids, beside the workspace. */

const POLITE = `echo $$ >> "$BESIDE/pids"; sleep 600 & echo $! >> "$BESIDE/pids"; touch "$BESIDE/started"; wait`;

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(25);
}

const hasStarted = (workspace: ScratchWorkspace) => async (): Promise<boolean> =>
  existsSync(workspace.beside('started'));
const besideOf = (workspace: ScratchWorkspace) => ({ env: { BESIDE: workspace.beside('') } });

/** Pids of those that still run; a zombie does not. */
async function alive(workspace: ScratchWorkspace): Promise<string[]> {
  const pids = (await readFile(workspace.beside('pids'), 'utf8')).trim().split('\n');
  const running = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readIfThere(`/proc/${pid}/stat`);
      return stat !== '' && !/\) [ZX] /.test(stat);
    }),
  );
  return pids.filter((_, at) => running[at]);
}

const linux = process.platform === 'linux';

describe.runIf(linux)('Ctrl-C', () => {
  it.each([
    ['SIGINT', POLITE],
    ['SIGTERM', POLITE],
    ['SIGHUP', POLITE],
  ] as const)('%s ends the agents whole, records it, and answers 130', async (signal, run) => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml({ a: { run, inputs: [] } }) });
    const command = workspace.start(['run', '-q'], besideOf(workspace));
    await until(hasStarted(workspace));
    command.process.kill(signal);
    const result = await command.ended;
    expect(result).toMatchObject({ code: 130, signal: null });
    expect(result.stdout).toContain('interrupted: stopping the agents');
    expect(await alive(workspace)).toEqual([]);
    const ended = (await workspace.records()).find((record) => record.kind === 'ended');
    expect(ended).toMatchObject({ verdict: { kind: 'cancelled' } });
    expect((await workspace.gateline(['status'])).stdout).toContain('run `gateline run` again');
  });
});

describe('a second engine on the workspace', () => {
  it('ends with 75 at once, with JSON too; readers may look', async () => {
    const gates = {
      a: {
        run: `touch "$BESIDE/started"; turns=0; until [ -e "$BESIDE/go" ] || [ $turns -ge 1200 ]; do sleep 0.05; turns=$((turns + 1)); done; ${writes(1)}`,
        inputs: [],
      },
    };
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml(gates) });
    const first = workspace.start(['run', '-q'], besideOf(workspace));
    await until(hasStarted(workspace));
    const second = await workspace.gateline(['run', '--json']);
    expect(second.code).toBe(75);
    expect(JSON.parse(second.stdout)).toMatchObject({ code: 'ENGINE_BUSY', fault: 'user' });
    expect((await workspace.gateline(['status'])).stdout).toContain('a is running');
    expect((await workspace.gateline(['begin', 'a'])).code).toBe(75);
    await writeFile(workspace.beside('go'), '');
    expect((await first.ended).code).toBe(0);
  });
});

describe('the streams of the process', () => {
  it.runIf(linux)('a reader that goes away ends nothing badly: status | head -1, run | head -1', async () => {
    const gates = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`g${at}`, { run: writes(at), inputs: [] }]),
    );
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml(gates) });
    const pipe = async (command: string): Promise<string> => {
      const script = `{ '${process.execPath}' '${COMMAND_LINE}' ${command}; echo "code $?" > code; } 2> errors | head -1; cat errors code`;
      const child = spawn('bash', ['-c', script], {
        cwd: workspace.root,
        env: plainEnvironment(),
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      await once(child, 'close');
      return text;
    };
    expect(await pipe('run')).toBe('p for main: starting run 1\ncode 0\n');
    expect(await pipe('status')).toMatch(/^ *# +gate.*\ncode 0\n$/);
  });

  it.runIf(linux)('output that cannot be written to the end is an error', async () => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml({ a: { run: writes(1), inputs: [] } }),
    });
    const script = `ulimit -f 1; trap '' XFSZ; '${process.execPath}' '${COMMAND_LINE}' help run >> big; echo "code $?"`;
    await writeFile(workspace.path('big'), 'x'.repeat(1_000));
    const child = spawn('bash', ['-c', script], {
      cwd: workspace.root,
      env: plainEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => (texts[name] += text));
    await once(child, 'close');
    expect(texts.stderr).toContain('gateline: OUTPUT_FAILED: EFBIG');
    expect(texts.stdout).toBe('code 74\n');
  });

  it.runIf(linux)('on a real terminal progress is live, in CI it is plain', async () => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml({ a: { run: `sleep 0.3; ${writes(1)}`, inputs: [] } }),
    });
    const command = `'${process.execPath}' '${COMMAND_LINE}' run; echo "code $?"`;
    const onTerminal = async (more: Record<string, string>): Promise<string> => {
      const env = plainEnvironment({ TERM: 'xterm', SHELL: '/bin/bash', ...more });
      const child = spawn('script', ['-qec', `stty cols 60 rows 20; ${command}`, '/dev/null'], {
        cwd: workspace.root,
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      await once(child, 'close');
      return text;
    };
    const live = await onTerminal({});
    expect(live).toMatch(/\u001B\[\d+A\u001B\[0J/);
    expect(live).toContain('code 0');
    const plain = await onTerminal({ CI: 'true', NO_COLOR: '1' });
    expect(plain).not.toContain('\u001B');
    expect(plain).toContain('a: reuse: ');
  });

  it('reads the input from standard input', async () => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml({ a: { run: 'cp "$GATELINE_REQUEST" "$GATELINE_OUTPUT"', inputs: [] } }),
    });
    await workspace.write('in.json', '{"story": 1}');
    const input = openSync(workspace.path('in.json'), 'r');
    const child = spawn(process.execPath, [COMMAND_LINE, 'run', '--json', '-i', '-'], {
      cwd: workspace.root,
      env: plainEnvironment(),
      stdio: [input, 'ignore', 'ignore'],
    });
    await once(child, 'close');
    closeSync(input);
    expect(child.exitCode).toBe(0);
    const { stdout } = await workspace.gateline(['show', 'a', 'output']);
    expect(JSON.parse(stdout)).toMatchObject({ input: { story: 1 } });
  });
});

describe('what nobody caught', () => {
  it.each(['throw new Error("oh")', 'Promise.reject(new Error("oh"))'])('%s is a bug, told as one: 70', async (bug) => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml({ a: { run: 'sleep 30', inputs: [] } }),
    });
    const at = (path: string): string => JSON.stringify(join(REPOSITORY, 'src/cli', path));
    const script = workspace.beside('buggy.ts');
    await writeFile(
      script,
      `import { onUncaught, processWorld } from ${at('process-world.ts')};
       import { reportError } from ${at('output/report-error.ts')};
       onUncaught((error) => reportError(processWorld(process.env), error));
       setTimeout(() => { ${bug} }, 1);
       setTimeout(() => undefined, 60_000);`,
    );
    const { code, stderr } = await workspace.gateline([], { script });
    expect(stderr).toMatch(/^gateline: INTERNAL: oh\n[^]*This is a bug in Gateline\./);
    expect(code).toBe(70);
  });
});

describe.runIf(linux)('standard input without an end', () => {
  it('is refused', async () => {
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml({ a: { run: writes('{}'), inputs: [] } }),
    });
    const endless = openSync('/dev/zero', 'r');
    const child = spawn(process.execPath, [COMMAND_LINE, 'run', '--input', '-'], {
      cwd: workspace.root,
      env: plainEnvironment(),
      stdio: [endless, 'ignore', 'pipe'],
    });
    closeSync(endless);
    let err = '';
    child.stderr!.on('data', (chunk: Buffer) => (err += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    expect(err).toContain('INPUT_INVALID: - cannot be read: it has more than 268,435,456 bytes');
    expect(code).toBe(2);
  });
});
