import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { MAX_SUMMARY_BYTES, type Runner } from '../../src/action/runner.ts';
import { parseFileCommand } from '../support/github/file-commands.ts';
import { runnerIn } from '../support/runner/lent-process.ts';
import { LogReader } from '../support/runner/log-commands.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateline-runner-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;

function freshFiles(): Record<'GITHUB_OUTPUT' | 'GITHUB_STATE' | 'GITHUB_STEP_SUMMARY', string> {
  const file = (name: string): string => {
    const path = join(folder, `${(count += 1)}-${name}`);
    writeFileSync(path, '');
    return path;
  };
  return { GITHUB_OUTPUT: file('output'), GITHUB_STATE: file('state'), GITHUB_STEP_SUMMARY: file('summary') };
}

/** A runner, and what GitHub's would make of its log. */
function started(environment: Readonly<Record<string, string>> = {}): {
  runner: Runner;
  log: () => LogReader;
  text: () => string;
} {
  let text = '';
  const runner = runnerIn(environment, (more) => void (text += more));
  const log = (): LogReader => {
    const reader = new LogReader(new Set());
    for (const line of text.split(/\r?\n/).slice(0, -1)) reader.read(line);
    return reader;
  };
  return { runner, log, text: () => text };
}

describe('what the runner is told', () => {
  it('is in the files and the log of the process, in the forms that the runner takes', () => {
    const files = freshFiles();
    const script = join(import.meta.dirname, 'fixtures/write-to-runner.ts');
    const { stdout, status, stderr } = spawnSync(process.execPath, [script], {
      env: { PATH: '', ...files, 'INPUT_OUTPUT-FILE': ' a b ', STATE_claim: 'kept' },
      encoding: 'utf8',
    });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    const plain = (path: string): string => readFileSync(path, 'utf8').replaceAll(/_[0-9a-f-]{36}/g, '_UUID');
    expect(plain(files.GITHUB_OUTPUT)).toBe(
      'score<<ghadelimiter_UUID\n87.5\nghadelimiter_UUID\npassed<<ghadelimiter_UUID\ntrue\nghadelimiter_UUID\n',
    );
    expect(plain(files.GITHUB_STATE)).toBe('claim<<ghadelimiter_UUID\na%b\nc\nghadelimiter_UUID\n');
    expect(plain(files.GITHUB_STEP_SUMMARY)).toBe('# One\n# Two\n');
    expect(stdout.split('\n')).toEqual([
      'input: [ a b ]',
      'state: [kept]',
      '::error title=a%3Ab%2Cc%25,file=src/a%2Cb.ts,line=3,endLine=4,col=5::a%25b%0Ac',
      '::warning::plain',
      '::group::a%25b%0Ac',
      '::endgroup::',
      '::add-mask::a%25b%0Ac',
      '',
    ]);
  });

  it('comes out of its files as it went in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const files = freshFiles();
        const { runner } = started(files);
        runner.setOutput('reason', value);
        runner.saveState('claim', value);
        const normal = value.replaceAll('\r\n', '\n');
        expect(parseFileCommand(readFileSync(files.GITHUB_OUTPUT, 'utf8'))['reason']).toBe(normal);
        expect(parseFileCommand(readFileSync(files.GITHUB_STATE, 'utf8'))['claim']).toBe(normal);
      }),
      { numRuns: 50 },
    );
  });

  it('is an error where there is no file to tell it by', () => {
    const refused = expect.objectContaining({ code: 'RUNNER_FILE', fault: 'platform' });
    expect(() => started().runner.setOutput('reason', 'x')).toThrow(refused);
    const missing = join(folder, 'no', 'file');
    expect(() => started({ GITHUB_STATE: missing }).runner.saveState('x', 'y')).toThrow(refused);
  });

  it('is no command where there is no file: runners take none any more', () => {
    const { runner, text } = started();
    expect(() => runner.setOutput('reason', 'x')).toThrow('GITHUB_OUTPUT is not set');
    expect(() => runner.saveState('x', 'y')).toThrow('GITHUB_STATE is not set');
    expect(text()).toBe('');
  });

  it('is kept for the post step by its name', () => {
    expect(started({ STATE_claim: 'abc' }).runner.getState('claim')).toBe('abc');
    expect(started().runner.getState('claim')).toBe('');
  });
});

