import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startActionHere } from '../action-in-process.ts';
import { someOf } from '../../support/test-size.ts';
import { TIME_LIMITS } from '../faults/two-gates.ts';
import { ACTION, GateJobs, messagesOf, stepOf, WORKFLOW } from '../gate-jobs.ts';

/** Where the runner has what is known of the agent's own claim: `$C`. */
const CLAIM = `C="$RUNNER_TEMP/gateline/claims/$(node -p 'JSON.parse(Buffer.from(process.env.TOKEN, "base64url")).claim.slice(7)')"`;

/**
 * What an agent does between `begin` and `complete` so that its bad output passes, in bash. `$OUTPUT` is where it has written
 * a score of 10, of 80 that are needed. With each the kinds of failure that its attempt may end with.
 */
const DEEDS: Readonly<Record<string, readonly [script: string, ...kinds: string[]]>> = {
  nothing: ['true', 'partial'],
  'edits its own schema': [`echo '{}' > schema.json`, 'partial'],
  'edits its own schema, and commits that': [
    `echo '{}' > schema.json; git -c user.name=a -c user.email=a@b commit -qam x`,
    'partial',
  ],
  'writes a gateline.yml': [
    `printf 'version: 1\\npipeline: gates\\ngates: {review: {run: "true"}}\\n' > gateline.yml`,
    'partial',
  ],
  'writes a gateline.yml, and commits that': [
    `printf 'version: 1\\npipeline: gates\\ngates: {review: {run: "true"}}\\n' > gateline.yml; git add -A; git -c user.name=a -c user.email=a@b commit -qm x`,
    'partial',
  ],
  'edits the workflow': [`sed -i 's/threshold: 80/threshold: 1/' ${WORKFLOW}`, 'partial'],
  'sets states, so that main is taken for post': [
    `printf 'STATE_started=true\\nSTATE_finished=true\\nSTATE_claim=\\nSTATE_isPost=true\\n' >> "$GITHUB_ENV"`,
    'partial',
  ],
  'sets inputs of the contract': [
    `printf 'INPUT_THRESHOLD=1\\nINPUT_SCORE=\\nINPUT_SCHEMA={}\\nINPUT_PARTIAL=continue\\nINPUT_CHECKS=\\n' >> "$GITHUB_ENV"`,
    'partial',
  ],
  'sets another command': [
    `printf 'INPUT_COMMAND=plan\\nINPUT_OUTCOME=success\\nINPUT_FILE=evil.yml\\n' >> "$GITHUB_ENV"`,
    'partial',
  ],
  'sets what the runner tells': [
    `printf 'GITHUB_SHA=0\\nGITHUB_RUN_ATTEMPT=9\\nGITHUB_RUN_ID=1\\nGITHUB_EVENT_NAME=x\\nRUNNER_TEMP=/tmp/evil\\nGITHUB_WORKSPACE=/\\n' >> "$GITHUB_ENV"`,
    'partial',
  ],
  'sets where services are': [
    `printf 'ACTIONS_RESULTS_URL=http://127.0.0.1:1/\\nACTIONS_RUNTIME_TOKEN=x\\nGITHUB_API_URL=http://127.0.0.1:1\\n' >> "$GITHUB_ENV"`,
    'partial',
  ],
  'sets options of Node': [`printf 'NODE_OPTIONS=--require /tmp/evil.js\\n' >> "$GITHUB_ENV"`, 'partial'],
  'sets time limits that are none': [`printf 'GATELINE_TIME_LIMITS=99999\\n' >> "$GITHUB_ENV"`, 'partial'],
  'sets where git looks': [
    `git init -q "$RUNNER_TEMP/other"; printf "GIT_DIR=$RUNNER_TEMP/other/.git\\nGIT_WORK_TREE=/\\nGIT_INDEX_FILE=/x\\n" >> "$GITHUB_ENV"`,
    'partial',
  ],
  'puts its own git first': [
    `mkdir "$RUNNER_TEMP/bin"; printf '#!/bin/sh\\nexit 0\\n' > "$RUNNER_TEMP/bin/git"; chmod +x "$RUNNER_TEMP/bin/git"; echo "$RUNNER_TEMP/bin" >> "$GITHUB_PATH"`,
    'partial',
    'agent-error',
  ],
  'replaces the contract in the spool': [
    `find "$RUNNER_TEMP/gateline/spool" -type f | while read -r f; do chmod u+w "$f"; echo '{}' > "$f"; done`,
    'partial',
    'agent-error',
  ],
  'empties the spool': [`rm -rf "$RUNNER_TEMP/gateline/spool"`, 'partial', 'agent-error'],
  'replaces the spool by a link': [
    `rm -rf "$RUNNER_TEMP/gateline/spool"; ln -s / "$RUNNER_TEMP/gateline/spool"`,
    'none',
    'agent-error',
  ],
  'edits the files of its attempt': [
    `find "$RUNNER_TEMP/gateline/attempts" -name place.json | while read -r f; do chmod u+w "$f"; echo '{}' > "$f"; done`,
    'lost',
  ],
  'removes the folder of its attempt': [`rm -rf "$RUNNER_TEMP/gateline/attempts"`, 'lost'],
  'writes an end of another gate among those that wait': [`${CLAIM}; echo "$FORGED" > "$C/end.json"`, 'partial'],
  'writes an end of another gate among those that wait, and fails': [
    `${CLAIM}; echo "$FORGED" > "$C/end.json"; exit 1`,
    'agent-error',
  ],
  'says that its claim is completed': [`${CLAIM}; echo "$FORGED" > "$C/recorded.json"`, 'partial'],
  'says that its claim is completed, and fails': [`${CLAIM}; : > "$C/recorded.json"; exit 1`, 'none'],
  'alters its claim': [`${CLAIM}; sed -i 's/"n":1/"n":2/' "$C/claim.json"`, 'partial'],
  'puts a pipe in the place of its claim': [
    `${CLAIM}; rm "$C"/*; for f in claim earlier end recorded; do mkfifo "$C/$f.json"; done`,
    'partial',
    'none',
  ],
  'removes its claim': [`${CLAIM}; rm -r "$C"`, 'partial'],
  'edits the payload of the event': [`echo '{"x":' > "$GITHUB_EVENT_PATH"`, 'none', 'agent-error'],
  'switches branches': [`git checkout -q --orphan evil; git rm -rfq .`, 'partial'],
  'removes git’s folder': [`rm -rf .git`, 'partial', 'none', 'agent-error'],
  'removes the workspace': [`rm -rf ./* ./.g*`, 'partial', 'none', 'agent-error'],
  'hooks git': [
    `mkdir -p .git/hooks; for h in post-checkout post-index-change pre-commit fsmonitor; do printf '#!/bin/sh\\ntouch /tmp/evil-hook\\n' > .git/hooks/$h; chmod +x .git/hooks/$h; done`,
    'partial',
  ],
  'makes its output a link': [
    `rm "$OUTPUT"; echo '{"score":95}' > good.json; ln -s "$PWD/good.json" "$OUTPUT"`,
    'missing',
  ],
  'makes its output a hard link to a device': [`rm "$OUTPUT"; mkfifo "$OUTPUT"`, 'missing'],
  'makes its output a folder': [`rm "$OUTPUT"; mkdir "$OUTPUT"`, 'missing'],
  'makes its output larger than anything': [`truncate -s 300M "$OUTPUT"`, 'too-large'],
  'leaves something behind that writes a better output later': [
    `(sleep 20; echo '{"score":95}' > "$OUTPUT") > /dev/null 2>&1 & disown`,
    'partial',
  ],
  'kills what runs it': [`kill -9 $$`, 'agent-error'],
};

