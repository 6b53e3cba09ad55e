import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parsePipeline } from '../../src/pipeline/parse-pipeline.ts';
import { formatProblem } from '../../src/pipeline/problem.ts';
import { blocksOf, isWorkflow, pages, readPage, type Block } from './page.ts';
import { Session } from './session.ts';
import { someOf } from '../support/test-size.ts';

const all = pages().map((page) => ({ page, blocks: blocksOf(readPage(page)) }));
const withBlocks = (wanted: (block: Block) => boolean) =>
  all.flatMap(({ page, blocks }) =>
    blocks.filter(wanted).map((block) => ({ ...block, where: `${page}:${block.line}` })),
  );

/** A pipeline as it is; what stands under `output:` of a gate (docs/reference/contract.md) in a gate. */
function pipelineText(block: Block): string {
  const value = parse(block.text) as Record<string, unknown>;
  if ('gates' in value || !block.says.startsWith('example')) return block.text;
  return JSON.stringify({ gates: { gate: { run: 'true', output: value } } });
}

describe('examples of gateline.yml', () => {
  const examples = withBlocks((block) => block.language === 'yaml' && !isWorkflow(block) && block.says !== 'steps');

  it.each(examples)('$where is sound', (block) => {
    const parsed = parsePipeline(pipelineText(block), 'gateline.yml');
    expect(parsed.ok ? [] : parsed.problems.map(formatProblem)).toEqual([]);
  });

  it('are looked at', () => {
    expect(examples.length).toBeGreaterThan(20);
    const wrong = { language: 'yaml', says: '', line: 1, text: 'gates:\n  a: { needs: b, run: x }\n' };
    expect(parsePipeline(pipelineText(wrong), 'gateline.yml').ok).toBe(false);
  });
});

describe('examples for a shell', () => {
  const examples = withBlocks((block) => /^(?:sh|bash)$/.test(block.language));

  it.each(examples)('$where has the syntax of one', ({ language, text }) => {
    const { status, stderr } = spawnSync(language, ['-n', '-c', text], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

it('the README gives the command that package.json has, with the Node that the install brings', () => {
  const { bin } = JSON.parse(readPage('package.json')) as { bin: Record<string, string> };
  const alias = `alias gateline="$PWD/node_modules/.bin/node $PWD/${bin['gateline']}"`;
  expect(readPage('README.md')).toContain(`\n${alias}\n`);
});

describe('what pages tell people to type', () => {
  const told = all.filter(({ blocks }) => blocks.some((block) => block.says.startsWith('run')));

  it.each(someOf(told, 5))('$page: does what the page says', async ({ page, blocks }) => {
    await using session = await Session.open();
    for (const block of blocks) expect(await session.follow(block), `${page}:${block.line}`).toEqual([]);
  });

  it('is run for every recipe, and the README', () => {
    const recipes = pages().filter(
      (page) => page.startsWith('docs/recipes/') && !page.startsWith('docs/recipes/github/'),
    );
    expect(recipes.length).toBeGreaterThan(7);
    expect(told.map(({ page }) => page)).toEqual(expect.arrayContaining([...recipes, 'README.md']));
  });

  it('is held to what is printed', async () => {
    await using session = await Session.open();
    const block = (says: string, text: string): Block => ({ says, text, language: 'sh', line: 1 });
    expect(await session.follow(block('run: exit 3', 'echo one; echo two; exit 3\n'))).toEqual([]);
    expect(await session.follow(block('prints', 'one\ntwo\n'))).toEqual([]);
    expect(await session.follow(block('prints', 'two\none\n'))).toHaveLength(1);
    expect(await session.follow(block('run', 'exit 3\n'))).toHaveLength(1);
  });
});
