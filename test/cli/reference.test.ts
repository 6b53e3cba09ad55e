import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { referencePages } from '../../scripts/write-reference.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { REPOSITORY } from '../support/command-line.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { gateline, gatelineYml, writes } from './in-process.ts';

const read = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8');

describe('the reference', () => {
  it.each(Object.entries(referencePages()))(
    '%s is what the code says (node scripts/write-reference.ts)',
    (path, text) => {
      expect(read(path)).toBe(text);
    },
  );

  it('has every command, option and exit code in docs/reference/cli.md', () => {
    const page = read('docs/reference/cli.md');
    for (const { name, options, positionals } of COMMANDS) {
      const section = page.slice(page.indexOf(`## \`gateline ${name}\``)).split('\n## ')[0]!;
      for (const option of options)
        expect(section, name).toMatch(new RegExp(`^\\| \`(?:-\\w, )?--${option.name}[ \`]`, 'm'));
      for (const one of positionals) expect(section).toContain(`| \`${one.name}\` |`);
    }
    for (const code of Object.values(EXIT_CODES)) expect(page).toMatch(new RegExp(`^\\| ${code} \\|`, 'm'));
  });
});

describe('docs/reference/json-output.md', () => {
  const page = read('docs/reference/json-output.md');
  const example = (name: string): Record<string, unknown> => {
    const found = new RegExp(`<!-- example: ${name} -->\\n\`\`\`json\\n([^]*?)\`\`\``).exec(page);
    return JSON.parse(found![1]!) as Record<string, unknown>;
  };
  const shape = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.slice(0, 1).map(shape)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]))
        : typeof value;
  const wrong = 'pipeline: p\ngates:\n  build:\n    needs: desing\n  design: {run: x}\n';
  const sound = gatelineYml({ review: { run: `echo looking; ${writes(1)}`, inputs: [] } });
  const implement = {
    run: `echo more >> hello.txt; echo world > world.txt; ${writes(1)}`,
    files: 'changed',
    inputs: [],
  };
  const edits = gatelineYml({ implement });

  it.each([
    ['error', undefined, ['status', '--json']],
    ['validate', wrong, ['validate', '--json']],
    ['begin', sound, ['begin', 'review', '--json']],
    ['verdict', sound, ['show', 'review', '--json']],
    ['text', sound, ['show', 'review', 'stdout', '--json']],
    ['diff', edits, ['diff', 'implement', '--json']],
    ['apply', edits, ['apply', '--json']],
  ])('shows `%s` in the shape that is printed', async (name, definition, args) => {
    await using workspace = await ScratchWorkspace.create({ 'README.md': 'x', 'hello.txt': 'hello\n' });
    if (definition !== undefined) await workspace.write('gateline.yml', definition);
    if (definition === sound || definition === edits) await gateline(workspace.root, ['run', '-q']);
    if (definition === edits) await workspace.write('world.txt', 'mine\n');
    const { out } = await gateline(workspace.root, args);
    expect(shape(JSON.parse(out))).toEqual(shape(example(name)));
    expect(JSON.parse(out).format).toBe(example(name)['format']);
  });

  it('shows `rollback` in the shape that is printed', async () => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': edits, 'hello.txt': 'hello\n' });
    for (const args of [['run', '-q'], ['apply']]) await gateline(workspace.root, args);
    await workspace.commitAll('applied');
    const { out } = await gateline(workspace.root, ['rollback', '--all', '--json']);
    expect(shape(JSON.parse(out))).toEqual(shape({ ...example('rollback') }));
  });

  it('names every format that there is', async () => {
    const formats = new Set<string>();
    for (const name of readdirSync(join(REPOSITORY, 'src/cli/commands'))) {
      const file = read(`src/cli/commands/${name}`);
      for (const [format] of file.matchAll(/gateline-[a-z]+\/1/g)) formats.add(format);
    }
    expect(formats.size).toBeGreaterThan(6);
    expect([...formats].filter((format) => !page.includes(`\`${format}\``))).toEqual([]);
  });
});

describe('docs/getting-started.md', () => {
  /** What differs from one time and place to the next. */
  const essence = (text: string): string =>
    text
      .replaceAll(/\b\d+\.\ds\b|\b\d+s\b/g, 'TIME')
      .replaceAll(/(?<=kept in ).*(?=\/\.state)/g, 'FOLDER')
      .replaceAll(/[ \t]+/g, ' ')
      .replaceAll(/ $/gm, '');

  it('shows what its commands print, one after the other', async () => {
    const { execFile } = await import('node:child_process');
    const { chmod, mkdir, writeFile } = await import('node:fs/promises');
    const { COMMAND_LINE, plainEnvironment } = await import('../support/command-line.ts');
    await using workspace = await ScratchWorkspace.create({ x: '' });
    const folder = workspace.beside('first');
    const bin = workspace.beside('bin');
    await Promise.all([mkdir(folder), mkdir(bin)]);
    await writeFile(join(bin, 'gateline'), `#!/bin/sh\nexec '${process.execPath}' '${COMMAND_LINE}' "$@"\n`);
    await chmod(join(bin, 'gateline'), 0o755);
    const environment = plainEnvironment();
    const env = { ...environment, PATH: `${bin}:${environment['PATH']}` };
    const blocks = [...read('docs/getting-started.md').matchAll(/^```console\n([^]*?)^```$/gm)].map(
      ([, text]) => text!,
    );
    const steps = blocks.flatMap((text) => text.split(/^\$ /m).slice(1));
    expect(steps.length).toBeGreaterThan(8);
    for (const step of steps) {
      const [command = '', ...shown] = step.split('\n');
      const printed = await new Promise<string>((resolve) => {
        execFile('bash', ['-c', `${command} 2>&1`], { cwd: folder, env }, (_failed, stdout) => resolve(stdout));
      });
      expect(essence(printed), command).toBe(essence(shown.join('\n')));
    }
  });
});
