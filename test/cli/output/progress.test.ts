import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ScratchWorkspace } from '../../support/scratch-workspace.ts';
import { gateline, gatelineYml, writes } from '../in-process.ts';

/** Waits until the test lets it go on: until the file is there. */
const waitsFor = (file: string): string => `while [ ! -e '${file}' ]; do sleep 0.05; done; ${writes(1)}`;

const silence = 40;

describe('plain progress', () => {
  it('says what is still running after a silence, so that no log is dead', async () => {
    await using workspace = await ScratchWorkspace.create({ f: '' });
    const go = workspace.beside('go');
    await workspace.write('gateline.yml', gatelineYml({ a: { run: waitsFor(go), inputs: [] } }));
    let heard = 0;
    const { out, code } = await gateline(workspace.root, ['run', '-q'], {
      silenceMs: silence,
      onWrite: (text) => {
        if (text.startsWith('still running: ') && (heard += 1) === 2) writeFileSync(go, '');
      },
    });
    expect(out).toMatch(/^still running: a \(\d+\.\ds\)$/m);
    expect(code).toBe(0);
  });

  it('says how much longer the run takes, if earlier runs show it', async () => {
    await using workspace = await ScratchWorkspace.create({ f: '1' });
    const go = workspace.beside('go');
    const gates = { a: { run: waitsFor(go), inputs: ['f'] }, b: { needs: 'a', run: writes(1) } };
    await workspace.write('gateline.yml', gatelineYml(gates));
    writeFileSync(go, '');
    expect((await gateline(workspace.root, ['run', '-q'])).code).toBe(0);
    const [month] = readdirSync(workspace.path('.state/history'));
    const path = join(workspace.path('.state/history'), month!);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/"ms":\d+/g, '"ms":120000'));
    rmSync(go);
    await workspace.write('f', '2');
    const { out } = await gateline(workspace.root, ['run', '-q'], {
      silenceMs: silence,
      onWrite: (text) => {
        if (text.startsWith('still running: ')) writeFileSync(go, '');
      },
    });
    expect(out).toMatch(/^still running: a \(\d+\.\ds\); about (?:4m 00|3m 5\d)s left$/m);
  });

  it('shows each attempt, what was wrong first, and agents’ lines after their gate', async () => {
    const run = `echo "hello"; [ $((GATELINE_ATTEMPT % 2)) = 1 ] && exit 0; ${writes({ n: 'x' })}`;
    const output = { schema: { properties: { n: { type: 'number' }, m: true }, required: ['m'] } };
    await using workspace = await ScratchWorkspace.create({
      'gateline.yml': gatelineYml({ a: { run, inputs: [], retries: 1, output } }),
    });
    const { out } = await gateline(workspace.root, ['run']);
    expect(out).toContain('a: started (try 1 of at most 2)\na | hello\n');
    // What is wrong and what to do stands in the checkpoint below.
    expect(out).toMatch(/^a: failed \(missing\), [\d.]+s\. Retrying with this feedback\.\n\n# Checkpoint/m);
    expect(out).toMatch(/^a: failed \(schema\), [\d.]+s\n\n# Checkpoint[^]*must be a number[^]*Make the output meet/m);
    const quiet = await gateline(workspace.root, ['run', '-q']);
    expect(quiet.out).toMatch(
      /^a: failed \(schema\), [\d.]+s: \/n: must be .* \(and 1 more\)\. Make the output meet the schema\.\n/m,
    );
    expect(quiet.out).toMatch(/^a: failed \(missing\), .*Retrying with this feedback\.\n/m);
    expect(quiet.out).not.toContain('hello');
    expect(quiet.out).not.toContain('# Checkpoint');
  });
});

