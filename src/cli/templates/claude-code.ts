import { PROMPTS_AND_SCHEMAS } from './design-implement-review.ts';
import type { Template } from './template.ts';

/** The commit of anthropics/claude-code-action that its tag v1.0.200 names. */
const ACTION = 'anthropics/claude-code-action@24dcd50c0568f0fc9e9211213a4fd2d9eb15c4e0 # v1.0.200';

interface GateOptions {
  readonly tools: string;
  readonly more: string;
}

function gate(name: string, { tools, more }: GateOptions): string {
  return `  ${name}:
    agent: Claude Code
    uses:
      action: ${ACTION}
      with:
        anthropic_api_key: \${{ secrets.ANTHROPIC_API_KEY }}
        github_token: \${{ github.token }}
        prompt: |
          Do what prompts/${name}.md says.
          The request: \${{ steps.begin.outputs.request-file }}
          What was wrong with an earlier attempt, if there was one: \${{ steps.begin.outputs.feedback-file }}
        claude_args: |
          --add-dir \${{ steps.begin.outputs.attempt-directory }}
          --allowedTools "${tools}"
          --json-schema '\${{ steps.schemas.outputs.${name} }}'
      output: steps.agent.outputs.structured_output
      metrics: steps.agent.outputs.execution_file
    local: node agents/claude.mjs ${name} "${tools}"
    secrets: [ANTHROPIC_API_KEY]
    timeout-minutes: 30
${more}    output:
      schema: schemas/${name}.schema.json
`;
}

const READING = 'Read,Glob,Grep';

/** Claude Code designs, implements and reviews: its action on GitHub, its command elsewhere. */
export const CLAUDE_CODE: Template = {
  name: 'claude-code',
  summary: 'Claude Code designs, implements and reviews: anthropics/claude-code-action, and `claude` on your machine',
  files: {
    'gateline.yml': `# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
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
${gate('design', {
  tools: READING,
  more: `    # What it is done again for. Without this line: for every change of a file.
    inputs: [prompts/design.md]
`,
})}      score: /score
      threshold: 70
${gate('implement', {
  tools: `${READING},Edit,Write`,
  more: `    needs: design
    inputs: [prompts/implement.md]
    files: changed
`,
})}${gate('review', {
      tools: READING,
      more: `    needs: implement
`,
    })}      checks:
        - output.critical == 0
`,
    'agents/claude.mjs': `// node agents/claude.mjs NAME TOOLS: what the action does, with the command \`claude\` of your machine.
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
`,
    ...PROMPTS_AND_SCHEMAS,
  },
};
