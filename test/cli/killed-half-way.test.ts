import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import {
  AGENT_BROWSER,
  becomes,
  BROWSER,
  CLIENT,
  gone,
  LivingProject,
  POOL,
  SERVER,
  SESSION,
  type Server,
} from './living-programs.ts';

const KILLED = ['gateline', 'program', 'both'] as const;
const LONG = 240_000;

describe.runIf(hasChromium('a click that is killed'))('a click that is killed half-way', () => {
  it.each(KILLED)(
    'has used up the references, and recovery goes on: %s',
    async (which) => {
      await using project = await LivingProject.create(AGENT_BROWSER, { 'browser.mjs': BROWSER });
      await project.value('open');
      await project.value('snapshot');
      const click = await project.halfWay('click', 'click', '--arg', 'ref=@e1');
      // From the claim on, while it runs.
      expect(await project.status()).toMatchObject({ browser: 'valid', 'refs/@e1': 'invalid', 'refs/@e2': 'invalid' });
      await click.kill(which);
      expect(await project.status()).toMatchObject({ browser: 'valid', 'refs/@e1': 'invalid', 'refs/@e2': 'invalid' });
      // The click had reached the page. A second one with its stale references does not.
      const stale = await project.run('do', 'click', '--arg', 'ref=@e2');
      expect([stale.code, stale.err]).toEqual([1, expect.stringContaining("Required state 'refs' is not valid")]);
      expect(await project.value('text')).toBe(1);
      await gone(click.program);
      const { out, err } = await project.run('do', 'press', '--arg', 'ref=@e2', '--json');
      expect(JSON.parse(out), err).toMatchObject({ status: 'passed', ran: ['snapshot', 'press'] });
      expect(await project.value('text')).toBe(2);
    },
    LONG,
  );

  it('during its recovery, is recovered again', async () => {
    await using project = await LivingProject.create(AGENT_BROWSER, { 'browser.mjs': BROWSER });
    await project.value('open');
    const press = await project.halfWay('snapshot', 'press', '--arg', 'ref=@e1');
    expect((await project.run('do', 'click', '--arg', 'ref=@e1')).code).toBe(75);
    await press.kill('gateline');
    expect(await project.status()).toMatchObject({ browser: 'valid', refs: 'absent' });
    expect((await project.run('do', 'click', '--arg', 'ref=@e1')).err).toContain('STATE_INVALID');
    const { out, err } = await project.run('do', 'press', '--arg', 'ref=@e1', '--json');
    expect(JSON.parse(out), err).toMatchObject({ status: 'passed', ran: ['snapshot', 'press'] });
    expect(await project.value('text')).toBe(1);
  }, 240_000);
});

describe('a session in a living process', () => {
  const files = { 'server.mjs': SERVER, 'client.mjs': CLIENT };

  it.each(KILLED)(
    'whose login is killed half-way is none, and one that was closed half-way is none: %s',
    async (which) => {
      await using project = await LivingProject.create(SESSION, files);
      await project.value('connect');
      const login = await project.halfWay('login', 'login');
      await login.kill(which);
      expect(await project.status()).toEqual({ connection: 'valid', auth_token: 'absent' });
      expect((await project.run('do', 'whoami')).err).toContain("Required state 'auth_token' is not valid");
      const { token } = (await project.value('login')) as { token: string };
      await gone(login.program);
      expect(await project.value('whoami')).toEqual({ token });
      const logout = await project.halfWay('logout', 'logout');
      await logout.kill(which);
      expect(await project.status()).toEqual({ connection: 'valid', auth_token: 'invalid' });
      // With the old token, the server would answer: it does not get it.
      expect((await project.run('do', 'whoami')).code).toBe(1);
      const { out, err } = await project.run('do', 'again', '--json');
      expect(JSON.parse(out), err).toMatchObject({ ran: ['login', 'again'], status: 'passed' });
      const { value } = JSON.parse(out) as { value: { token: string } };
      expect(value.token).toMatch(/^[0-9A-F]{16}$/);
      expect(value.token).not.toBe(token);
    },
    LONG,
  );

  it('ends with its process, in the middle of a command too, and is opened anew', async () => {
    await using project = await LivingProject.create(SESSION, files);
    const first = (await project.value('connect')) as Server;
    await project.value('login');
    const asking = await project.halfWay('whoami', 'whoami');
    process.kill(first.pid, 'SIGKILL');
    await becomes(project, 'auth_token', 'expired');
    await asking.kill('program');
    expect(await project.status()).toEqual({ connection: 'expired', auth_token: 'expired' });
    expect((await project.run('do', 'login')).err).toContain("Required state 'connection' is not valid");
    const { out, err } = await project.run('do', 'again', '--json');
    expect(JSON.parse(out), err).toMatchObject({ ran: ['connect', 'login', 'again'], status: 'passed' });
    // A connection that was closed half-way is none, though its server may still run.
    const closing = await project.halfWay('stop', 'disconnect');
    await closing.kill('gateline');
    expect(await project.status()).toEqual({ connection: 'invalid', auth_token: 'invalid' });
    expect((await project.run('do', 'whoami')).code).toBe(1);
    await project.value('again');
    expect(await project.status()).toEqual({ connection: 'valid', auth_token: 'valid' });
  }, 240_000);
});

describe('a pool of servers', () => {
  const valid = async (project: LivingProject): Promise<string[]> =>
    Object.entries(await project.status()).flatMap(([name, status]) => (status === 'valid' ? [name] : []));

  it.each(KILLED)(
    'gets no server from an acquire that is killed half-way, and keeps the others: %s',
    async (which) => {
      await using project = await LivingProject.create(POOL, { 'server.mjs': SERVER });
      const first = (await project.value('acquire')) as Server;
      const acquire = await project.halfWay('acquire', 'acquire');
      const half = JSON.parse(await readFile(project.workspace.path('acquired.json'), 'utf8')) as Server;
      project.endLater(half.pid);
      await acquire.kill(which);
      expect(await valid(project)).toEqual([`server/server_${first.port}`]);
      const refused = await project.run('do', 'count', '--arg', `port=${half.port}`);
      expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('STATE_INVALID')]);
      expect(await project.value('count', '--arg', `port=${first.port}`)).toEqual({ count: 0 });
      // What it had started belongs to nobody, and is ended.
      await gone(half.pid);
      const second = (await project.value('acquire')) as Server;
      expect(await valid(project)).toEqual([`server/server_${first.port}`, `server/server_${second.port}`]);
    },
    LONG,
  );

  it.each(KILLED)(
    'does not get back a server whose release is killed half-way: %s',
    async (which) => {
      await using project = await LivingProject.create(POOL, { 'server.mjs': SERVER });
      const [first, second] = [(await project.value('acquire')) as Server, (await project.value('acquire')) as Server];
      const release = await project.halfWay('stop', 'release', '--arg', `port=${first.port}`);
      // The rest of the pool can be used meanwhile.
      await project.value('count', '--arg', `port=${second.port}`);
      await release.kill(which);
      expect(await valid(project)).toEqual([`server/server_${second.port}`]);
      expect((await project.run('do', 'count', '--arg', `port=${first.port}`)).code).toBe(1);
      await project.value('begin', '--arg', `port=${second.port}`);
      expect(await valid(project)).toEqual([`server/server_${second.port}`, `transaction/transaction_${second.port}`]);
    },
    LONG,
  );
});
