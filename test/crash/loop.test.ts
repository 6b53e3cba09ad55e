import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { gatelineYml } from '../cli/in-process.ts';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { someOf } from '../support/test-size.ts';

const SCRIPT = fileURLToPath(new URL('cli-that-dies.ts', import.meta.url));

/** Each task adds a file; the second one finds that of the first. */
const IMPLEMENT = `
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
const { subject } = JSON.parse(readFileSync(process.env.GATELINE_REQUEST, 'utf8'));
appendFileSync(process.env.START_LOG, subject + ' 1 1\\n');
writeFileSync('src/' + subject + '.txt', String(readdirSync('src').length));
writeFileSync(process.env.GATELINE_LEARNINGS, '- Learned from ' + subject + '\\n');
writeFileSync(process.env.GATELINE_OUTPUT, '{}');
`;

async function tasks(): Promise<ScratchWorkspace> {
  const gates = { implement: { run: 'node implement.mjs', files: 'changed', inputs: ['src/**'], memory: ['handoff'] } };
  const subjects = [
    { id: 'a', task: 'Add a' },
    { id: 'b', task: 'Add b', needs: ['a'] },
  ];
  return ScratchWorkspace.create({
    'gateline.yml': gatelineYml(gates, { learning: 'auto' }),
    'implement.mjs': IMPLEMENT,
    'src/first.txt': '',
    'tasks.json': JSON.stringify({ format: 'gateline-set/1', subjects }),
  });
}

const LOOP = ['loop', 'tasks.json', '--quiet'];

it('a loop that is killed after any operation is completed by the next call: no task twice, one commit each', async () => {
  await using whole = await tasks();
  const path = whole.beside('operations');
  expect((await whole.gateline(LOOP, { script: SCRIPT, env: { OPERATIONS: path } })).code).toBe(0);
  const operations = (await readFile(path, 'utf8')).trim().split('\n');
  const points = operations.map((_, index) => index + 1);
  for (const k of someOf(points, 6)) {
    const where = `after ${k}: ${operations[k - 1]}`;
    await using workspace = await tasks();
    const killed = await workspace.gateline(LOOP, { script: SCRIPT, env: { DIE_AFTER: String(k) } });
    expect(killed.signal, where).toBe('SIGKILL');
    const { code, stdout, stderr } = await workspace.gateline(LOOP);
    expect(code, `${where}\n${stdout}${stderr}`).toBe(0);
    const log = await workspace.git('log', '--reverse', '--format=%s', '--name-only');
    const learned = '.gateline/memory/learned-patterns.md';
    const lines = log.split('\n').filter((line) => line !== '' && line !== learned);
    expect(lines.slice(-4), where).toEqual(['Add a', 'src/a.txt', 'Add b', 'src/b.txt']);
    expect(
      lines.filter((line) => line.startsWith('Add ')),
      where,
    ).toHaveLength(2);
    expect(await workspace.read('src/b.txt'), where).toBe('2');
    const learnings = (await workspace.read(learned)).split('\n').filter((line) => line.startsWith('- '));
    expect(new Set(learnings).size, where).toBe(learnings.length);
    // An attempt that the kill ended is made again, and nothing else.
    const started = await workspace.startedGates();
    expect(started.length, where).toBeLessThanOrEqual(3);
  }
});
