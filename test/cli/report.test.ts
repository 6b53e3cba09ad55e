import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Gateline } from '../../src/gateline.ts';
import { agent, pipeline, Project } from './support.ts';

const SAY = 'echo "the key is $TOKEN_VALUE"; head -c 70000 /dev/zero | tr "\\0" x; echo the end;';
const GATES = pipeline({
  design: { run: `${SAY} ${agent({ plan: '<b>bold</b>' })}`, secrets: 'TOKEN_VALUE' },
  review: { needs: 'design', run: agent({ score: 40 }), output: { score: '/score' } },
});

it('`report` writes the run with what its gates left as a page, without secrets', async () => {
  const project = new Project({ 'gateline.yml': GATES });
  project.environment['TOKEN_VALUE'] = 'xK9-very-long-secret';
  await project.expect('report', 0, /^wrote \.state\/report\.html \(\d+ KiB\)\n$/);
  expect(project.read('.state/report.html')).toContain('no run yet');
  await project.run();
  const outside = join(project.outside, 'mine.txt');
  writeFileSync(outside, 'mine');
  project.remove('.state/report.html');
  symlinkSync(outside, join(project.root, '.state/report.html'));
  const { path, bytes } = await project.json('report');
  expect(path).toBe('.state/report.html');
  expect(readFileSync(outside, 'utf8')).toBe('mine');
  const html = project.read('.state/report.html')!;
  expect(Buffer.byteLength(html)).toBe(bytes);
  expect(html).toContain('the score is 40, below the threshold of 80');
  expect(html).toContain('&lt;b&gt;bold&lt;/b&gt;');
  expect(html).toContain('the end');
  expect(html).toContain('The last 64 KiB of 68 KiB: <code>gateline show design stdout</code> prints all');
  expect(html).not.toContain('xK9');
  expect(project.git('status', '--porcelain')).not.toContain('.state');
});

it('`report` writes an earlier run, to where it is told, and names what is damaged', async () => {
  const project = new Project({ 'gateline.yml': GATES });
  await project.run();
  await project.expect('close -r no', 0);
  await project.run('--force', 'design');
  await project.expect('report --run 1 -o pages/first.html', 0, 'wrote pages/first.html');
  expect(project.read('pages/first.html')).toMatch(
    /Gateline · run 1 ·[^]*: closed<[^]*gateline show design stdout --run 1/,
  );
  await project.expect('report --run 7', 2, 'has no run 7');
  await project.expect('report -o gateline.yml/x.html', 74, 'x.html cannot be written: ');
  expect(existsSync(join(project.root, '.state/report.html'))).toBe(false);
  const { output } = await project.unit('review');
  const digest = output!.digest.slice('sha256:'.length);
  project.remove(`.state/content/${digest.slice(0, 2)}/${digest}`);
  const gateline = await Gateline.open({ folder: project.root, environment: project.environment });
  const { html } = await gateline.report();
  expect(html).toMatch(/Gateline · run 2 ·[^]*Missing or damaged: <code>gateline check<\/code>/);
});

it('`report` overwrites only a report', async () => {
  const project = new Project({ 'gateline.yml': GATES, 'notes.html': '<!doctype html>\n<html lang="en">', empty: '' });
  for (const path of ['notes.html', 'gateline.yml', '.git']) {
    const file = join(project.root, path);
    const hint = '`--output` names another file.';
    const text = `error: ${file} was not written by \`gateline report\`\nhint: ${hint}\n`;
    expect(await project.gateline('report', '-o', path)).toEqual({ exit: 2, out: '', err: text });
  }
  expect(project.read('notes.html')).toBe('<!doctype html>\n<html lang="en">');
  expect(project.read('gateline.yml')).toBe(GATES);
  await project.expect('report -o empty', 0, 'wrote empty');
  project.write('empty', project.read('empty')!.replaceAll('\n', '\r\n'));
  await project.run();
  await project.expect('report -o empty', 0, 'wrote empty');
  expect(project.read('empty')).toContain('run 1');
});
