import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { main } from '../src/cli/main.ts';
import { forHtml } from '../src/untrusted/escape.ts';
import { CHROMIUM, startChromium } from '../test/support/chromium.ts';
import { startGithub } from '../test/support/github/github.ts';
import { createRepository } from '../test/support/runner/repository.ts';
import type { Run } from '../test/support/runner/run.ts';
import { githubPage } from './github-page.ts';
import { ROOT } from './run.ts';

/*
 * `npm run screenshots`: makes the pictures in docs/images from real runs, in about three minutes. Needs Chromium, pngquant
 * and fonts: `apt install chromium pngquant fonts-noto-core
 * fonts-noto-color-emoji`.
 */

const IMAGES = join(ROOT, 'docs', 'images');
/** Pixels of CSS. */
const [WIDTH, MARGIN] = [900, 16];

const folder = fs.mkdtempSync(join(tmpdir(), 'gateline-screenshots-'));

/** Saves a picture of a page, down to the end of an element. */
async function shoot(browser: Browser, name: string, html: string, last = 'body > :last-child'): Promise<void> {
  const page = await browser.newPage({ viewport: { width: WIDTH, height: 100 }, deviceScaleFactor: 2 });
  await page.setContent(html);
  const box = await page.locator(last).boundingBox();
  const height = Math.ceil(box!.y + box!.height + MARGIN);
  const path = join(IMAGES, `${name}.png`);
  await page.screenshot({ path, fullPage: true, clip: { x: 0, y: 0, width: WIDTH, height } });
  execFileSync('pngquant', ['--force', '--output', path, path]);
}

const PIPELINE = `pipeline: password-reset
task: Let users reset a forgotten password
gates:
  plan: { agent: Planner, run: sh agents/plan.sh, inputs: [agents/plan.sh], output: { score: /score } }
  code: { agent: Coder, needs: plan, run: sh agents/code.sh, inputs: [agents/code.sh], files: [src/**] }
  test: { agent: Tester, needs: code, run: sh agents/test.sh, inputs: [agents/test.sh], output: { checks: output.failed == 0 } }
  review:
    agent: Reviewer
    needs: [code, test]
    run: sh agents/review.sh
    inputs: [agents/review.sh]
    approval: required
    output: { score: /score }
`;

/** The script of an agent that works for some seconds, and reports its cost. */
function agent(seconds: number, costUsd: number, output: object, work = ''): string {
  return `sleep ${seconds}
${work}
printf '%s' '${JSON.stringify({ costUsd })}' > "$GATELINE_METRICS"
printf '%s' '${JSON.stringify(output)}' > "$GATELINE_OUTPUT"
`;
}

/** A pull request with three pushes: two tests fail, then one, then a person must approve. */
async function runPullRequest(): Promise<{ readonly summary: string; readonly comment: string }> {
  const compiled = join(folder, 'compiled');
  fs.mkdirSync(compiled);
  fs.writeFileSync(join(compiled, 'gateline.yml'), PIPELINE);
  await gateline(compiled, 'compile');
  const workflow = '.github/workflows/password-reset.yml';
  await using github = await startGithub();
  await using repository = await createRepository(github, {
    name: 'octo/shop',
    files: {
      'gateline.yml': PIPELINE,
      [workflow]: fs.readFileSync(join(compiled, workflow)),
      'agents/plan.sh': agent(18, 0.42, { steps: ['a form', 'a link by mail', 'a new password'], score: 95 }),
      'agents/code.sh': agent(54, 1.42, { changed: ['src/reset.js'] }, 'mkdir -p src && echo "// …" > src/reset.js'),
      'agents/test.sh': agent(5, 0, { passed: 22, failed: 2 }),
      'agents/review.sh': agent(12, 0.31, { score: 91, comments: [] }),
    },
  });
  const push = (test: object): Promise<Run> =>
    repository.pullRequest({ branch: 'password-reset', files: { 'agents/test.sh': agent(4, 0.08, test) } });
  await push({ passed: 22, failed: 2 });
  const failed = await push({
    passed: 23,
    failed: 1,
    findings: [{ file: 'src/reset.js', line: 14, severity: 'error', message: 'a link works twice' }],
  });
  await push({ passed: 24, failed: 0 });
  return { summary: failed.job('report').summary, comment: repository.data.comments[0]?.body ?? '' };
}

