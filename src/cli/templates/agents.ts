import type { Template } from './template.ts';

const schema = (required: readonly string[], properties: string): string => `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "required": ${JSON.stringify(required)},
  "properties": ${properties}
}
`;

/** Design, implement, review, verify: the chain that most teams start with. */
export const AGENTS: Template = {
  name: 'agents',
  summary: 'design, implement, review and verify, with a schema for each',
  files: {
    'gateline.yml': `# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
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
`,
    'agents/design.sh': `# Replace this by the agent that designs. Its input is in the file $GATELINE_REQUEST.
printf '{"steps": ["write hello.txt"], "score": 90}' > "$GATELINE_OUTPUT"
`,
    'agents/implement.sh': `# Replace this by the agent that implements. On a retry, $GATELINE_FEEDBACK says what was wrong.
echo hello > hello.txt
printf '{"changed": ["hello.txt"]}' > "$GATELINE_OUTPUT"
`,
    'agents/review.sh': `# Replace this by the agent that reviews.
if grep -q hello hello.txt; then critical=0; else critical=1; fi
printf '{"critical": %s, "comments": []}' "$critical" > "$GATELINE_OUTPUT"
`,
    'agents/verify.sh': `# Replace this by the command that verifies.
if [ "$(cat hello.txt)" = hello ]; then passed=true; else passed=false; fi
printf '{"passed": %s}' "$passed" > "$GATELINE_OUTPUT"
`,
    'schemas/design.schema.json': schema(
      ['steps', 'score'],
      '{ "steps": { "type": "array", "minItems": 1, "items": { "type": "string" } }, "score": { "type": "number" } }',
    ),
    'schemas/implement.schema.json': schema(
      ['changed'],
      '{ "changed": { "type": "array", "items": { "type": "string" } } }',
    ),
    'schemas/review.schema.json': schema(
      ['critical', 'comments'],
      '{ "critical": { "type": "integer" }, "comments": { "type": "array", "items": { "type": "string" } } }',
    ),
    'schemas/verify.schema.json': schema(['passed'], '{ "passed": { "type": "boolean" } }'),
  },
};
