import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { delimiter } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mustHaveTools } from '../../scripts/workflow-tools.mjs';
import { COMMANDS } from '../../src/cli/commands.ts';
import { COMMAND_LINE, plainEnvironment, startNode } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { expectOk, gateline, gatelineYml, writes } from './in-process.ts';

const run = promisify(execFile);

async function chain(): Promise<ScratchWorkspace> {
  const gates = { design: { run: writes({ ok: true }) }, code: { run: writes({ ok: true }), needs: 'design' } };
  return ScratchWorkspace.create({
    'gateline.yml': gatelineYml(gates),
    'bin/gateline*': `#!/bin/sh\nexec '${process.execPath}' '${COMMAND_LINE}' "$@"\n`,
  });
}

describe('graph', () => {
  it('shows steps and needs before any run, and times after one', async () => {
    await using workspace = await chain();
    const say = async (...args: string[]): Promise<string> => (await expectOk(gateline(workspace.root, args))).out;
    expect(await say('graph')).toContain('2     *  code    pending        design');
    expect(await say('graph', '--names')).toBe('design\ncode\n');
    expect(JSON.parse(await say('graph', '--json'))).toMatchObject({
      format: 'gateline-graph/1',
      criticalPath: { gates: ['design', 'code'], durationMs: null },
    });
    await say('run', '--quiet');
    expect(await say('graph')).toMatch(/Critical path: design, code \(\d+\.\ds\)\./);
    expect(await say('graph', '--mermaid')).toContain('n0["design<br/>✅ passed"]:::good');
    expect(await say('graph', '--svg')).toMatch(/^<svg [^]*<title>code: passed/);
  });

  it('has one form at a time', async () => {
    await using workspace = await chain();
    const { code, err } = await gateline(workspace.root, ['graph', '--svg', '--json']);
    expect([code, err]).toEqual([2, expect.stringContaining('--svg and --json are different forms; give one')]);
  });
});

describe('commands that only look', () => {
  it('leave nothing in the temporary folder', async () => {
    await using workspace = await chain();
    await expectOk(gateline(workspace.root, ['run', '--quiet']));
    await workspace.write('code.txt', 'changed');
    const temporary = workspace.beside('temporary');
    await mkdir(temporary);
    const env = plainEnvironment({ TMPDIR: temporary });
    const left: Record<string, string[]> = {};
    for (const line of ['plan', 'run --dry-run', 'status', 'diff', 'doctor', 'diff --runs 1..9']) {
      await startNode(COMMAND_LINE, line.split(' '), { cwd: workspace.root, env }).ended;
      left[line] = (await readdir(temporary)).filter((name) => name.startsWith('gateline-'));
    }
    expect(Object.values(left).flat(), JSON.stringify(left)).toEqual([]);
  });
});

/** Runs a script in a shell that finds `gateline`, where the chain is. */
async function inShell(shell: string, args: readonly string[], script: string): Promise<string[]> {
  await using workspace = await chain();
  const env = plainEnvironment({ HOME: workspace.beside('home') });
  const PATH = [workspace.path('bin'), env['PATH']].join(delimiter);
  const { stdout } = await run(shell, [...args, script], { cwd: workspace.root, env: { ...env, PATH } });
  return stdout.trimEnd().split('\n');
}

/** A shell that a machine may lack; in CI none is left out. */
async function isMissing(shell: string): Promise<boolean> {
  if (mustHaveTools()) return false;
  return run(shell, ['--version']).then(
    () => false,
    () => true,
  );
}

describe.runIf(process.platform !== 'win32')('completion', () => {
  it('completes commands, options, gates and files in bash', async () => {
    const complete = (...words: string[]): string =>
      `COMP_WORDS=(gateline ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _gateline; echo "\${COMPREPLY[*]}"`;
    const script = [
      'eval "$(gateline completion bash)"',
      complete('ro'),
      complete('show', ''),
      complete('run', '--fo'),
      complete('run', '--force', 'c'),
      complete('run', '--file', 'gate'),
      complete('approve', 'c'),
      complete('loop', 'gatel'),
      complete('memory', 'pro'),
      complete('completion', 'z'),
      complete('run', '--reason', ''),
      complete('appr'),
      complete('adopt', 'c'),
      complete('pause', 'c'),
    ].join('\n');
    const [commands, shown, options, gates, files, approved, listed, action, shell, none, ...verbs] = await inShell(
      'bash',
      ['--norc', '-c'],
      script,
    );
    expect(commands).toBe('rollback');
    expect(shown?.split(' ')).toEqual(expect.arrayContaining(['--json', 'design', 'code']));
    expect([options, gates, files, none]).toEqual(['--force', 'code', 'gateline.yml', '']);
    expect([approved, listed, action, shell]).toEqual(['code', 'gateline.yml', 'promote', 'zsh']);
    expect(verbs).toEqual(['approve', 'code']);
  });

  it('completes them in fish', async ({ skip }) => {
    if (await isMissing('fish')) skip('no fish');
    const script = [
      'gateline completion fish | source',
      "complete -C 'gateline roll'",
      "complete -C 'gateline show cod'",
      "complete -C 'gateline run --forc'",
      "complete -C 'gateline reject c'",
      "complete -C 'gateline memory pro'",
      "complete -C 'gateline rejec'",
    ].join('\n');
    const lines = await inShell('fish', ['--no-config', '-c'], script);
    expect(lines.map((line) => line.split('\t')[0])).toEqual([
      'rollback',
      'code',
      '--force',
      'code',
      'promote',
      'reject',
    ]);
  });

  it('is a script that zsh loads', async ({ skip }) => {
    if (await isMissing('zsh')) skip('no zsh');
    const script =
      'autoload -Uz compinit && compinit -D -u; eval "$(gateline completion zsh)"; echo $_comps[gateline]; which _gateline_gates';
    const lines = await inShell('zsh', ['-f', '-c'], script);
    expect(lines[0]).toBe('_gateline');
    expect(lines.join('\n')).toContain('gateline graph --names');
  });

  it.each(['bash', 'zsh', 'fish'])('names every command and option in %s', async (shell) => {
    const { out } = await expectOk(gateline('/', ['completion', shell]));
    for (const { name, options } of COMMANDS) {
      expect(out).toContain(name);
      for (const option of options) expect(out).toMatch(new RegExp(`(?:--|-l )${option.name}\\b`));
    }
  });

  it('names the shells that there are', async () => {
    await using workspace = await chain();
    const { code, err } = await gateline(workspace.root, ['completion', 'csh']);
    expect([code, err]).toEqual([2, expect.stringContaining('Shells: bash, zsh, fish.')]);
  });
});
