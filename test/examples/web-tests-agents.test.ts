import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Chain, PAGE, startNode } from './web-tests.ts';

let chain: Chain;
beforeAll(async () => {
  chain = await Chain.create();
  await chain.run(['data', 'design', 'map', 'code']);
});
afterAll(async () => {
  await chain[Symbol.asyncDispose]();
});

describe('an agent of the worked example', () => {
  it('says what is missing when it is not started by the engine', async () => {
    const { code, stderr } = await startNode(['agents/data.ts'], chain.root, {});
    expect(code).toBe(1);
    expect(stderr).toBe(
      'error: GATELINE_REQUEST is not set: start this program through gateline (see docs/agent-protocol.md)\n',
    );
  });

  it('notes its start, and tells of the attempt before', async () => {
    const log = join(chain.root, 'starts');
    const feedback = join(chain.root, 'feedback.json');
    await writeFile(feedback, JSON.stringify({ advice: 'Write the file.' }));
    const environment = { START_LOG: log, GATELINE_ATTEMPT: '2', GATELINE_FEEDBACK: feedback };
    const { code, stdout } = await chain.start('data', environment);
    expect(code).toBe(0);
    expect(stdout).toBe('the attempt before did not pass: Write the file.\n');
    expect(await readFile(log, 'utf8')).toMatch(/^data 2 \d+\n$/);
  });

  it('tells its tools in its metrics', async () => {
    const { directory } = await chain.start('map');
    expect(JSON.parse(await readFile(join(directory, 'metrics.json'), 'utf8'))).toEqual({
      tools: ['jsdom', 'dom-accessibility-api'],
    });
  });

  it('takes a seed from the caller', async () => {
    const { directory } = await chain.start('data', {}, { input: { seed: 7 } });
    const output = JSON.parse(await readFile(join(directory, 'output.json'), 'utf8'));
    expect(output.seed).toBe(7);
    expect(output.dataDigest).not.toBe(chain.outputs.data.dataDigest);
    await chain.run(['data']);
    const { code, stderr } = await chain.start('data', {}, { input: { seed: 'x' } });
    expect([code, stderr]).toEqual([
      1,
      'error: the seed (with.seed, or seed in the input) must be a whole number from 1, not "x"\n',
    ]);
  });

  it('runs no spec but the one that gate 3 wrote', async () => {
    const spec = chain.outputs.code.files[1]!;
    const path = join(chain.root, spec);
    const before = await readFile(path, 'utf8');
    await writeFile(path, `${before}// edited\n`);
    const { code, stderr } = await chain.start('execute');
    await writeFile(path, before);
    expect([code, stderr]).toEqual([
      1,
      `error: ${spec} is not what gate "code" wrote; delete it and run that gate again\n`,
    ]);
  });

  it('names the page that is not there, and the browser that it cannot have', async () => {
    await using other = await Chain.create();
    await other.run(['data', 'design']);
    const map = await other.start('map', {}, { definition: { with: { page: 'page/gone.html' } } });
    expect([map.code, map.stderr]).toEqual([1, 'error: the page page/gone.html is not there\n']);
    const execute = await chain.start('execute', { WEB_TESTS_BROWSER: 'chromium', CHROME_PATH: '/nowhere' });
    expect([execute.code, execute.stderr]).toEqual([
      1,
      'error: Chromium is not installed; set CHROME_PATH, or WEB_TESTS_BROWSER=embedded\n',
    ]);
  });

  it('leaves nothing but its answer in the workspace, and no made-up id in it', async () => {
    expect(JSON.stringify(chain.exported('map'))).not.toMatch(/data-auto|input-(?!7f3a9c)[0-9a-f]{6}/);
    expect(await readFile(join(chain.root, PAGE), 'utf8')).toContain('data-auto-id');
  });
});
