import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startHostedStep } from '../support/runner/hosts.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateline-hosts-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** @param ready resolves with the first line */
async function start(script: string, env: Record<string, string> = {}) {
  const path = join(folder, `${Math.random()}.mjs`);
  await writeFile(path, script);
  const lines: string[] = [];
  let begin: (line: string) => void;
  const ready = new Promise<string>((resolve) => (begin = resolve));
  const step = startHostedStep({ file: '', args: [path], cwd: folder, env }, (line) => {
    lines.push(line);
    begin(line);
  });
  return { step, ready, lines, end: step.ended.then((code) => ({ code, lines: lines.toSorted() })) };
}

const pidOf = async () => (await (await start('console.log(process.pid); process.exit()')).end).lines[0];

it('runs one step after the other in one process, each with its own variables, listeners and output', async () => {
  const pid = await pidOf();
  const first = await start(
    `process.on('exit', (code) => { process.stdout.write('out ' + code); process.exitCode = 4; });
process.on('SIGINT', () => undefined);
process.stderr.write('error ' + process.env.A); process.exit(3);`,
    { A: 'a' },
  );
  expect(await first.end).toEqual({ code: 4, lines: ['error a', 'out 3'] });
  const second = await start(
    `console.log(process.pid, process.cwd(), process.listenerCount('SIGINT'), JSON.stringify(process.env)); process.exit()`,
    { B: 'b' },
  );
  expect(await second.end).toEqual({ code: 0, lines: [`${pid} ${folder} 0 {"B":"b"}`] });
});

it.each([
  ['leaves something open', `setInterval(() => console.log('more'), 5); console.log('x'); process.exit(7)`, 7],
  ['has nothing more to do', `process.on('exit', () => { process.exitCode = 5; }); console.log('x')`, 5],
  ['fails', `console.log('x'); throw new Error('no')`, 1],
])('gives the next step another process after one that %s', async (_, script, code) => {
  const pid = await pidOf();
  expect(await (await start(script)).end).toMatchObject({ code });
  expect(await pidOf()).not.toBe(pid);
});

it('gives the next step another process after a signal', async () => {
  const pid = await pidOf();
  const polite = await start(
    `process.on('SIGINT', () => process.exit(9)); setInterval(() => undefined, 1e6); console.log('x')`,
  );
  await polite.ready;
  await polite.step.cancel({ interrupt: 60_000, terminate: 60_000 });
  expect((await polite.end).code).toBe(9);
  const other = await pidOf();
  expect(other).not.toBe(pid);
  const lost = await start(`setInterval(() => undefined, 1e6); console.log('x')`);
  await lost.ready;
  lost.step.kill();
  expect((await lost.end).code).toBe(null);
  expect(await pidOf()).not.toBe(other);
});
