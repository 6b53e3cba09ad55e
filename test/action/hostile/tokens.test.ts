import { platform } from 'node:process';
import { describe, expect, it } from 'vitest';
import { ACTION, GateJobs, stepOf, WORKFLOW } from '../gate-jobs.ts';

// The job's own tokens reach agents: by `env:`, from `.git/config`, or from the process of the action. They are never kept.

/** Finds the tokens, and writes them in every form that git and people use to every place that is kept. */
const AGENT = `
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
const [output] = process.argv.slice(2);
function runtimeToken(pid = process.pid) {
  const environment = readFileSync('/proc/' + pid + '/environ', 'utf8');
  const found = /(?:^|\\0)ACTIONS_RUNTIME_TOKEN=([^\\0]+)/.exec(environment)?.[1];
  if (found !== undefined) return found;
  const parent = Number(/^PPid:\\s*(\\d+)/m.exec(readFileSync('/proc/' + pid + '/status', 'utf8'))[1]);
  return parent > 1 ? runtimeToken(parent) : 'none';
}
const tokens = [process.env.LEAKED, ...(process.env.FROM_PROCESS ? [runtimeToken()] : [])];
for (const token of tokens) appendFileSync(process.env.START_LOG, token + '\\n');
const forms = tokens.flatMap((token) => {
  const basic = Buffer.from('x-access-token:' + token).toString('base64');
  return [token, basic, basic.replace(/.{76}/g, '$&\\n'), Buffer.from(token).toString('base64'), encodeURIComponent(basic),
    Buffer.from('https://x-access-token:' + token + '@github.com').toString('base64'), 'AUTHORIZATION: basic ' + basic];
});
for (const form of forms) console.log(form);
writeFileSync(output, JSON.stringify({ score: 90, forms, ['key ' + forms[1]]: 1 }));
writeFileSync(process.env.GATELINE_LEARNINGS ?? output + '.learnings', forms.join('\\n'));
writeFileSync(process.env.GATELINE_METRICS ?? output + '.metrics', JSON.stringify({ model: forms[1].slice(0, 190) }));
`;

const JOBS = `
on: push
jobs:
  whole:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v7
      - id: gate
        uses: ${ACTION}
        env: { LEAKED: '\${{ github.token }}', FROM_PROCESS: '1' }
        with: { run: 'node agent.mjs "$GATELINE_OUTPUT"', inputs: '[]', score: /score }
  around:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v7
      - id: gate
        uses: ${ACTION}
        with: { command: begin, inputs: '[]', score: /score }
      - id: agent
        env: { LEAKED: '\${{ github.token }}' }
        run: node agent.mjs "\${{ steps.gate.outputs.output-file }}"
      - id: done
        uses: ${ACTION}
        with: { command: complete, token: '\${{ steps.gate.outputs.token }}' }
  other:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v7
      - id: gate
        uses: ${ACTION}
        env: { LEAKED: an-other-token-of-the-step-0123456789, GH_TOKEN: an-other-token-of-the-step-0123456789 }
        with: { run: 'node agent.mjs "$GATELINE_OUTPUT"', inputs: '[]', score: /score, github-token: '' }
`;

/** So much of each form in a row gives the token away. */
const PIECE = 24;

function pieces(token: string): string[] {
  const forms = [0, 1, 2].map((offset) =>
    Buffer.from('x'.repeat(offset) + token)
      .toString('base64')
      .slice(4, -4),
  );
  return [token, ...forms].flatMap((form) =>
    Array.from({ length: Math.floor(form.length / PIECE) }, (_, at) => form.slice(at * PIECE, (at + 1) * PIECE)),
  );
}

/** Everything that is kept: artifacts and cache entries, unpacked as far as they are text. */
function kept(jobs: GateJobs): string {
  return [...jobs.service.world.blobs.blobs.values()].map(({ content }) => content.toString('latin1')).join('\n');
}

describe.runIf(platform === 'linux')('the tokens of the job', () => {
  it.each([
    ['whole', 'gate', 2],
    ['around', 'done', 1],
    ['other', 'gate', 1],
  ])('are redacted in every form: %s', async (job, last, number) => {
    await using jobs = await GateJobs.create({ [WORKFLOW]: JOBS, 'agent.mjs': AGENT });
    const report = await jobs.run(job);
    const tokens = await jobs.starts();
    expect([report.conclusion, stepOf(report, last).outputs['passed']]).toEqual(['success', 'true']);
    expect(tokens.map((token) => token.length > 30)).toEqual(Array.from({ length: number }, () => true));
    const all = `${kept(jobs)}\n${report.steps.map(({ summary }) => summary).join('\n')}`;
    expect(all).toContain('***');
    for (const one of tokens) expect(pieces(one).filter((piece) => all.includes(piece))).toEqual([]);
  });
});