describe('the log', () => {
  it('holds no command where a text looks like one', () => {
    const commands = [
      '::error::x',
      '  ::warning file=a::x',
      'x ##[error]y',
      '##[add-mask]y',
      '::stop-commands::t',
      '\u001b[2K\r::error::x',
      'a\u2028::error::b',
    ];
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...commands), fc.string())), (texts) => {
        const { runner, log, text } = started();
        runner.info(texts.join('\n'));
        expect(log().annotations).toEqual([]);
        expect(text()).not.toMatch(/^\s*::|##\[/m);
      }),
    );
    const { runner, log } = started();
    runner.info('::error::x\nfine');
    expect(log().lines).toEqual([': :error::x', 'fine']);
  });

  it('shows an annotation where it belongs, and nothing hidden in it', () => {
    const { runner, log } = started();
    runner.annotate('warning', 'a\nb\u202e', { title: 't', place: { file: 'a.ts', line: 2, column: 3 }, endLine: 4 });
    expect(log().annotations).toEqual([
      {
        level: 'warning',
        message: 'a\nb<U+202E>',
        properties: { title: 't', file: 'a.ts', line: '2', endLine: '4', col: '3' },
      },
    ]);
  });

  it('cuts a message that is too long for an annotation', () => {
    const { runner, log } = started();
    runner.annotate('error', 'x'.repeat(100_000));
    expect(log().annotations[0]!.message).toHaveLength(4_000);
  });
});

describe('what an agent prints', () => {
  const HOSTILE = [
    '::error::forged',
    '##[add-mask]e',
    '::stop-commands::mine',
    '::mine::',
    '::set-output name=passed::true',
    '::echo::on',
  ];

  it('is shown as it is and commands nothing, while our own commands still count', async () => {
    const { runner, log } = started();
    await runner.quote(async (print) => {
      for (const line of HOSTILE) print(line);
      runner.annotate('notice', 'ours');
      runner.mask('s3cret');
      for (const line of [...HOSTILE, 'says s3cret']) print(line);
    });
    runner.annotate('error', 'after');
    expect(log().annotations.map(({ message }) => message)).toEqual(['ours', 'after']);
    const lines = log().lines;
    for (const line of HOSTILE) expect(lines.filter((one) => one === line)).toHaveLength(2);
    expect(lines).toContain('says ***');
  });

  it('is not trusted again before the last of several has ended', async () => {
    const { runner, log } = started();
    let letFirstEnd = (): void => undefined;
    const first = runner.quote(async (print) => {
      await new Promise<void>((resolve) => (letFirstEnd = resolve));
      print('::error::from the first');
    });
    await runner.quote(async (print) => print('::error::from the second'));
    letFirstEnd();
    await first;
    runner.annotate('notice', 'end');
    expect(log().annotations.map(({ message }) => message)).toEqual(['end']);
  });

  it('is trusted no more than before when its work throws', async () => {
    const { runner, log } = started();
    await expect(runner.quote(() => Promise.reject(new Error('x')))).rejects.toThrow('x');
    runner.annotate('notice', 'end');
    expect(log().annotations).toHaveLength(1);
  });

  it('is quoted by another word each time', async () => {
    const { runner, text } = started();
    for (let index = 0; index < 50; index += 1) await runner.quote(async (print) => print('x'));
    const tokens = [...text().matchAll(/^::stop-commands::(.+)$/gm)].map(([, token]) => token);
    expect(new Set(tokens).size).toBe(50);
    expect(tokens.every((token) => /^[0-9a-f-]{36}$/.test(token!))).toBe(true);
  });
});

describe('the summary', () => {
  it('never grows to where GitHub drops it, whoever wrote to it before', async () => {
    const files = freshFiles();
    const { runner } = started(files);
    writeFileSync(files.GITHUB_STEP_SUMMARY, 'é'.repeat(1_000));
    expect(runner.summaryRoom()).toBe(MAX_SUMMARY_BYTES - 2_000);
    expect(await runner.appendSummary('# One')).toBe(true);
    const room = runner.summaryRoom();
    expect(await runner.appendSummary('é'.repeat(Math.ceil(room / 2)))).toBe(false);
    expect(runner.summaryRoom()).toBe(room);
    expect(await runner.appendSummary('x'.repeat(room - 2))).toBe(true);
    expect(readFileSync(files.GITHUB_STEP_SUMMARY).byteLength).toBeLessThanOrEqual(MAX_SUMMARY_BYTES);
    expect(readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8')).toContain('é# One\n');
  });

  it('is an error where it cannot be written, and what failed is not written later', async () => {
    const files = freshFiles();
    const { runner } = started(files);
    rmSync(files.GITHUB_STEP_SUMMARY);
    const refused = expect.objectContaining({ code: 'RUNNER_FILE', fault: 'platform' });
    await expect(runner.appendSummary('# Lost')).rejects.toThrow(refused);
    await expect(started().runner.appendSummary('# Lost')).rejects.toThrow(refused);
    writeFileSync(files.GITHUB_STEP_SUMMARY, '');
    await runner.appendSummary('# Two');
    expect(readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8')).toBe('# Two\n');
  });
});
