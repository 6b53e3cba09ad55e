export const id=5775;export const ids=[5775,7118];export const modules={33192:((e,t,n)=>{n.d(t,{kV:()=>recordedOption,vU:()=>textOption,y8:()=>listOption});var r=n(13784);function textOption(e,t){let n=e[t];return typeof n==`string`?n:void 0}function recordedOption(e,t,n){let i=textOption(e,t);if(i===void 0||i.length<=n)return i;throw new r.Mk(`OPTION_VALUE`,`--${t} has ${i.length} characters; at most ${n} are kept`,{hint:`Write a shorter text.`})}function listOption(e,t){let n=e[t];return Array.isArray(n)?n:[]}}),99852:((e,t,n)=>{n.r(t),n.d(t,{TEMPLATES:()=>U,execute:()=>execute});var r=n(51455),i=n(76760),a=n(13784),o=n(72466),s=n(99179),c=n(4469),l=n(19328),u=n(33192),d=n(65158),f=n(23163),p=n(15628),m=n(91244);let h=[[`exploration`,`Riko`,`Exploration complete`],[`planning`,`Senku`,`Plan created with 1 step`],[`implementation`,`Loid`,`hello.txt written`],[`review`,`Lawliet`,`No mistakes found`,`APPROVED`],[`verification`,`Alphonse`,`All tests pass`,`VERIFIED`]],g=new Set([`review`,`verification`]),_={name:`agent-flow`,summary:`explore, plan, implement, then review and verify side by side; what fails goes back to the implementation`,files:{"gateline.yml":`# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
# docs/recipes/from-agent-flow.md: files of agent-flow are imported with \`gateline import agent-flow\`.
pipeline: agent-flow
task: Say hello
groups:
  review_verification:
    gates: [review, verification]
    on-fail: { goto: implementation, max-iterations: 10 }
gates:
${h.map(([e,t,,n],r)=>{let i=g.has(e)?`implementation`:h[r-1]?.[0];return`  ${e}:
    agent: ${t}
${i===void 0?``:`    needs: ${i}\n`}    run: sh agents/${e}.sh
    shell: sh
    inputs: [agents/${e}.sh${g.has(e)?`, hello.txt`:``}]
    memory: ['deep-dive?']
${e===`implementation`?`    files: changed
`:``}    output:
      schema: schemas/phase.schema.json
${n===void 0?``:`      result: { pointer: /result, pass: [${n}] }\n`}      message: /message
`}).join(``)}`,...Object.fromEntries(h.map(([e,t,n,r])=>[`agents/${e}.sh`,`# Replace this by the agent ${t}. Its input is in the file $GATELINE_REQUEST.
${e===`implementation`?`echo hello > hello.txt
`:``}${e===`verification`?`grep -q hello hello.txt || exit 1
`:``}printf '{${r===void 0?``:`"result": "${r}", `}"message": "${n}"}' > "$GATELINE_OUTPUT"
`])),"schemas/phase.schema.json":`{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "properties": { "result": { "type": "string" }, "message": { "type": "string" } }
}
`}},schema=(e,t)=>`{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "required": ${JSON.stringify(e)},
  "properties": ${t}
}
`,v={name:`agents`,summary:`design, implement, review and verify, with a schema for each`,files:{"gateline.yml":`# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
pipeline: agents
metadata:
  task: Say hello
gates:
  design:
    agent: Designer
    run: sh agents/design.sh
    shell: sh
    inputs: [agents/design.sh]
    output:
      schema: schemas/design.schema.json
      score: /score
      threshold: 70
      exports: /steps
  implement:
    agent: Implementer
    needs: design
    run: sh agents/implement.sh
    shell: sh
    inputs: [agents/implement.sh]
    files: changed
    retries: 1
    output:
      schema: schemas/implement.schema.json
  review:
    agent: Reviewer
    needs: implement
    run: sh agents/review.sh
    shell: sh
    inputs: [agents/review.sh, hello.txt]
    output:
      schema: schemas/review.schema.json
      checks:
        - output.critical == 0
  verify:
    agent: Verifier
    needs: [implement, review]
    run: sh agents/verify.sh
    shell: sh
    inputs: [agents/verify.sh, hello.txt]
    output:
      schema: schemas/verify.schema.json
      checks:
        - output.passed
`,"agents/design.sh":`# Replace this by the agent that designs. Its input is in the file $GATELINE_REQUEST.
printf '{"steps": ["write hello.txt"], "score": 90}' > "$GATELINE_OUTPUT"
`,"agents/implement.sh":`# Replace this by the agent that implements. On a retry, $GATELINE_FEEDBACK says what was wrong.
echo hello > hello.txt
printf '{"changed": ["hello.txt"]}' > "$GATELINE_OUTPUT"
`,"agents/review.sh":`# Replace this by the agent that reviews.
if grep -q hello hello.txt; then critical=0; else critical=1; fi
printf '{"critical": %s, "comments": []}' "$critical" > "$GATELINE_OUTPUT"
`,"agents/verify.sh":`# Replace this by the command that verifies.
if [ "$(cat hello.txt)" = hello ]; then passed=true; else passed=false; fi
printf '{"passed": %s}' "$passed" > "$GATELINE_OUTPUT"
`,"schemas/design.schema.json":schema([`steps`,`score`],`{ "steps": { "type": "array", "minItems": 1, "items": { "type": "string" } }, "score": { "type": "number" } }`),"schemas/implement.schema.json":schema([`changed`],`{ "changed": { "type": "array", "items": { "type": "string" } } }`),"schemas/review.schema.json":schema([`critical`,`comments`],`{ "critical": { "type": "integer" }, "comments": { "type": "array", "items": { "type": "string" } } }`),"schemas/verify.schema.json":schema([`passed`],`{ "passed": { "type": "boolean" } }`)}};function design_implement_review_closed(e){let t={type:`object`,required:Object.keys(e),additionalProperties:!1,properties:e};return`${JSON.stringify(t,null,2)}\n`}let y={type:`string`},b={type:`array`,items:y},x={"prompts/design.md":`# Design

The request is a JSON file: its \`task\` says what is to be achieved. Read the code that the task is about. Change nothing.

Answer with the steps of the change, in order, and with a score from 0 to 100: how sure you are that they achieve the task.
`,"prompts/implement.md":`# Implement

The request is a JSON file: its \`task\` says what is to be achieved, and \`needs.design.output\` has the steps. Carry them out in the
files of this folder. Change nothing below \`.github\`, and do not commit.

Answer with a summary in one sentence, and with the paths that you changed.
`,"prompts/review.md":`# Review

The request is a JSON file: its \`task\` says what was to be achieved, and \`needs.implement.output\` what was changed. Read these files.
Change nothing.

Answer with the number of critical mistakes, and with a comment for each of them.
`,"schemas/design.schema.json":design_implement_review_closed({steps:b,score:{type:`number`}}),"schemas/implement.schema.json":design_implement_review_closed({summary:y,changed:b}),"schemas/review.schema.json":design_implement_review_closed({critical:{type:`integer`},comments:b})};function gate(e,{tools:t,more:n}){return`  ${e}:
    agent: Claude Code
    uses:
      action: anthropics/claude-code-action@24dcd50c0568f0fc9e9211213a4fd2d9eb15c4e0 # v1.0.200
      with:
        anthropic_api_key: \${{ secrets.ANTHROPIC_API_KEY }}
        github_token: \${{ github.token }}
        prompt: |
          Do what prompts/${e}.md says.
          The request: \${{ steps.begin.outputs.request-file }}
          What was wrong with an earlier attempt, if there was one: \${{ steps.begin.outputs.feedback-file }}
        claude_args: |
          --add-dir \${{ steps.begin.outputs.attempt-directory }}
          --allowedTools "${t}"
          --json-schema '\${{ steps.schemas.outputs.${e} }}'
      output: steps.agent.outputs.structured_output
      metrics: steps.agent.outputs.execution_file
    local: node agents/claude.mjs ${e} "${t}"
    secrets: [ANTHROPIC_API_KEY]
    timeout-minutes: 30
${n}    output:
      schema: schemas/${e}.schema.json
`}let S=`Read,Glob,Grep`,C={name:`claude-code`,summary:"Claude Code designs, implements and reviews: anthropics/claude-code-action, and `claude` on your machine",files:{"gateline.yml":`# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
pipeline: claude-code
task: Write hello.txt, which says hello
# The action takes no event \`push\`.
on: [pull_request, workflow_dispatch]
steps-before:
  # The action takes a schema as one line.
  - id: schemas
    run: |
      for name in design implement review; do
        echo "$name=$(tr -d '\\n' < "schemas/$name.schema.json")" >> "$GITHUB_OUTPUT"
      done
gates:
${gate(`design`,{tools:S,more:`    # What it is done again for. Without this line: for every change of a file.
    inputs: [prompts/design.md]
`})}      score: /score
      threshold: 70
${gate(`implement`,{tools:`${S},Edit,Write`,more:`    needs: design
    inputs: [prompts/implement.md]
    files: changed
`})}${gate(`review`,{tools:S,more:`    needs: implement
`})}      checks:
        - output.critical == 0
`,"agents/claude.mjs":`// node agents/claude.mjs NAME TOOLS: what the action does, with the command \`claude\` of your machine.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const [name, tools] = process.argv.slice(2);
const { GATELINE_REQUEST, GATELINE_FEEDBACK, GATELINE_METRICS, GATELINE_OUTPUT } = process.env;
const prompt = \`Do what prompts/\${name}.md says.
The request: \${GATELINE_REQUEST}
What was wrong with an earlier attempt, if there was one: \${GATELINE_FEEDBACK ?? ''}\`;

const options = ['--print', '--output-format', 'json', '--json-schema', readFileSync(\`schemas/\${name}.schema.json\`, 'utf8')];
const ran = spawnSync('claude', [...options, '--add-dir', dirname(GATELINE_REQUEST), '--allowedTools', tools], {
  input: prompt,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  stdio: ['pipe', 'pipe', 'inherit'],
});
if (ran.error) throw ran.error;
// It holds what the session cost, even if it failed.
writeFileSync(GATELINE_METRICS, ran.stdout);
const { structured_output: output, result } = JSON.parse(ran.stdout);
if (output === undefined) console.error(result);
else writeFileSync(GATELINE_OUTPUT, JSON.stringify(output));
process.exitCode = ran.status ?? 1;
`,...x}};function codex_gate(e,t,n){return`  ${e}:
    agent: Codex
    uses:
      action: openai/codex-action@e0fdf01220eb9a88167c4898839d273e3f2609d1 # v1.8
      with:
        openai-api-key: \${{ secrets.OPENAI_API_KEY }}
        prompt: |
          Do what prompts/${e}.md says.
          The request: \${{ steps.begin.outputs.request-file }}
          What was wrong with an earlier attempt, if there was one: \${{ steps.begin.outputs.feedback-file }}
        output-schema-file: schemas/${e}.schema.json
        sandbox: ${t}
      output: steps.agent.outputs.final-message
    local: node agents/codex.mjs ${e} ${t}
    secrets: [OPENAI_API_KEY]
    timeout-minutes: 30
${n}    output:
      schema: schemas/${e}.schema.json
`}let w={name:`codex`,summary:"Codex designs, implements and reviews: openai/codex-action, and `codex` on your machine",files:{"gateline.yml":`# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
pipeline: codex
task: Write hello.txt, which says hello
gates:
${codex_gate(`design`,`read-only`,`    # What it is done again for. Without this line: for every change of a file.
    inputs: [prompts/design.md]
`)}      score: /score
      threshold: 70
${codex_gate(`implement`,`workspace-write`,`    needs: design
    inputs: [prompts/implement.md]
    files: changed
`)}${codex_gate(`review`,`read-only`,`    needs: implement
`)}      checks:
        - output.critical == 0
`,"agents/codex.mjs":`// node agents/codex.mjs NAME SANDBOX: what the action does, with the command \`codex\` of your machine.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

const [name, sandbox] = process.argv.slice(2);
const { GATELINE_REQUEST, GATELINE_FEEDBACK, GATELINE_METRICS, GATELINE_OUTPUT } = process.env;
const prompt = \`Do what prompts/\${name}.md says.
The request: \${GATELINE_REQUEST}
What was wrong with an earlier attempt, if there was one: \${GATELINE_FEEDBACK ?? ''}\`;

const options = ['--json', '--sandbox', sandbox, '--output-schema', \`schemas/\${name}.schema.json\`];
const ran = spawnSync('codex', ['exec', ...options, '--output-last-message', GATELINE_OUTPUT, '-'], {
  input: prompt,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  stdio: ['pipe', 'pipe', 'inherit'],
});
if (ran.error) throw ran.error;
// One event a line. What it cost in money is not among them.
const events = ran.stdout.split('\\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
const usage = events.findLast(({ type }) => type === 'turn.completed')?.usage;
const session = events.find(({ type }) => type === 'thread.started')?.thread_id;
writeFileSync(GATELINE_METRICS, JSON.stringify({ session, inputTokens: usage?.input_tokens, outputTokens: usage?.output_tokens }));
for (const { type, message, error } of events) if (/error|failed/.test(type)) console.error(message ?? error?.message);
process.exitCode = ran.status ?? 1;
`,...x}},T={name:`deep-dive`,summary:`agents that explore the code base, and a document of what they found for later agents`,files:{"gateline.yml":`# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
# gateline run, then: gateline memory compile deep-dive
# When the code has changed: gateline memory refresh deep-dive
pipeline: deep-dive
gates:
  # One agent for each area, side by side. For a part of the code base, name its folder here: ['src/auth/**'],
  # and with \`gateline memory compile deep-dive --focus src/auth\`.
  explore:
    strategy:
      matrix:
        area: [structure, conventions, tests]
    run: node agents/explore.mjs
    inputs: ['**', '!agents/synthesis.mjs', '!gateline.yml', '!.github/**']
    output:
      schema: { type: object, required: [area, findings] }
  synthesis:
    needs: explore
    run: node agents/synthesis.mjs
    inputs: [agents/synthesis.mjs]
    output:
      schema:
        type: object
        required: [tech_stack, architecture, conventions, anti_patterns, agent_notes]
`,"agents/explore.mjs":`// One explorer. Replace what it finds by your agent's work: it may read everything and changes nothing.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname } from 'node:path';

const { GATELINE_REQUEST, GATELINE_OUTPUT } = process.env;
const { matrix, inputs } = JSON.parse(readFileSync(GATELINE_REQUEST, 'utf8'));
const files = Object.keys(inputs.files).filter((path) => !path.startsWith('agents/'));
const kinds = [...new Set(files.map(extname).filter(Boolean))].sort();
const explorers = {
  structure: () => ({
    tech_stack: kinds,
    architecture: readdirSync('.', { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !/^(\\..*|agents|node_modules)$/.test(entry.name))
      .map(({ name }) => {
        const inside = files.filter((path) => path.startsWith(name + '/')).length;
        return { component: name, location: name + '/', purpose: inside + ' files' };
      }),
  }),
  conventions: () => ({
    conventions: { Naming: [files.every((path) => path === path.toLowerCase()) ? 'Names are lower case' : 'Names have upper case'] },
    anti_patterns: ['Do not put generated files into git'],
  }),
  tests: () => ({
    agent_notes: { Testing: [files.filter((path) => /test|spec/.test(path)).length + ' files look like tests'] },
  }),
};
writeFileSync(GATELINE_OUTPUT, JSON.stringify({ area: matrix.area, findings: explorers[matrix.area]() }));
`,"agents/synthesis.mjs":`// Puts the findings together. Keys: tech_stack, entry_points, key_patterns, overview, architecture, conventions,
// anti_patterns, quick_reference, agent_notes.
import { readFileSync, writeFileSync } from 'node:fs';

const { GATELINE_REQUEST, GATELINE_OUTPUT } = process.env;
const { needs } = JSON.parse(readFileSync(GATELINE_REQUEST, 'utf8'));
const found = Object.values(needs.explore.legs).map(({ file }) => JSON.parse(readFileSync(file, 'utf8')).findings);
writeFileSync(GATELINE_OUTPUT, JSON.stringify(Object.assign({}, ...found)));
`}},E={name:`dev-loop`,summary:`fetch a task, change the code, run the tests; a failure goes back to the changes, with what was learned`,files:{"gateline.yml":`# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
# docs/recipes/from-dev-loop.md: files of dev-loop are imported with \`gateline import dev-loop\`.
pipeline: dev-loop
task: Say hello
gates:
  fetch-task:
    run: sh agents/fetch-task.sh
    shell: sh
    inputs: [agents/fetch-task.sh]
    output: { schema: { type: object, required: [id, title] } }
  generate-changes:
    needs: fetch-task
    run: sh agents/generate-changes.sh
    shell: sh
    inputs: [agents/generate-changes.sh]
    # With \`handoff\` in the list, too, it gets a summary of the previous run, and starts again in each run.
    memory: [learned-patterns, progress]
    files: []
    output: { schema: { type: object, required: [files] } }
  apply-changes:
    needs: generate-changes
    run: sh agents/apply-changes.sh
    shell: sh
    inputs: [agents/apply-changes.sh]
    files: changed
    output: { schema: { type: object, required: [applied] } }
  run-tests:
    needs: apply-changes
    run: sh agents/run-tests.sh
    shell: sh
    inputs: [agents/run-tests.sh, hello.txt]
    output: { schema: { type: object, required: [failed] } }
  analyze-results:
    needs: run-tests
    run: sh agents/analyze-results.sh
    shell: sh
    inputs: [agents/analyze-results.sh]
    output: { schema: { type: object, required: [passed] } }
  handle-success:
    needs: analyze-results
    if: needs.analyze-results.output.passed
    run: sh agents/handle-success.sh
    shell: sh
    inputs: [agents/handle-success.sh]
  # Runs only after a failure. Its output never passes, so the work goes back, with the output in the request.
  handle-failure:
    needs: analyze-results
    if: needs.analyze-results.output.passed == false
    run: sh agents/handle-failure.sh
    shell: sh
    inputs: [agents/handle-failure.sh]
    on-fail: { goto: generate-changes, max-iterations: 3 }
    output: { checks: [output.fixed] }
`,"agents/fetch-task.sh":`# Replace this by what finds the next task. Its input is in the file $GATELINE_REQUEST.
printf '{"id": "REQ-1", "title": "Say hello"}' > "$GATELINE_OUTPUT"
`,"agents/generate-changes.sh":`# Replace this by the agent that writes code.
printf '{"files": {"hello.txt": "hello"}}' > "$GATELINE_OUTPUT"
`,"agents/apply-changes.sh":`# Replace this by what applies the changes.
echo hello > hello.txt
printf '{"applied": ["hello.txt"]}' > "$GATELINE_OUTPUT"
`,"agents/run-tests.sh":`# Replace this by the command of your tests.
if grep -q hello hello.txt; then failed=0; else failed=1; fi
printf '{"failed": %s}' "$failed" > "$GATELINE_OUTPUT"
`,"agents/analyze-results.sh":`# Replace this by the agent that reads the results of the tests: they are in the request.
passed=false
node -e 'const { needs } = JSON.parse(require("fs").readFileSync(process.env.GATELINE_REQUEST, "utf8"));
process.exit(needs["run-tests"].output.failed === 0 ? 0 : 1);' && passed=true
printf '{"passed": %s}' "$passed" > "$GATELINE_OUTPUT"
`,"agents/handle-success.sh":`# Replace this by what marks the task as done.
echo '- Small changes pass' > "$GATELINE_LEARNINGS"
printf '{"done": true}' > "$GATELINE_OUTPUT"
`,"agents/handle-failure.sh":`# Replace this by the agent that writes a fix task.
printf '{"fixed": false, "fix": "write hello.txt"}' > "$GATELINE_OUTPUT"
`}},D={name:`gh-aw`,summary:"gates after an agentic workflow in Markdown, which `gh aw compile` compiles",files:{"gateline.yml":`# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
pipeline: gh-aw
# When a run of the agentic workflow has ended. Its name is in .github/workflows/review-readme.md.
on:
  workflow_run:
    workflows: [Review the README]
    types: [completed]
gates:
  review:
    agent: gh-aw
    # On your machine: gh run download RUN --name answer --dir answer
    steps-before:
      - uses: actions/download-artifact@3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c # v8.0.1
        with:
          name: answer
          path: answer
          run-id: \${{ github.event.workflow_run.id }}
          github-token: \${{ github.token }}
    run: cat answer/answer.json > "$GATELINE_OUTPUT"
    shell: sh
    # What it is done again for.
    inputs: [answer/answer.json]
    output:
      schema: schemas/review.schema.json
      score: /score
      threshold: 70
      exports: /findings
  verify:
    needs: review
    run: node agents/verify.mjs
    inputs: [agents/verify.mjs, README.md]
    output:
      checks:
        - output.unknown == 0
`,".github/workflows/review-readme.md":`---
name: Review the README
on:
  workflow_dispatch:
permissions:
  contents: read
engine: copilot
tools:
  bash: ['cat', 'ls', 'grep']
  edit:
# It only answers. With create-pull-request it proposes changes, and the gates of that pull request judge them.
safe-outputs:
  noop:
post-steps:
  - name: Hand the answer on to the gates
    uses: actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f # v7.0.0
    with:
      name: answer
      path: /tmp/gh-aw/agent/answer.json
      if-no-files-found: error
---

# Review the README

Read README.md. Find statements in it that the code of this repository contradicts. Change nothing.

Write your answer as JSON to the file /tmp/gh-aw/agent/answer.json, and nothing else into that file:

{"score": 90, "findings": [{"line": 12, "problem": "It names a command that does not exist."}]}

\`score\` is from 0 to 100: how much of README.md is right. \`line\` is the line in README.md, from 1.
`,"agents/verify.mjs":`// An agent may make things up: whether each finding is about a line that exists can be computed.
import { readFileSync, writeFileSync } from 'node:fs';

const { needs } = JSON.parse(readFileSync(process.env.GATELINE_REQUEST, 'utf8'));
const lines = readFileSync('README.md', 'utf8').split('\\n').length;
const unknown = needs.review.output.findings.filter(({ line }) => line > lines);
writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify({ lines, unknown: unknown.length }));
`,"schemas/review.schema.json":`{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "required": ["score", "findings"],
  "properties": {
    "score": { "type": "number", "minimum": 0, "maximum": 100 },
    "findings": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["line", "problem"],
        "properties": { "line": { "type": "integer", "minimum": 1 }, "problem": { "type": "string", "minLength": 1 } }
      }
    }
  }
}
`}},O={name:`promptfoo`,summary:`promptfoo evaluates prompts, and the gate passes at a pass rate`,files:{"gateline.yml":`# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
pipeline: promptfoo
gates:
  evaluate:
    agent: promptfoo
    run: node agents/evaluate.mjs
    # Name here the keys that your providers need: secrets: [OPENAI_API_KEY]
    inputs: [agents/evaluate.mjs, promptfooconfig.yaml]
    timeout-minutes: 30
    output:
      schema: schemas/evaluate.schema.json
      # The pass rate, in percent.
      score: /score
      threshold: 80
  publish:
    needs: evaluate
    # Replace this by what may only happen with prompts that are good enough.
    run: |
      printf '{"published": true}' > "$GATELINE_OUTPUT"
    shell: sh
    inputs: []
`,"promptfooconfig.yaml":`description: Greetings
prompts:
  - 'Say hello to {{name}}'
# This one answers with the prompt. Replace it by the models that you use.
providers:
  - echo
tests:
  - vars: { name: Maria }
    assert:
      - { type: contains, value: Maria }
  - vars: { name: Tom }
    assert:
      - { type: icontains, value: hello to tom }
`,"agents/evaluate.mjs":`// Runs promptfoo, and writes what came of its tests as output and metrics.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const { GATELINE_OUTPUT, GATELINE_METRICS } = process.env;
const file = join(dirname(GATELINE_OUTPUT), 'results.json');
const options = ['--config', 'promptfooconfig.yaml', '--output', file, '--no-table', '--no-progress-bar', '--no-share'];
const { status, error } = spawnSync('npx', ['--yes', 'promptfoo@0.123.1', 'eval', ...options], {
  // Whether enough tests passed is for the gate to say.
  env: { ...process.env, PROMPTFOO_FAILED_TEST_EXIT_CODE: '0' },
  shell: process.platform === 'win32',
  stdio: ['ignore', 'inherit', 'inherit'],
});
if (error) throw error;
if (status !== 0) process.exit(status ?? 1);

const { stats, prompts = [], results } = JSON.parse(readFileSync(file, 'utf8')).results;
const { successes: passed, failures: failed, errors } = stats;
const wrong = results.filter(({ success }) => !success).slice(0, 50);
const output = {
  score: (100 * passed) / Math.max(1, passed + failed + errors),
  passed,
  failed,
  errors,
  wrong: wrong.map(({ vars, error }) => ({ test: JSON.stringify(vars).slice(0, 200), why: String(error ?? '').slice(0, 500) })),
};
writeFileSync(GATELINE_OUTPUT, JSON.stringify(output));
const metrics = {
  model: [...new Set(prompts.map(({ provider }) => provider))].join(', ').slice(0, 200),
  inputTokens: stats.tokenUsage?.prompt ?? 0,
  outputTokens: stats.tokenUsage?.completion ?? 0,
  costUsd: prompts.reduce((sum, { metrics: { cost = 0 } = {} }) => sum + cost, 0),
};
writeFileSync(GATELINE_METRICS, JSON.stringify(metrics));
`,"schemas/evaluate.schema.json":`{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "required": ["score", "passed", "failed", "errors", "wrong"],
  "properties": {
    "score": { "type": "number" },
    "passed": { "type": "integer" },
    "failed": { "type": "integer" },
    "errors": { "type": "integer" },
    "wrong": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["test", "why"],
        "properties": { "test": { "type": "string" }, "why": { "type": "string" } }
      }
    }
  }
}
`}},k={name:`script`,summary:`agents as scripts of your own, in Node and in a shell`,files:{"gateline.yml":`# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
pipeline: script
task: Write a greeting for each name
metadata:
  names: [Maria, Tom]
gates:
  plan:
    run: node agents/plan.mjs
    inputs: [agents/plan.mjs]
    output:
      schema: { type: object, required: [files] }
      exports: /files
  write:
    needs: plan
    run: node agents/write.mjs
    inputs: [agents/write.mjs]
    files: ['greetings/*.txt']
    # The second attempt gets feedback on the first.
    retries: 1
    output:
      schema: { type: object, required: [written] }
      checks:
        - output.written > 0
  count:
    needs: write
    run: sh agents/count.sh
    shell: sh
    inputs: [agents/count.sh, 'greetings/*.txt']
    output:
      checks:
        - output.lines >= 2
`,"agents/plan.mjs":`// The request says what there is to do, the output is JSON.
import { readFileSync, writeFileSync } from 'node:fs';

const { metadata } = JSON.parse(readFileSync(process.env.GATELINE_REQUEST, 'utf8'));
const files = metadata.names.map((name) => ({ path: \`greetings/\${name.toLowerCase()}.txt\`, name }));
writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify({ files }));
`,"agents/write.mjs":`// What the gate before exports is in the request; files that match \`files\` are handed on.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const { GATELINE_REQUEST, GATELINE_FEEDBACK, GATELINE_OUTPUT, GATELINE_METRICS } = process.env;
if (GATELINE_FEEDBACK) {
  const { issues } = JSON.parse(readFileSync(GATELINE_FEEDBACK, 'utf8'));
  console.log('The attempt before:', issues.map(({ message }) => message).join('; '));
}
const { needs } = JSON.parse(readFileSync(GATELINE_REQUEST, 'utf8'));
const { files } = needs.plan.output;
mkdirSync('greetings', { recursive: true });
for (const { path, name } of files) writeFileSync(path, \`Hello \${name}\\n\`);
writeFileSync(GATELINE_OUTPUT, JSON.stringify({ written: files.length }));
// What the work cost, if you know: { model, session, inputTokens, outputTokens, costUsd, tools, mcps, plugins }.
writeFileSync(GATELINE_METRICS, JSON.stringify({ tools: ['node'] }));
`,"agents/count.sh":`# Without any tool: values that need no quotes.
lines=$(cat greetings/*.txt | wc -l)
printf '{"lines": %d}' "$lines" > "$GATELINE_OUTPUT"
printf '{"tools": ["sh"]}' > "$GATELINE_METRICS"
`}},A={name:`single`,summary:`one gate with an inline contract`,files:{"gateline.yml":`# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
pipeline: single
gates:
  summarise:
    # Replace this by your agent. It reads $GATELINE_REQUEST and writes JSON to $GATELINE_OUTPUT.
    run: |
      printf '{"summary": "nothing yet", "score": 90}' > "$GATELINE_OUTPUT"
    shell: sh
    # Input files: part of the fingerprint. None here; without this line, every file that git does not ignore.
    inputs: []
    output:
      schema:
        type: object
        required: [summary, score]
        properties:
          summary: { type: string, minLength: 1 }
          score: { type: number }
      score: /score
      threshold: 80
`}},j={type:`string`,minLength:1},M={type:`integer`,minimum:0},N={type:`number`,minimum:0,maximum:100},P={type:`number`,minimum:0,maximum:1};function list(e,t={}){return{type:`array`,items:e,...t}}function map(e,...t){return{type:`object`,required:t,properties:e}}let F=map({type:j,value:j,confidenceScore:P},`type`,`value`),I=map({testId:j,description:j,priority:j,testType:j,testSteps:list(map({stepNumber:M,action:j,target:j,data:{}},`action`),{minItems:1}),expectedResult:map({status:j,assertions:list({type:`object`})})},`testId`,`testSteps`),L=map({runNumber:M,status:{enum:[`PASS`,`FAIL`]},passedTests:M,failedTests:M},`runNumber`,`status`),R=[[`Data preparation`,map({dataFile:j,totalCases:M,breakdown:map({valid:M,invalid:M,boundary:M,edge:M}),seed:{type:`integer`}},`dataFile`,`totalCases`)],[`Test case design`,map({testCases:list(I,{minItems:1}),dataStrategy:map({type:j,dataFile:j,totalCases:M},`type`)},`testCases`)],[`DOM element mapping`,map({elementMappings:list(map({logicalName:j,locators:map({primary:F,fallbacks:list(F)},`primary`)},`locators`),{minItems:1}),isSPA:{type:`boolean`},specialComponents:{type:`array`}},`elementMappings`)],[`Code generation`,map({files:list(j,{minItems:1}),pageObjects:list(j),testSpecs:list(j),testPattern:j,compilationErrors:M},`files`,`testSpecs`)],[`Execution results`,map({results:list(L,{minItems:1}),finalStatus:map({passRate:N,avgExecutionTime:{type:`number`,minimum:0},failedTests:M},`passRate`)},`results`,`finalStatus`)]].map(([e,t],n)=>({$schema:`https://json-schema.org/draft/2020-12/schema`,title:`${e}: output of gate ${n} of the state guide`,...t})),z=[{id:`data`,agent:`TestCaseDesigner`,keys:`    files: ['tests/test-data/*.json']
`},{id:`design`,agent:`TestCaseDesigner`},{id:`map`,agent:`DOMAgent`},{id:`generate`,agent:`POMAgent`,keys:`    files: ['tests/**/*.ts']
`},{id:`execute`,agent:`ExecutionEngine`},{id:`learn`,agent:`LearningAgent`}];function state_guide_gate({id:e,agent:t,keys:n=``},r){return`  ${e}:
    number: ${r}
    agent: ${t}
${r===0?``:`    needs: ${z[r-1].id}\n`}    run: node agents/gate${r}.mjs demoqa_com student_registration
    inputs: ${e===`execute`?`['agents/*.mjs', 'tests/**']`:`['agents/*.mjs']`}
${n}    output:
      schema: ${r<R.length?`schemas/gate${r}.schema.json`:`{ type: object, required: [learnings] }`}
      score: /validationResult/score
      threshold: 80
`}function agentFile(e,t){let{agent:n}=z[e],r=e===0?``:`const previous = load(${e-1});\n`,i=e===0?`save`:`load, save`,[a,o]=t.trim().startsWith(`import`)?t.trim().split(`

`):[``,t.trim()];return`// Gate ${e}. Replace the work by your agent's.
${a===``?``:`${a}\n`}import { ${i} } from './state.mjs';

${r}${o}
save(${e}, '${n}', output);
`}let B=[`
import { mkdirSync, writeFileSync } from 'node:fs';

const dataFile = 'tests/test-data/students.json';
mkdirSync('tests/test-data', { recursive: true });
writeFileSync(dataFile, JSON.stringify([{ firstName: 'John' }, { firstName: '' }]));
const validationResult = { score: 100, issues: [], passed: true };
const output = { dataFile, totalCases: 2, validationResult };`,`
const testCases = [{ testId: 'TC_001', testSteps: [{ stepNumber: 1, action: 'Enter first name', target: 'firstName' }] }];
const dataStrategy = { type: 'data-driven', dataFile: previous.dataFile, totalCases: previous.totalCases };
const output = { testCases, dataStrategy, validationResult: { score: 95, issues: [], passed: true } };`,`
const targets = previous.testCases.flatMap(({ testSteps }) => testSteps.map(({ target }) => target));
const elementMappings = targets.map((value) => ({ logicalName: value, locators: { primary: { type: 'id', value } } }));
const output = { elementMappings, isSPA: false, validationResult: { score: 87, issues: [], passed: true } };`,`
import { mkdirSync, writeFileSync } from 'node:fs';

const file = 'tests/register.spec.ts';
mkdirSync('tests', { recursive: true });
writeFileSync(file, previous.elementMappings.map(({ logicalName }) => \`// enters \${logicalName}\\n\`).join(''));
const validationResult = { score: 100, issues: [], passed: true };
const output = { files: [file], testSpecs: ['register.spec.ts'], compilationErrors: 0, validationResult };`,`
import { existsSync } from 'node:fs';

const missing = previous.files.filter((file) => !existsSync(file));
const passed = missing.length === 0;
const results = [{ runNumber: 1, status: passed ? 'PASS' : 'FAIL', passedTests: previous.files.length - missing.length }];
const finalStatus = { passRate: passed ? 100 : 0, failedTests: missing.length };
const output = { results, finalStatus, validationResult: { score: finalStatus.passRate, issues: missing, passed } };`,"\nconst learnings = [`the pass rate was ${previous.finalStatus.passRate} %`];\nconst output = { learnings, validationResult: { score: 100, issues: [], passed: true } };"],V={name:`state-guide`,summary:"gates 0 to 5 of the state management guide, with agents that read and write its `.state/` files",files:{"gateline.yml":`# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
pipeline: state-guide
mirror: [state-guide]
metadata:
  domain: demoqa_com
  feature: student_registration
  url: https://demoqa.com/automation-practice-form
  userStory: As a student I register with my name
  acceptanceCriteria: [A first name is required]
gates:
${z.map(state_guide_gate).join(``)}`,"agents/state.mjs":`// The state files of the guide: step 0B and step N-1 of each agent. Nothing here knows Gateline.
import { readFileSync, writeFileSync } from 'node:fs';

const [domain, feature] = process.argv.slice(2);
const fileOf = (gate) => \`.state/\${domain}-\${feature}-gate\${gate}-output.json\`;
const url = 'https://demoqa.com/automation-practice-form';

export const load = (gate) => JSON.parse(readFileSync(fileOf(gate), 'utf8')).output;

export function save(gate, agent, output) {
  const { validationResult: validation } = output;
  const status = validation.score >= 80 ? 'SUCCESS' : 'PARTIAL';
  const state = { gate, agent, status, metadata: { domain, feature, url }, output, validation };
  writeFileSync(fileOf(gate), JSON.stringify(state, null, 2));
}
`,...Object.fromEntries(R.map((e,t)=>[`schemas/gate${t}.schema.json`,`${JSON.stringify(e,null,2)}\n`])),...Object.fromEntries(B.map((e,t)=>[`agents/gate${t}.mjs`,agentFile(t,e)]))}};async function execute({world:e,options:t}){if(t.list){let n=U.map(({name:e,summary:t})=>({name:e,summary:t}));if(t.json)(0,f.Q)(e,{format:`gateline-templates/1`,templates:n});else for(let{name:t,summary:r}of n)(0,p.c)(e.out,`${t.padEnd(12)} ${r}`);return d.ai.ok}let n=templateNamed((0,u.vU)(t,`template`)??U[0].name),r={...n.files,...t.workflow===!0&&await compiled(e,n)},a=Object.keys(r),o=t[`dry-run`]!==!0;if(await refuseExisting(e.workingDirectory,a),o)for(let t of a)await writeNew((0,i.join)(e.workingDirectory,t),r[t]);if(t.json)return(0,f.Q)(e,{format:`gateline-init/1`,template:n.name,written:o,files:a}),d.ai.ok;for(let t of a)e.out.write(`${o?`wrote`:`would write`} ${t}\n`);return o&&(0,p.c)(e.out,`\n${H}`),d.ai.ok}let H="Next: `gateline plan` shows what would run, `gateline run` runs it, `gateline compile` writes the workflow that runs it on GitHub.";async function compiled(e,{files:t}){let n=(0,s.parsePipeline)(t[c.Yc[0]],c.Yc[0]);if(!n.ok)throw new o.i2(n.problems);let{pipeline:r}=n,a=e.workingDirectory,{name:l,text:u}=await(0,m.E)(e,{},{pipeline:r,root:a,path:(0,i.join)(a,c.Yc[0])});return{[l]:u}}function templateNamed(e){let t=U.find(t=>t.name===e);if(t!==void 0)return t;let n=U.map(e=>e.name),r=(0,l.au)(e,n),i=r===void 0?``:`; ${r}`;throw new a.Mk(`TEMPLATE_UNKNOWN`,`there is no template ${e}${i}`,{hint:`Templates: ${n.join(`, `)}.`})}async function refuseExisting(e,t){let n=[];for(let r of t)await exists((0,i.join)(e,r))&&n.push(r);if(n.length!==0)throw new a.Mk(`FILE_EXISTS`,`${n.join(`, `)}: already there; nothing was written`)}async function exists(e){try{return await(0,r.lstat)(e),!0}catch(t){if((0,a.Or)(t,`ENOENT`))return!1;throw new a.Mk(`FILE_UNREADABLE`,`${e} cannot be looked at: ${(0,a.bD)(t)}`,{fault:`platform`,hint:`Check what is in its place and who owns it.`,cause:t})}}async function writeNew(e,t){try{await(0,r.mkdir)((0,i.dirname)(e),{recursive:!0}),await(0,r.writeFile)(e,t,{flag:`wx`})}catch(t){throw new a.Mk(`FILE_UNWRITABLE`,`${e} cannot be written: ${(0,a.bD)(t)}`,{cause:t})}}let U=[v,A,k,C,w,D,O,V,_,E,T]}),17118:((e,t,n)=>{n.d(t,{E:()=>a,m:()=>groupStates});var r=n(27597),i=n(9209);let a=r.Ikc({id:r.YjP(),gates:r.YOg(r.YjP()),status:r.k5n(i.UG),done:r.zMY(),startedAt:r.YjP().nullable(),endedAt:r.YjP().nullable(),durationMs:r.aig().min(0).nullable()});function groupStates(e,t){let n=Map.groupBy(e.units.values(),({gate:e})=>e);return t.map(({id:e,gates:t})=>{let r=t.flatMap(e=>n.get(e)??[]);return{id:e,gates:[...t],status:(0,i.A4)(r.map(({status:e})=>e))??`pending`,done:r.every(({done:e})=>e),...timesOf(r)}})}let o=new Set([`skipped`,`not-applicable`]),s=new Set([...o,`paused`,`passed`,`partial`,`failed`]);function timesOf(e){let t=e.filter(({status:e,reused:t})=>!t&&!o.has(e)),n=inTime(t.map(e=>beginOf(e))).at(0)??null,r=(e.every(({status:e})=>s.has(e))?inTime(t.map(e=>(0,i.Bg)(e)?.at)).at(-1):void 0)??null,a=n===null||r===null?-1:Date.parse(r)-Date.parse(n);return{startedAt:n,endedAt:r,durationMs:a>=0?a:null}}function beginOf(e){return e.status===`running`||e.status===`lost`?e.started?.at:(0,i.Bg)(e)?.startedAt}function inTime(e){return e.filter(e=>e!==void 0).toSorted((e,t)=>Date.parse(e)-Date.parse(t))}})};