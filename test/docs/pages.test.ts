import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startGithub } from '../support/github/github.ts';
import { checkWorkflows, WORKFLOW_TOOLS } from '../support/workflow-tools.ts';
import { createPackageFolder, PageFolder } from './page-folder.ts';
import { fileOf, isWorkflow, listPages, ROOT, type Block, type Page } from './pages.ts';
import { problemsOf } from './static-checks.ts';

const PAGES = listPages().filter((page) => page.blocks.length > 0);

const github = await startGithub();
afterAll(() => github[Symbol.asyncDispose]());

describe.each(PAGES.map((page) => [page.path, page] as const))('%s', (path, page) => {
  it('has blocks that can be read', () => {
    const problems = page.blocks.flatMap((block) => problemsOf(block).map((text) => `${path}:${block.line}: ${text}`));
    expect(problems.join('\n')).toBe('');
  });

  it.runIf(page.blocks.some(isWorkflow))('has workflows that the tools accept', () => {
    expect(ofPage((workflowMessages ??= checkWorkflowsOfPages()), page)).toBe('');
  });

  it.runIf(page.blocks.some(({ language }) => language === 'ts'))('has programs with the right types', () => {
    expect(ofPage((programMessages ??= compilePrograms()), page)).toBe('');
  });

  it('does what it says', async () => {
    await using folder = new PageFolder(page, github);
    await folder.runPage();
  });
});

/** Files of all blocks of a kind on all pages, by name. */
function filesOf(isOne: (block: Block) => boolean): Record<string, string> {
  return Object.fromEntries(PAGES.flatMap((page) => page.blocks.filter(isOne).map((block) => fileOf(page, block))));
}

/** The messages of a page, with its path and line. */
function ofPage(messages: readonly string[], { path }: Page): string {
  const name = path.replaceAll('/', '__');
  const own = messages.filter((message) => message.includes(`${name}__`) && !message.includes(' INFO '));
  return own.map((message) => message.replaceAll(new RegExp(`${name}__\\d+\\.(?:yml|ts)`, 'g'), path)).join('\n\n');
}

let workflowMessages: string[] | undefined;
let programMessages: string[] | undefined;

/** One call of each tool for all pages. */
function checkWorkflowsOfPages(): string[] {
  return WORKFLOW_TOOLS.flatMap((tool) => {
    const text = checkWorkflows(tool, filesOf(isWorkflow));
    return text.split(tool === 'actionlint' ? /\n(?=\S+\.yml:)/ : '\n\n');
  });
}

/** One call of the compiler for all pages. */
function compilePrograms(): string[] {
  const folder = createPackageFolder();
  try {
    for (const [name, text] of Object.entries(filesOf(({ language }) => language === 'ts')))
      writeFileSync(join(folder, `${name}.ts`), text);
    const config = { extends: join(ROOT, 'tsconfig.json'), include: ['*.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const options = { cwd: folder, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['--pretty', 'false'], options);
    return status === 0 ? [] : `${stdout}${stderr}`.split(/\n(?=\S)/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
