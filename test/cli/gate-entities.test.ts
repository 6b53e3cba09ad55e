import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EntityView } from '../../src/local/entities/entities.ts';
import { bundlePrograms } from '../support/runner/bundle.ts';
import { agent, pipeline, Project } from './support.ts';

/** A gate that notes what it was given of entities. */
const LOOK = `cat "$GATELINE_ENTITIES" >> "$RUNS.values"; ${agent()}`;

const ENTITIES = {
  entities: { server: null, session: { format: 's_{id}', 'depends-on': 'server' } },
  commands: {
    start: { syntax: "sh -c 'echo start >> $RUNS'", creates: 'server' },
    stop: { syntax: 'true', invalidates: 'server' },
  },
};

class Site extends Project {
  constructor(gates: Readonly<Record<string, object>>, more: object = {}) {
    super({ 'gateline.yml': pipeline(gates, { ...ENTITIES, ...more }) });
  }

  async entity(name: string): Promise<string> {
    const { entities } = await this.json<{ entities: EntityView[] }>('entities', name);
    return entities
      .map(({ instance, status, cause = '' }) => `${instance}${instance && ' '}${status} ${cause}`.trim())
      .join(', ');
  }

  get values(): string {
    return fs.readFileSync(`${this.environment['RUNS']}.values`, 'utf8');
  }
}

describe('a gate that requires an entity', () => {
  it('gets what a gate before it created, as long as that is valid', async () => {
    const site = new Site({
      login: { run: agent({ id: 7, token: 't' }), creates: 'session' },
      test: { needs: 'login', requires: 'session', run: LOOK },
    });
    expect(await site.choices()).toBe('login run, test depends');
    expect(await site.run()).toBe('0: login test');
    expect([site.values, await site.entity('session')]).toEqual(['{"session":{"id":7,"token":"t"}}', 's_7 valid']);
    expect((await site.json<{ entities: EntityView[] }>('entities', 'session')).entities[0]).toMatchObject({
      by: 'gate login',
    });
    // Nothing changes when both are used again.
    await site.expect('entities set session invalid', 0);
    expect(await site.run()).toBe('0: ');
    expect(await site.entity('session')).toMatch(/^s_7 invalid/);
  });

  it('does not start without it: other gates do, and the hint says what creates it', async () => {
    const site = new Site({ test: { requires: 'server' }, other: {}, after: { needs: 'test' } });
    expect(await site.choices()).toBe('test blocked, other run, after blocked');
    const { exit, err } = await site.gateline('run');
    expect([exit, site.ran(), err]).toEqual([
      1,
      'other',
      expect.stringMatching(/test does not start: Required state 'server' is not valid.*`gateline do start`/s),
    ]);
    expect(await site.statuses()).toBe('test pending, other passed, after pending');
    await site.expect('do start', 0);
    expect(await site.run()).toBe('0: start test after');
  });

  it('first lets commands set it up, with on-invalid: recover, once', async () => {
    const site = new Site(
      {
        test: { requires: 'session', 'on-invalid': 'recover', run: LOOK },
        more: { requires: 'server', 'on-invalid': 'recover' },
      },
      { commands: { ...ENTITIES.commands, login: { syntax: 'echo s_3', requires: 'server', creates: 'session' } } },
    );
    expect(await site.choices()).toBe('test run, more run');
    expect(await site.run('--sequential')).toBe('0: start test more');
    expect([site.values, await site.entity('session')]).toEqual(['{"session":"s_3"}', 's_3 valid']);
    await site.expect('do stop', 0);
    expect(await site.run('--force', 'more')).toBe('0: start more');
    await site.expect('do stop', 0);
    expect((await site.run('--force', 'test,more')).split(' ').toSorted()).toEqual(['0:', 'more', 'start', 'test']);
  });

  it('does not start if a set-up command fails or makes nothing valid', async () => {
    const broken = { ...ENTITIES.commands, start: { syntax: "sh -c 'exit 4'", creates: 'server' } };
    const site = new Site({ test: { requires: 'server', 'on-invalid': 'recover' } }, { commands: broken });
    await site.expect('run', 1, /start failed: it ended with exit code 4/, /test does not start/);
  });

  it('lets the gate work again that created it, if its output was only used', async () => {
    const site = new Site(
      {
        login: { run: agent({ id: 7 }), creates: 'session' },
        between: { needs: 'login' },
        test: { needs: 'between', requires: 'session', 'on-invalid': 'recover' },
      },
      { commands: {} },
    );
    expect(await site.run()).toBe('0: login between test');
    await site.expect('entities set session invalid -r expired', 0);
    expect(await site.run('--force', 'test')).toBe('0: login test');
    expect(await site.json<{ decisions: object[] }>('status')).toMatchObject({
      decisions: expect.arrayContaining([
        expect.objectContaining({ decision: 'force', unit: 'login', actor: 'gateline' }),
      ]),
    });
    // Made again without success: no second time.
    site.edit('gateline.yml', '"id\\":7', '"no\\":7');
    await site.expect('entities reset', 0);
  });
});

