import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OUTPUT_NAMES } from '../../../src/action/outputs.ts';
import { MAX_SUMMARY_BYTES } from '../../../src/action/runner.ts';
import { expectSafe } from '../../report/github/safe-markdown.ts';
import type { JobReport } from '../../support/runner/session.ts';
import { bySize, spread } from '../../support/test-size.ts';
import { ACTION, GateJobs, RUN, stepOf, WORKFLOW } from '../gate-jobs.ts';

/** What agents write to do something on GitHub. */
const TEXTS: Readonly<Record<string, string>> = {
  'a command that sets an output': '::set-output name=passed::PWNED',
  'a command that sets a variable': '::set-env name=PWNED::PWNED',
  'a command that saves a state': '::save-state name=claim::PWNED',
  'a command that masks a common word': '::add-mask::payload',
  'a command that masks, in capitals and indented': '  ::ADD-MASK::payload',
  'an error of its own': '::error title=PWNED,file=a.ts,line=1::PWNED',
  'the old form of a command': 'x ##[error]PWNED ##[add-mask]payload',
  'a command of Azure': '##vso[task.setvariable variable=PWNED]PWNED',
  'a command in a second line': 'x\n::error title=PWNED::PWNED\r::warning title=PWNED::PWNED',
  'a command that stops commands': '::stop-commands::PWNED',
  'a group that never ends': '::group::PWNED',
  'a matcher of problems': '::add-matcher::/tmp/PWNED.json',
  'a delimiter of outputs': 'x\nEOF\nPWNED=1\npassed<<EOF\nPWNED\nEOF',
  'a delimiter like ours': 'ghadelimiter_00000000-0000-0000-0000-000000000000\nPWNED=1',
  mentions: 'Thanks @octocat and @acme/team, cc @everyone',
  'closing keywords': 'Fixes #1, closes acme/shop#2, resolves https://github.com/acme/shop/issues/3, GH-4',
  html: '<img src=x onerror=alert(1)><script>alert(1)</script></details></td></table><!-- x',
  'a marker of ours': '<!-- gateline-comment/1 0123456789abcdef 9.9.9 -->\nPWNED',
  fences: '```\n````\n~~~\nPWNED\n````',
  'a table row': '| a | b |\n| --- | --- |\n| PWNED | PWNED |',
  'headings and quotes': '# PWNED\n> [!CAUTION]\n> PWNED\n- [x] PWNED\n---',
  'images and links': '![PWNED](https://evil.example/p.png) [PWNED](javascript:alert(1)) https://evil.example',
  mermaid: '"]; click n0 href "javascript:alert(1)" %%{init: {"securityLevel": "loose"}}%%',
  mathematics: '$$\\href{javascript:alert(1)}{PWNED}$$ $`PWNED`$',
  'escape sequences': '\u001b[31mPWNED\u001b[2J\u001b]8;;https://evil.example\u0007x\u001b]8;;\u0007\u009b1m',
  'directions and nothings': '\u202eDENWP\u2066\u200b\u200d@octocat\u2028\u2029\ufeff\u0000\u0007',
  'an expression': '${{ secrets.GITHUB_TOKEN }} ${{ github.event.pull_request.title }}',
  'a shell': '$(touch PWNED) `touch PWNED` "; touch PWNED; \' && touch PWNED',
  prototypes: '__proto__',
  'a line of a megabyte': `::error::PWNED ${'x<!--@`|'.repeat(131_072)}`,
  'a hundred thousand lines': '::error title=PWNED::PWNED\n'.repeat(100_000),
};

/** Writes the text everywhere: log, output, metrics, learnings, and where the schema quotes it. */
const AGENT = `
import { readFileSync, writeFileSync } from 'node:fs';
const { text, fails } = JSON.parse(readFileSync(process.env.TEXT_FILE, 'utf8'));
process.stdout.write(text + '\\n');
process.stderr.write(text + '\\n');
const issue = { severity: 'error', message: text, file: text, line: 3, path: text };
const value = { score: 90, grade: fails ? text : 'a', text, [text.slice(0, 100) + '.']: 1, issues: [issue], nested: { errors: [issue] } };
writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify(value));
const short = text.slice(0, 150);
writeFileSync(process.env.GATELINE_METRICS, JSON.stringify({ model: short, costUsd: 1, tools: [short], mcps: [short] }));
writeFileSync(process.env.GATELINE_LEARNINGS, text);
`;

const JOBS = `
on: pull_request
jobs:
  review:
    runs-on: ubuntu-latest
    outputs: { digest: '\${{ steps.gate.outputs.digest }}', passed: '\${{ steps.gate.outputs.passed }}' }
    steps:
      - uses: actions/checkout@v7
      - id: gate
        uses: ${ACTION}
        with:
          run: node agents/say.mjs
          subject: \${{ inputs.subject }}
          schema: schema.json
          score: /score
          inputs: '[]'
          expose-output: true
          cache: off
      - id: after
        if: always()
        run: 'echo "payload passed=$PWNED; $(ls)"'
  report:
    runs-on: ubuntu-latest
    needs: review
    steps:
      - uses: actions/checkout@v7
      - id: report
        uses: ${ACTION}
        with: { command: report, needs: '\${{ toJSON(needs) }}', comment: always, subject: '\${{ inputs.subject }}' }
`;

