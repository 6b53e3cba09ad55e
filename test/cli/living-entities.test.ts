import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { COMMAND_LINE, plainEnvironment } from '../support/command-line.ts';
import { AGENT_BROWSER, becomes, BROWSER, LivingProject, POOL, SERVER, type Server } from './living-programs.ts';

describe('a pool of servers, and transactions in them', () => {
  it('live as long as their processes, and end with them', async () => {
    await using project = await LivingProject.create(POOL, { 'server.mjs': SERVER });
    const first = (await project.value('acquire')) as Server;
    const second = (await project.value('acquire')) as Server;
    const port = ({ port: number }: Server): string => `port=${number}`;
    expect(await project.status()).toMatchObject({
      [`server/server_${first.port}`]: 'valid',
      [`server/server_${second.port}`]: 'valid',
    });
    expect((await project.run('do', 'add', '--arg', port(first))).err).toContain("'transaction' is not valid");
    await project.value('begin', '--arg', port(first));
    expect((await project.run('do', 'add', '--arg', port(first))).code).toBe(0);
    await project.value('rollback', '--arg', port(first));
    expect(await project.value('count', '--arg', port(first))).toEqual({ count: 0 });
    expect((await project.run('do', 'commit', '--arg', port(first))).code).toBe(1);
    await project.value('begin', '--arg', port(first));
    await project.run('do', 'add', '--arg', port(first));
    await project.value('commit', '--arg', port(first));
    expect(await project.value('count', '--arg', port(first))).toEqual({ count: 1 });
    await project.value('release', '--arg', port(first));
    expect(await project.status()).toMatchObject({
      [`server/server_${first.port}`]: 'invalid',
      [`server/server_${second.port}`]: 'valid',
    });
    await project.value('begin', '--arg', port(second));
    process.kill(second.pid, 'SIGKILL');
    await becomes(project, `server/server_${second.port}`, 'expired');
    expect(await project.status()).toMatchObject({
      [`transaction/transaction_${second.port}`]: 'expired',
    });
    expect((await project.run('do', 'count', '--arg', port(second))).err).toContain('STATE_INVALID');
  }, 60_000);

  it('are there after a command was killed half-way, and what it used up is not', async () => {
    await using project = await LivingProject.create(POOL, { 'server.mjs': SERVER });
    const { port } = (await project.value('acquire')) as Server;
    const at = ['--arg', `port=${port}`];
    const transaction = `transaction/transaction_${port}`;
    await project.value('begin', ...at);
    await project.run('do', 'add', ...at);
    const child = spawn(process.execPath, [COMMAND_LINE, 'do', 'hang', ...at], {
      cwd: project.workspace.root,
      env: plainEnvironment(),
      stdio: 'ignore',
    });
    await becomes(project, transaction, 'invalid');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await project.status()).toMatchObject({ [`server/server_${port}`]: 'valid', [transaction]: 'invalid' });
    expect((await project.run('do', 'commit', ...at)).code).toBe(1);
    // The database still has the transaction; a command that requires only the server ends it.
    await project.value('undo', ...at);
    await project.value('begin', ...at);
    await project.run('do', 'add', ...at);
    await project.value('commit', ...at);
    expect(await project.value('count', ...at)).toEqual({ count: 1 });
  }, 60_000);

  it('are ended by a reset, and by nothing else', async () => {
    await using project = await LivingProject.create(POOL, { 'server.mjs': SERVER });
    const { port } = (await project.value('acquire')) as Server;
    await project.run('run', '-q');
    expect(await project.value('count', '--arg', `port=${port}`)).toEqual({ count: 0 });
    const other = (await project.value('acquire')) as Server;
    await project.run('entities', 'reset', `server/server_${other.port}`, '--reason', 'one of them');
    await expect(fetch(`http://127.0.0.1:${other.port}/count`)).rejects.toThrow('fetch failed');
    expect(await project.value('count', '--arg', `port=${port}`)).toEqual({ count: 0 });
    const doctor = (await project.run('doctor')).out;
    expect(doctor).toMatch(/PROCESS_LEFT .*process \d+ runs, left by acquire for server/);
    expect(doctor).toContain('`gateline entities reset server --subject main --reason TEXT` ends it.');
    await project.run('entities', 'reset', 'server', '--reason', 'done');
    expect((await project.run('doctor')).out).not.toContain('PROCESS_LEFT');
    await expect(fetch(`http://127.0.0.1:${port}/count`)).rejects.toThrow('fetch failed');
    expect(await project.status()).toEqual({ server: 'absent', transaction: 'absent' });
  }, 60_000);
});

describe.runIf(hasChromium('a browser as an entity'))('a browser over CDP', () => {
  it('is clicked with the references of its newest snapshot only', async () => {
    await using project = await LivingProject.create(AGENT_BROWSER, { 'browser.mjs': BROWSER });
    await project.value('open');
    expect(await project.value('snapshot')).toEqual(['@e1', '@e2']);
    await project.value('click', '--arg', 'ref=@e1');
    expect(await project.value('text')).toBe(1);
    // A stale reference never reaches the browser: it would wait for an element that is gone.
    const stale = await project.run('do', 'click', '--arg', 'ref=@e2');
    expect([stale.code, stale.err]).toEqual([1, expect.stringContaining("Required state 'refs' is not valid")]);
    // Recovery takes a snapshot, and clicks.
    const again = JSON.parse((await project.run('do', 'press', '--arg', 'ref=@e2', '--json')).out) as object;
    expect(again).toMatchObject({ status: 'passed', ran: ['snapshot', 'press'] });
    expect(await project.value('text')).toBe(2);
    const { pid } = (
      JSON.parse((await project.run('entities', 'show', 'browser', '--json')).out) as {
        entities: [{ value: { pid: number } }];
      }
    ).entities[0].value;
    process.kill(-pid, 'SIGKILL');
    await becomes(project, 'browser', 'expired');
    const fresh = JSON.parse((await project.run('do', 'press', '--arg', 'ref=@e1', '--json')).out) as object;
    expect(fresh).toMatchObject({ status: 'passed', ran: ['open', 'snapshot', 'press'] });
    expect(await project.value('text')).toBe(1);
  }, 120_000);
});