describe('a gate that changes entities', () => {
  it('has invalidated what it says from its start, and created nothing, if it fails', async () => {
    const site = new Site({ test: { requires: 'server', invalidates: 'server', creates: 'session', run: 'exit 3' } });
    await site.expect('do start', 0);
    await site.expect('run', 1);
    expect([await site.entity('server'), await site.entity('session')]).toEqual([
      'invalid gate test made it invalid',
      'absent',
    ]);
    const log = fs.readFileSync(join(site.root, '.state/log.jsonl'), 'utf8').trim().split('\n');
    expect(JSON.parse(log.at(-1)!)).toMatchObject({ kind: 'ended', effects: [{ entity: 'server', to: 'invalid' }] });
  });

  it('never works beside one that names them, whatever the number of gates at once', async () => {
    const site = new Site({
      make: { creates: 'server', run: agent({}, 'go') },
      free: { run: agent({}, 'go') },
      user: { requires: 'session' },
    });
    await site.expect('entities set session valid', 0);
    const running = site.start(['run', '--max-parallel', '9']);
    await expect.poll(() => site.ran().split(' ').length).toBeGreaterThan(0);
    await expect.poll(() => fs.readFileSync(site.environment['RUNS']!, 'utf8')).toMatch(/make\nfree\n|free\nmake\n/);
    await site.expect('do start', 75, /gate make changes server/);
    site.write('go', '');
    expect((await running.answer).exit).toBe(0);
    expect(fs.readFileSync(site.environment['RUNS']!, 'utf8')).toMatch(/user\n$/);
  });

  it('works again after a kill: what it was to create is invalid until then', async () => {
    const site = new Site({ make: { creates: 'server', run: agent({ port: 1 }, 'go') } });
    const program = join(await bundlePrograms(), 'cli.mjs');
    const child = spawn(process.execPath, [program, 'run'], { cwd: site.root, env: site.environment, stdio: 'ignore' });
    await site.waitFor('make');
    const exit = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exit;
    // Its agent works on.
    await site.expect('do start', 75, /gate make changes server/);
    site.write('go', '');
    await expect.poll(() => site.entity('server')).toBe('invalid gate make was killed');
    expect([await site.run(), await site.entity('server')]).toEqual(['0: make make', 'valid']);
  });

  it('waits for a command that changes them, with a notice', async () => {
    const site = new Site(
      { test: { requires: 'server' } },
      {
        commands: {
          slow: { syntax: "sh -c 'touch begun; while [ ! -e go ]; do sleep 0.02; done'", creates: 'server' },
        },
      },
    );
    const command = site.start(['do', 'slow']);
    await expect.poll(() => site.read('begun')).toBe('');
    const run = site.start(['run']);
    await expect.poll(() => run.text.err).toMatch(/it waits: gate test: slow changes server/);
    site.write('go', '');
    expect([(await command.answer).exit, (await run.answer).exit]).toEqual([0, 0]);
  });

  it('passes what it holds to commands that its agent runs', async () => {
    const program = `${process.execPath} ${join(await bundlePrograms(), 'cli.mjs')}`;
    const site = new Site({
      test: {
        invalidates: 'server',
        run: `${program} do start && ${program} entities server --json > seen && ${agent()}`,
        inputs: [],
      },
    });
    await site.expect('do start', 0);
    site.ran();
    expect(await site.run()).toBe('0: start test');
    expect(site.readJson('seen')).toMatchObject({
      entities: [{ entity: 'server', status: 'valid', by: 'start', user: 'gate test' }],
    });
  });

  it('holds them between begin and complete, and until its attempt is given up', async () => {
    const site = new Site({ test: { run: undefined, requires: 'server', invalidates: 'server', creates: 'session' } });
    await site.expect('begin test', 1, /Required state 'server' is not valid/);
    await site.expect('do start', 0);
    const { env } = await site.json<{ env: Record<string, string> }>('begin', 'test');
    expect(JSON.parse(fs.readFileSync(env['GATELINE_ENTITIES']!, 'utf8'))).toEqual({ server: null });
    await site.expect('do start', 75, /gate test changes server/, /It ends with `gateline complete`/);
    fs.writeFileSync(env['GATELINE_OUTPUT']!, '"s_1"');
    await site.expect('complete test', 0);
    expect([await site.entity('server'), await site.entity('session')]).toEqual([
      'invalid gate test made it invalid',
      's_1 valid',
    ]);
    await site.expect('do start', 0);
    await site.gateline('force', 'test');
    await site.expect('begin test', 0);
    await site.expect('reject test -r x', 0);
    expect(await site.entity('session')).toBe('s_1 invalid gate test was given up');
    await site.expect('do start', 0);
  });
});
