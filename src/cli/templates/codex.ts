import { PROMPTS_AND_SCHEMAS } from './design-implement-review.ts';
import type { Template } from './template.ts';

/** The commit of openai/codex-action that its tag v1.8 names. */
const ACTION = 'openai/codex-action@e0fdf01220eb9a88167c4898839d273e3f2609d1 # v1.8';

function gate(name: string, sandbox: 'read-only' | 'workspace-write', more: string): string {
  return `  ${name}:
    agent: Codex
    uses:
      action: ${ACTION}
      with:
        openai-api-key: \${{ secrets.OPENAI_API_KEY }}
        prompt: |
          Do what prompts/${name}.md says.
          The request: \${{ steps.begin.outputs.request-file }}
          What was wrong with an earlier attempt, if there was one: \${{ steps.begin.outputs.feedback-file }}
        output-schema-file: schemas/${name}.schema.json
        sandbox: ${sandbox}
      output: steps.agent.outputs.final-message
    local: node agents/codex.mjs ${name} ${sandbox}
    secrets: [OPENAI_API_KEY]
    timeout-minutes: 30
${more}    output:
      schema: schemas/${name}.schema.json
`;
}

/** Codex designs, implements and reviews: its action on GitHub, its command elsewhere. */
export const CODEX: Template = {
  name: 'codex',
  summary: 'Codex designs, implements and reviews: openai/codex-action, and `codex` on your machine',
  files: {
    'gateline.yml': `# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
pipeline: codex
task: Write hello.txt, which says hello
gates:
${gate(
  'design',
  'read-only',
  `    # What it is done again for. Without this line: for every change of a file.
    inputs: [prompts/design.md]
`,
)}      score: /score
      threshold: 70
${gate(
  'implement',
  'workspace-write',
  `    needs: design
    inputs: [prompts/implement.md]
    files: changed
`,
)}${gate(
      'review',
      'read-only',
      `    needs: implement
`,
    )}      checks:
        - output.critical == 0
`,
    'agents/codex.mjs': `// node agents/codex.mjs NAME SANDBOX: what the action does, with the command \`codex\` of your machine.
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
`,
    ...PROMPTS_AND_SCHEMAS,
  },
};