describe('live progress', () => {
  /** What a terminal of that size shows in the end, and the most rows that it ever showed. */
  function terminal(text: string, columns: number): { readonly lines: string[]; readonly scrolledPast: number } {
    const lines: string[] = [''];
    let row = 0;
    let lost = 0;
    for (const token of text.match(/\u001B\[\d*[A-Za-z]|\r|\n|[^\u001B\r\n]+/g) ?? []) {
      const control = /^\u001B\[(\d*)([A-Za-z])$/.exec(token);
      if (control?.[2] === 'A') {
        if (Number(control[1]) > row) lost += 1;
        row = Math.max(0, row - Number(control[1]));
      } else if (control?.[2] === 'J') lines.length = row;
      else if (token === '\n') row += 1;
      else if (control === null && token !== '\r') {
        for (let at = 0; at < token.length; at += columns) {
          if (at > 0) row += 1;
          lines[row] = (lines[row] ?? '') + token.slice(at, at + columns);
        }
      }
    }
    return { lines: lines.map((line) => line ?? ''), scrolledPast: lost };
  }

  const pipeline = gatelineYml({
    a: { run: 'echo working; sleep 0.5; ' + writes(1), inputs: [] },
    'a-gate-with-a-long-name': { needs: 'a', run: 'exit 3', inputs: [] },
    c: { needs: 'a-gate-with-a-long-name', run: 'true', inputs: [] },
  });

  it.each([200, 80, 40, 20])('draws over itself and leaves nothing behind at %d columns', async (columns) => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': pipeline });
    const { out, code } = await gateline(workspace.root, ['run'], {
      screen: { interactive: true, columns, rows: 40 },
      environment: { ...process.env, NO_COLOR: '1' },
    });
    const shown = terminal(out, columns);
    expect(shown.scrolledPast).toBe(0);
    expect(out).toContain('\u001B[0J');
    // One table is left: that of the end.
    expect(shown.lines.filter((line) => /^#\s+gate/.test(line))).toHaveLength(1);
    expect(shown.lines.join('\n')).not.toContain('working');
    expect(shown.lines[0]).toContain('p for main: starting run 1'.slice(0, columns));
    expect(code).toBe(1);
  });

  it('follows a terminal that is made narrower', async () => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': pipeline });
    let columns = 100;
    const written: string[] = [];
    await gateline(workspace.root, ['run'], {
      environment: { ...process.env, NO_COLOR: '1' },
      screen: {
        interactive: true,
        rows: 40,
        get columns() {
          return columns;
        },
      },
      onWrite: (text) => {
        written.push(text);
        if (text.includes(' running ')) columns = 30;
      },
    });
    // Drawn at 100 columns, erased at 30: each line takes as many rows as the terminal broke it into.
    const at = written.findIndex((text) => text.includes(' running '));
    const drawn = written[at]!.slice(written[at]!.indexOf('\u001B[0J') + 4)
      .trimEnd()
      .split('\n');
    const rows = drawn.reduce((sum, line) => sum + Math.ceil(line.length / 30), 0);
    expect(rows).toBeGreaterThan(drawn.length);
    expect(written[at + 1]).toMatch(new RegExp(`^\\r\\u001B\\[${rows}A\\u001B\\[0J`));
  });

  it('shows the essence where the table is higher than the terminal', async () => {
    const gates = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [
        `g${at}`,
        { run: at === 0 ? 'sleep 0.6; ' + writes(1) : writes(1), inputs: [], needs: at === 0 ? [] : ['g0'] },
      ]),
    );
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': gatelineYml(gates) });
    const { out } = await gateline(workspace.root, ['run', '-g', 'g0'], {
      screen: { interactive: true, columns: 80, rows: 10 },
      environment: { ...process.env, NO_COLOR: '1' },
    });
    expect(out).toMatch(/0 of 30 gates done; running: g0 \d/);
    const ups = [...out.matchAll(/\u001B\[(\d+)A/g)].map(([, rows]) => Number(rows));
    expect(Math.max(...ups)).toBeLessThan(10);
  });

  it('has colours on a terminal, and none with NO_COLOR', async () => {
    await using workspace = await ScratchWorkspace.create({ 'gateline.yml': pipeline });
    const look = (env: Record<string, string>) =>
      gateline(workspace.root, ['status'], {
        screen: { interactive: true, columns: 80 },
        environment: { ...process.env, NO_COLOR: undefined, ...env },
      });
    expect((await look({})).out).toContain('\u001B[');
    expect((await look({ NO_COLOR: '1' })).out).not.toContain('\u001B');
  });
});
