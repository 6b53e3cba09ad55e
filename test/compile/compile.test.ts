import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findTool, leftOut, mustHaveTools } from '../../scripts/workflow-tools.mjs';
import { blocksOf, isWorkflow, readPage } from '../docs/page.ts';
import { COMMIT, compiled } from './compiled.ts';
import { PIPELINES } from './pipelines.ts';

const names = Object.keys(PIPELINES);

describe('a compiled workflow', () => {
  it.each(names)('%s is what golden/ has, each time', async (name) => {
    const { text, warnings } = compiled(PIPELINES[name]!);
    await expect(text).toMatchFileSnapshot(`golden/${name}.yml`);
    expect(compiled(PIPELINES[name]!).text).toBe(text);
    expect(warnings).toEqual([]);
  });

  it.each(['actionlint', 'zizmor'] as const)('satisfies %s', (tool) => {
    const path = findTool(tool);
    if (path === undefined) {
      const message = `left out: ${leftOut().find((line) => line.startsWith(`no ${tool},`))}`;
      if (mustHaveTools()) throw new Error(message);
      console.warn(message);
      return;
    }
    const ids = ['true', 'null', 'on', 'y', '_'];
    const odd = {
      pipeline: 'null',
      gates: Object.fromEntries(ids.map((id, index) => [id, { run: 'x', needs: ids.slice(index + 3, index + 4) }])),
      groups: { g: { gates: ['y', 'null', '_'], mode: 'sequential' } },
    };
    const more = {
      odd: JSON.stringify(odd),
      privileged: 'pipeline: privileged\non: [pull_request_target, workflow_dispatch]\ngates: { a: { run: x } }\n',
    };
    const folder = mkdtempSync(join(tmpdir(), 'gateline-compiled-'));
    try {
      const files = Object.entries({ ...PIPELINES, ...more }).map(([name, definition]) => {
        const file = join(folder, `${name}.yml`);
        writeFileSync(file, compiled(definition).text);
        return file;
      });
      const args = {
        actionlint: ['-no-color', '-shellcheck=', '-pyflakes=', ...files],
        zizmor: ['--offline', '--no-progress', '--color=never', '--no-config', ...files],
      }[tool];
      const { status, stdout, stderr } = spawnSync(path, args, { encoding: 'utf8', cwd: folder });
      expect(status, `${stdout}${stderr}`).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('docs/recipes/github/compile.md', () => {
  it('shows what its definition compiles to', () => {
    const blocks = blocksOf(readPage('docs/recipes/github/compile.md'));
    const definition = blocks.find(({ says }) => says === 'file: gateline.yml')!.text;
    const workflow = blocks.find(isWorkflow)!.text;
    expect(workflow).toBe(compiled(definition).text.replaceAll(`@${COMMIT}`, '@v1'));
  });
});
