import { describe, expect, it } from 'vitest';
import { ActionWorld, errorsOf, outputsOf } from './action-world.ts';
import { CHECKOUT, gateJob, gateStep, job, reportJob, type Keys } from './workflow-text.ts';

const READS = `node -e "const r = JSON.parse(require('fs').readFileSync(process.env.GATELINE_REQUEST)); require('fs').writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify(r.entities))"`;
const DEFINITION = {
  pipeline: 'p',
  entities: { refs: null, page: null, session: null },
  commands: { login: { syntax: `echo '{"user":"john"}'`, creates: 'session' } },
  gates: {
    snapshot: { run: `echo '["@e1"]' > "$GATELINE_OUTPUT"`, shell: 'sh', inputs: [], creates: 'refs' },
    read: { run: READS, shell: 'sh', inputs: [], needs: 'snapshot', requires: 'refs' },
    lacks: { run: READS, shell: 'sh', inputs: [], requires: ['page', 'session'] },
    recovers: { run: READS, shell: 'sh', inputs: [], requires: 'session', 'on-invalid': 'recover' },
  },
};

describe('entities in jobs of a workflow', () => {
  it('go from job to job, are named where they are missing, and are recovered in the job', async () => {
    const run = (needs?: string): Keys =>
      gateJob({ command: 'run', file: 'gateline.yml', 'expose-output': true }, needs === undefined ? {} : { needs });
    await using world = await ActionWorld.ofJobs(
      {
        snapshot: run(),
        read: run('snapshot'),
        lacks: run(),
        recovers: run(),
        report: reportJob(['snapshot', 'read', 'lacks', 'recovers'], { file: 'gateline.yml' }),
      },
      { 'gateline.yml': JSON.stringify(DEFINITION) },
    );
    const report = await (await world.run()).start().ended;
    const { summary } = report.job('report');
    // The job that recovers has created the session since.
    expect(summary).toContain('## ⛔ blocked: `p` for `main`');
    expect(summary).toMatch(/^\| 2 \| `lacks` \|.*blocked.*\| Required state 'page' is not valid \|$/m);
    expect(summary).toContain("`lacks`: It was not started: Required state 'page' is not valid. Let a gate before it");
    expect(report.job('read').conclusion).toBe('success');
    expect(JSON.parse(outputsOf(report.job('read'))['value']!)).toMatchObject({ refs: { output: ['@e1'] } });
    expect(errorsOf(report.job('lacks'))).toEqual([
      expect.stringMatching(
        /STATE_INVALID: Required states 'page', 'session' are not valid\nNo gate before it creates page, and no command/,
      ),
    ]);
    expect(outputsOf(report.job('lacks'))).toMatchObject({ decision: 'blocked', 'missing-entities': 'page,session' });
    expect(report.job('recovers').conclusion).toBe('success');
    expect(JSON.parse(outputsOf(report.job('recovers'))['value']!)).toMatchObject({
      session: { output: { user: 'john' } },
    });
  });

  it('are recovered in jobs side by side after a gate used them up, and a later job finds them', async () => {
    const isAlone = `[ "$(grep -c . "$START_LOG")" -lt 2 ]`;
    const waits = `for i in $(seq 500); do if ${isAlone}; then sleep 0.02; fi; done`;
    const side = {
      run: `echo "$GATELINE_GATE 1 1" >> "$START_LOG"; ${waits}; ${READS}`,
      shell: 'sh',
      inputs: [],
      needs: 'logout',
      requires: 'session',
      'on-invalid': 'recover',
    };
    const definition = {
      pipeline: 'p',
      entities: { session: null },
      commands: DEFINITION.commands,
      gates: {
        logout: { run: `echo 1 > "$GATELINE_OUTPUT"`, shell: 'sh', inputs: [], invalidates: 'session' },
        left: side,
        right: side,
        last: { run: READS, shell: 'sh', inputs: [], needs: ['left', 'right'], requires: 'session' },
      },
    };
    const run = (needs?: Keys['needs']): Keys =>
      gateJob({ command: 'run', file: 'gateline.yml', 'expose-output': true }, needs === undefined ? {} : { needs });
    await using world = await ActionWorld.ofJobs(
      { logout: run(), left: run('logout'), right: run('logout'), last: run(['left', 'right']) },
      { 'gateline.yml': JSON.stringify(definition) },
    );
    const report = await (await world.run()).start().ended;
    expect([...report.jobs].flatMap(([, one]) => errorsOf(one))).toEqual([]);
    expect(JSON.parse(outputsOf(report.job('last'))['value']!)).toMatchObject({
      session: { output: { user: 'john' } },
    });
    expect(world.endings()).toEqual(
      expect.arrayContaining(['login/left 1.1.1 ran passed', 'login/right 1.1.1 ran passed']),
    );
    expect(world.endings().filter((one) => one.startsWith('login'))).toHaveLength(2);
  });

  it('that a gate used up when it failed are created again if all jobs run again', async () => {
    const definition = {
      pipeline: 'p',
      entities: { refs: null },
      gates: {
        snapshot: DEFINITION.gates.snapshot,
        click: {
          run: `echo "$GATELINE_GATE 1 1" >> "$START_LOG"; [ "$(grep -c . "$START_LOG")" -gt 1 ] && ${READS}`,
          shell: 'sh',
          inputs: [],
          needs: 'snapshot',
          requires: 'refs',
          invalidates: 'refs',
        },
      },
    };
    const jobs = {
      snapshot: gateJob({ command: 'run', file: 'gateline.yml' }),
      click: gateJob({ command: 'run', file: 'gateline.yml' }, { needs: 'snapshot' }),
    };
    await using world = await ActionWorld.ofJobs(jobs, { 'gateline.yml': JSON.stringify(definition) });
    const run = await world.run();
    expect((await run.start().ended).job('click').conclusion).toBe('failure');
    const alone = (await run.rerunFailed().ended).job('click');
    expect(errorsOf(alone).join()).toContain('gate snapshot creates refs, if all jobs run again.');
    const all = await run.rerunAll().ended;
    expect(outputsOf(all.job('snapshot'))).toMatchObject({ decision: 'run' });
    expect(all.job('snapshot').log).toContain('gate snapshot: run: refs is not valid, click needs it');
    expect(all.job('click').conclusion).toBe('success');
  });

  it.each(['gateline.yml', undefined])('are no gates of a run when set-up commands created them: %s', async (file) => {
    const named = file === undefined ? {} : { file };
    const recovers: Keys = gateJob({ command: 'run', file: 'gateline.yml' });
    const { entities, commands, gates, pipeline } = DEFINITION;
    const definition = { pipeline, entities, commands, gates: { recovers: gates.recovers } };
    await using world = await ActionWorld.ofJobs(
      { recovers, report: reportJob('recovers', named) },
      { 'gateline.yml': JSON.stringify(definition) },
    );
    const report = await (await world.run()).start().ended;
    expect(errorsOf(report.job('report'))).toEqual([]);
    expect(outputsOf(report.job('report'), 'report')).toMatchObject({ 'run-status': 'completed', 'failed-gates': '' });
  });

  it('live in processes of one job only, also on the same machine', async () => {
    const leave = 'sleep 30 > /dev/null 2>&1 &';
    const serve = { shell: 'sh', inputs: [], creates: 'server', leaves: 'processes' };
    const use = { run: READS, shell: 'sh', inputs: [], needs: 'serve', requires: 'server' };
    const definition = {
      pipeline: 'p',
      entities: { server: { lifetime: 'machine' } },
      commands: { start: { syntax: `sh -c "${leave}"`, creates: 'server', leaves: 'processes' } },
      gates: {
        serve: { run: `${leave}\necho '{"port":1}' > "$GATELINE_OUTPUT"`, ...serve },
        use,
        elsewhere: { ...use, env: { OTHER: 'yes' } },
        recovers: { ...use, env: { OTHER: 'no' }, 'on-invalid': 'recover' },
      },
    };
    const gate = (named: string): Keys =>
      gateStep({ command: 'run', file: 'gateline.yml', gate: named, 'expose-output': true });
    const later: Keys = { needs: 'serve' };
    await using world = await ActionWorld.ofJobs(
      {
        serve: job([CHECKOUT, { ...gate('serve'), id: 'first' }, gate('use')]),
        elsewhere: job([CHECKOUT, gate('elsewhere')], later),
        recovers: job([CHECKOUT, gate('recovers')], later),
      },
      { 'gateline.yml': JSON.stringify(definition) },
    );
    const report = await (await world.run()).start().ended;
    expect(errorsOf(report.job('serve'))).toEqual([]);
    expect(JSON.parse(outputsOf(report.job('serve'))['value']!)).toMatchObject({ server: { output: { port: 1 } } });
    expect(errorsOf(report.job('elsewhere'))).toEqual([
      expect.stringContaining("Required state 'server' is not valid"),
    ]);
    expect(report.job('recovers').conclusion).toBe('success');
  });
});
