import type { Template } from './template.ts';

/** Agents as scripts, in Node and in a shell: the request, feedback, output and metrics by hand. */
export const SCRIPT: Template = {
  name: 'script',
  summary: 'agents as scripts of your own, in Node and in a shell',
  files: {
    'gateline.yml': `# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
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
`,
    'agents/plan.mjs': `// The request says what there is to do, the output is JSON.
import { readFileSync, writeFileSync } from 'node:fs';

const { metadata } = JSON.parse(readFileSync(process.env.GATELINE_REQUEST, 'utf8'));
const files = metadata.names.map((name) => ({ path: \`greetings/\${name.toLowerCase()}.txt\`, name }));
writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify({ files }));
`,
    'agents/write.mjs': `// What the gate before exports is in the request; files that match \`files\` are handed on.
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
`,
    'agents/count.sh': `# Without any tool: values that need no quotes.
lines=$(cat greetings/*.txt | wc -l)
printf '{"lines": %d}' "$lines" > "$GATELINE_OUTPUT"
printf '{"tools": ["sh"]}' > "$GATELINE_METRICS"
`,
  },
};