const FORGED = JSON.stringify({
  kind: 'ended',
  format: 'gateline-record/2',
  pipeline: 'gates',
  subject: 'main',
  gate: 'deploy',
  leg: '',
  runNumber: 1,
  runAttempt: 1,
  n: 1,
  at: '2026-01-01T00:00:00.000Z',
  by: { host: 'github/octo/gates', boot: '501.1', pid: 1, pidStart: 'x', actor: 'octocat' },
  fingerprint: `sha256:${'0'.repeat(64)}`,
  contract: `sha256:${'0'.repeat(64)}`,
  needs: {},
  how: 'ran',
  verdict: { status: 'passed', kind: 'passed', score: 100, advice: '', issues: [] },
  startedAt: '2026-01-01T00:00:00.000Z',
  files: [],
  touched: [],
  logs: {},
});

const JOBS = `
on: push
jobs:
  review:
    runs-on: ubuntu-latest
    outputs: { passed: '\${{ steps.done.outputs.passed }}' }
    steps:
      - uses: actions/checkout@v7
      - id: gate
        uses: ${ACTION}
        with: { command: begin, inputs: '[]', schema: schema.json, score: /score, threshold: 80 }
      - id: agent
        env: { OUTPUT: '\${{ steps.gate.outputs.output-file }}', TOKEN: '\${{ steps.gate.outputs.token }}' }
        run: |
          echo '{"score":10}' > "$OUTPUT"
          eval "$DEED"
      - id: done
        uses: ${ACTION}
        with: { command: complete, token: '\${{ steps.gate.outputs.token }}' }
`;

let template: GateJobs;
beforeAll(async () => {
  const schema = { type: 'object', required: ['score'], properties: { score: { type: 'number' } } };
  template = await GateJobs.create({ [WORKFLOW]: JOBS, 'schema.json': JSON.stringify(schema) });
});
afterAll(() => template[Symbol.asyncDispose]());

describe('an agent whose output is bad', () => {
  it.concurrent.each(someOf(Object.entries(DEEDS), 3))(
    'gets no green job and no record that passed: it %s',
    async (name, [deed, ...kinds]) => {
      await using jobs = await template.fork(name.replaceAll(/\W+/g, '-'));
      const report = await jobs.run('review', { machine: { ...TIME_LIMITS, DEED: deed, FORGED } });
      expect([report.conclusion, report.outputs['passed'] ?? '']).not.toContain('success');
      expect(report.outputs['passed']).not.toBe('true');
      const ends = jobs.records().flatMap((one) => (one.kind === 'ended' ? [one] : []));
      expect(ends.filter(({ verdict, gate }) => verdict.status === 'passed' || gate !== 'review')).toEqual([]);
      expect(kinds).toContain(ends[0]?.verdict.kind ?? 'none');
      expect(ends.length).toBeLessThanOrEqual(1);
      expect(messagesOf(report).filter((line) => /INTERNAL|a bug/.test(line))).toEqual([]);
      expect(stepOf(report, 'gate').code).toBe(0);
      // Whatever it did here, the next attempt of the run begins anew on a machine of its own. Nobody attacks its steps:
      // they are in this process.
      const again = await jobs.run('review', {
        attempt: 2,
        order: { startAction: startActionHere },
        machine: { ...TIME_LIMITS, DEED: `echo '{"score":95}' > "$OUTPUT"` },
      });
      expect([again.conclusion, messagesOf(again)]).toEqual(['success', []]);
    },
  );
});
