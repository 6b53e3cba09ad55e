import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ScratchWorkspace } from '../support/scratch-workspace.ts';
import { expectOk, gateline, gatelineYml, writes } from './in-process.ts';

const gates = {
  design: { run: `echo said; ${writes({ page: '<b>x</b>' })}` },
  code: {
    run: `seq 1 300; ${writes({ ok: false })}`,
    needs: 'design',
    output: { checks: ['output.ok'] },
  },
};

function workspaceOf(): Promise<ScratchWorkspace> {
  return ScratchWorkspace.create({ 'gateline.yml': gatelineYml(gates) });
}

describe('report', () => {
  it('writes a page with every section, escaped and within its bounds', async () => {
    await using workspace = await workspaceOf();
    await gateline(workspace.root, ['run', '--quiet']);
    await gateline(workspace.root, ['force', 'code', '--reason', 'again & again']);
    await gateline(workspace.root, ['run', '--quiet']);
    const { out } = await expectOk(gateline(workspace.root, ['report', '--html', 'out/report.html', '--json']));
    const page = await readFile(workspace.path('out/report.html'), 'utf8');
    expect(JSON.parse(out)).toMatchObject({
      format: 'gateline-report/1',
      file: workspace.path('out/report.html'),
      bytes: Buffer.byteLength(page),
    });
    for (const id of ['overview', 'graph', 'timeline', 'gates', 'history'])
      expect(page).toContain(`<section id="${id}"`);
    expect(page).toContain('&lt;b&gt;x&lt;/b&gt;');
    expect(page).not.toContain('<b>');
    expect(page).toContain('Only the last 200 lines are shown. In all 1 KiB');
    expect(page).toMatch(/gateline show code stdout --attempt 1 --run \d/);
    expect(page).not.toContain('http-equiv="refresh"');
  });

  it('follows a run until it ends', async () => {
    const slow = { design: { run: `sleep 3; ${writes({ ok: true })}` } };
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml(slow) });
    const page = (): Promise<string> => readFile(workspace.path('r.html'), 'utf8').catch(() => '');
    const run = gateline(workspace.root, ['run', '--quiet']);
    await expect
      .poll(async () => (await gateline(workspace.root, ['status', '--json'])).out, { timeout: 20_000 })
      .toContain('"executing"');
    const following = gateline(workspace.root, ['report', '--html', 'r.html', '--follow']);
    await expect.poll(page, { timeout: 20_000 }).toContain('<meta http-equiv="refresh" content="2">');
    await expectOk(run);
    await expectOk(following);
    expect(await page()).toContain('run 1: completed');
    expect(await page()).not.toContain('http-equiv="refresh"');
  });

  it('follows a run that has ended no longer', async () => {
    await using workspace = await workspaceOf();
    await gateline(workspace.root, ['run', '--quiet']);
    await expectOk(gateline(workspace.root, ['report', '--html', 'r.html', '--follow']));
    expect(await readFile(workspace.path('r.html'), 'utf8')).not.toContain('http-equiv="refresh"');
  });

  it('needs the name of a file', async () => {
    await using workspace = await workspaceOf();
    const { code, err } = await gateline(workspace.root, ['report']);
    expect([code, err]).toEqual([2, expect.stringContaining('needs the name of the file')]);
  });
});