/** A rule of the example's page, and a broken one that refuses every valid number. */
const [RULE, BROKEN_RULE] = [String.raw`mobile: /^\d{10}$/`, String.raw`mobile: /^\d{9}$/`];

/** examples/web-tests, run on a terminal: first all gates pass, then the page is broken, then it is repaired. */
async function runExample(): Promise<{ readonly lines: string; readonly page: string }> {
  const workspace = join(folder, 'web-tests');
  fs.cpSync(join(ROOT, 'examples', 'web-tests'), workspace, { recursive: true });
  fs.symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  execFileSync('git', ['init', '--quiet'], { cwd: workspace });
  const file = join(workspace, 'page', 'registration.html');
  const page = fs.readFileSync(file, 'utf8');
  if (!page.includes(RULE)) throw new Error('the page of the example has another rule');
  await gateline(workspace, 'run');
  fs.writeFileSync(file, page.split(RULE).join(BROKEN_RULE));
  const broken = await gateline(workspace, 'run');
  await gateline(workspace, 'report');
  const report = fs.readFileSync(join(workspace, '.state', 'report.html'), 'utf8');
  fs.writeFileSync(file, `${page}<!-- mended -->\n`);
  const mended = await gateline(workspace, 'run');
  const edit = comment('Somebody edits page/registration.html. Only what reads it runs again.');
  const repair = comment('The page is repaired. The run goes on from where it stopped.');
  return { lines: `${edit}${broken}\n${repair}${mended}`, page: report };
}

const comment = (text: string): string => `\u001b[2m# ${text}\u001b[0m\n`;

const COLUMNS = 104;

/** Runs a command. @returns what a terminal shows of it */
async function gateline(workingDirectory: string, ...words: readonly string[]): Promise<string> {
  let text = `\u001b[2m$\u001b[0m \u001b[1mgateline ${words.join(' ')}\u001b[0m\n`;
  const write = (more: string): void => {
    // The live table is removed before anything else is shown.
    const [, up] = /^\u001b\[(\d+)A\u001b\[0J$/.exec(more) ?? [];
    const lines = text.split('\n');
    text = up === undefined ? text + more : `${lines.slice(0, -1 - Number(up)).join('\n')}\n`;
  };
  const screen = { write, isInteractive: true, hasColors: true, columns: COLUMNS, rows: 40 };
  const path = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  await main({
    arguments: words,
    environment: { ...process.env, PATH: path },
    workingDirectory,
    out: screen,
    err: screen,
    readStandardInput: () => Promise.resolve(new Uint8Array()),
    onInterrupt: () => ({ [Symbol.dispose]: () => undefined }),
  });
  return text.replaceAll(folder, '~');
}

/** Pixels of a character, a line and the margin. */
const [CHARACTER, LINE, PADDING] = [8.13, 20, 20];

/** A picture of a dark terminal as SVG. */
function terminalImage(text: string): string {
  const lines = forHtml(text.replaceAll('\u001b', '\u{e000}').trimEnd()).split('\n');
  const rows = lines.map((line, row) => {
    const colored = line.replace(/\u{e000}\[(\d+)m(.*?)\u{e000}\[0m/gu, '<tspan class="s$1">$2</tspan>');
    return `<text x="${PADDING}" y="${PADDING + (row + 0.75) * LINE}">${colored}</text>`;
  });
  const [width, height] = [Math.ceil(COLUMNS * CHARACTER) + 2 * PADDING, lines.length * LINE + 2 * PADDING];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>A gate fails, and the run goes on from there</title>
<style>text{font:13.5px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#e6edf3;white-space:pre}.s1{font-weight:700}.s2{fill:#9198a1}.s31{fill:#ff7b72}.s32{fill:#3fb950}.s33{fill:#d29922}</style>
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
${rows.join('\n')}
</svg>
`;
}

try {
  if (CHROMIUM === undefined) throw new Error('install Chromium');
  const [pull, example] = await Promise.all([runPullRequest(), runExample()]);
  fs.mkdirSync(IMAGES, { recursive: true });
  fs.writeFileSync(join(IMAGES, 'terminal.svg'), terminalImage(example.lines));
  await using browser = await startChromium();
  await shoot(browser, 'summary', githubPage(pull.summary, '<b>report</b> summary'));
  await shoot(browser, 'comment', githubPage(pull.comment, '<b>github-actions</b> <i>bot</i> commented'));
  await shoot(browser, 'page', example.page, '#gates');
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