const PAYLOAD = {
  repository: { default_branch: 'main' },
  pull_request: {
    number: 7,
    head: { ref: 'main', sha: '0'.repeat(40), repo: { full_name: 'octo/gates' } },
    base: { ref: 'main', sha: '', repo: { full_name: 'octo/gates' } },
  },
};

let template: GateJobs;
beforeAll(async () => {
  const schema = {
    type: 'object',
    required: ['score', 'grade'],
    properties: { score: { type: 'number' }, grade: { enum: ['a', 'b'] } },
  };
  const files = { [WORKFLOW]: JOBS, 'schema.json': JSON.stringify(schema), 'agents/say.mjs': AGENT };
  template = await GateJobs.create(files, { how: 'mostly here' });
});
afterAll(() => template[Symbol.asyncDispose]());

/** What may be a subject: one line, not too long. */
function asSubject(text: string): string {
  return text
    .replaceAll(/[\0-\x1f\x7f-\x9f\u2028\u2029]/g, ' ')
    .trim()
    .slice(0, 200);
}

/** Outputs of a step that are larger are not given. */
const LONGEST_VALUE = 256 * 1024;

interface Told {
  readonly review: JobReport;
  readonly report: JobReport;
  readonly comments: readonly string[];
}

async function say(name: string, text: string, fails: boolean): Promise<Told> {
  await using jobs = await template.fork(name);
  const file = template.repository.beside(`${name}.${fails}.json`);
  await writeFile(file, JSON.stringify({ text, fails }));
  const head = (await template.repository.git('rev-parse', 'HEAD')).trim();
  const pull = { ...PAYLOAD.pull_request, base: { ...PAYLOAD.pull_request.base, sha: head } };
  const about = { path: WORKFLOW, headSha: head, event: 'pull_request', pullRequests: [7] };
  const order = (job: string) => ({
    options: { run: RUN, job, about, payload: { ...PAYLOAD, pull_request: pull } },
  });
  const contexts = { inputs: { subject: asSubject(text) } };
  const machine = { TEXT_FILE: file };
  const review = await jobs.run('review', { machine, order: { ...order('review'), contexts } });
  const needs = { review: { result: review.conclusion, outputs: { ...review.outputs } } };
  const report = await jobs.run('report', { machine, order: { ...order('report'), contexts: { ...contexts, needs } } });
  return { review, report, comments: jobs.service.world.comments.map(({ body }) => body) };
}

const ALL = Infinity;

describe.each([
  ['that passes', false, bySize({ sample: 5, full: 16, soak: ALL })],
  // Fewer: what is rendered is the same text.
  ['that its schema refuses, which quotes it', true, bySize({ sample: 5, full: 8, soak: ALL })],
])('text of an agent in an output %s', (_, fails, count) => {
  it.concurrent.each(spread(Object.entries(TEXTS), count))('does nothing: %s', async (name, text) => {
    const { review, report, comments } = await say(name, text, fails);
    const conclusion = fails ? 'failure' : 'success';
    expect([review.conclusion, report.conclusion]).toEqual([conclusion, conclusion]);
    const gate = stepOf(review, 'gate');
    expect(gate.code).toBe(fails ? 1 : 0);
    // Outputs: ours, and of the agent's only the one that was asked for.
    expect(Object.keys(gate.outputs).filter((key) => !OUTPUT_NAMES.some((known) => known === key))).toEqual([]);
    const { value, ...others } = gate.outputs;
    expect(Object.values(others).filter((one) => /PWNED|payload/.test(one))).toEqual([]);
    expect(others['passed']).toBe(String(!fails));
    if (fails || text.length > LONGEST_VALUE) expect(value).toBeUndefined();
    else expect((JSON.parse(value!) as { text: string }).text).toBe(text);
    // Nothing is set, masked or made.
    expect(stepOf(review, 'after').log).toEqual(['payload passed=; agents\nschema.json'.split('\n')[0], 'schema.json']);
    for (const { annotations } of [review, report]) {
      expect(annotations.filter(({ properties }) => /PWNED/.test(properties['title'] ?? ''))).toEqual([]);
      expect(annotations.filter(({ message }) => message === 'PWNED')).toEqual([]);
      expect(annotations.filter(({ message }) => /is disabled|cannot stop/.test(message))).toEqual([]);
    }
    // What is shown is ours, and all of it fits.
    expect(comments).toHaveLength(1);
    for (const markdown of [gate.summary, stepOf(report, 'report').summary, comments[0]!]) {
      expect(markdown).not.toBe('');
      expectSafe(markdown, 'https://github.com/octo/gates/');
      expect(Buffer.byteLength(markdown)).toBeLessThanOrEqual(MAX_SUMMARY_BYTES);
    }
    expect(comments[0]!.length).toBeLessThanOrEqual(65_536);
  });
});
