import type { Template } from './template.ts';

/** An agentic workflow of `gh aw` in its sandbox, and gates that judge and use its answer when its run has ended. */
export const GH_AW: Template = {
  name: 'gh-aw',
  summary: 'gates after an agentic workflow in Markdown, which `gh aw compile` compiles',
  files: {
    'gateline.yml': `# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
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
`,
    '.github/workflows/review-readme.md': `---
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
`,
    'agents/verify.mjs': `// An agent may make things up: whether each finding is about a line that exists can be computed.
import { readFileSync, writeFileSync } from 'node:fs';

const { needs } = JSON.parse(readFileSync(process.env.GATELINE_REQUEST, 'utf8'));
const lines = readFileSync('README.md', 'utf8').split('\\n').length;
const unknown = needs.review.output.findings.filter(({ line }) => line > lines);
writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify({ lines, unknown: unknown.length }));
`,
    'schemas/review.schema.json': `{
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
`,
  },
};
