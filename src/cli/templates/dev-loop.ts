import type { Template } from './template.ts';

/** The seven nodes of dev-loop (seed 003) as gates. A failure sends the work back to the generation of changes. */
export const DEV_LOOP: Template = {
  name: 'dev-loop',
  summary: 'fetch a task, change the code, run the tests; a failure goes back to the changes, with what was learned',
  files: {
    'gateline.yml': `# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
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
`,
    'agents/fetch-task.sh': `# Replace this by what finds the next task. Its input is in the file $GATELINE_REQUEST.
printf '{"id": "REQ-1", "title": "Say hello"}' > "$GATELINE_OUTPUT"
`,
    'agents/generate-changes.sh': `# Replace this by the agent that writes code.
printf '{"files": {"hello.txt": "hello"}}' > "$GATELINE_OUTPUT"
`,
    'agents/apply-changes.sh': `# Replace this by what applies the changes.
echo hello > hello.txt
printf '{"applied": ["hello.txt"]}' > "$GATELINE_OUTPUT"
`,
    'agents/run-tests.sh': `# Replace this by the command of your tests.
if grep -q hello hello.txt; then failed=0; else failed=1; fi
printf '{"failed": %s}' "$failed" > "$GATELINE_OUTPUT"
`,
    'agents/analyze-results.sh': `# Replace this by the agent that reads the results of the tests: they are in the request.
passed=false
node -e 'const { needs } = JSON.parse(require("fs").readFileSync(process.env.GATELINE_REQUEST, "utf8"));
process.exit(needs["run-tests"].output.failed === 0 ? 0 : 1);' && passed=true
printf '{"passed": %s}' "$passed" > "$GATELINE_OUTPUT"
`,
    'agents/handle-success.sh': `# Replace this by what marks the task as done.
echo '- Small changes pass' > "$GATELINE_LEARNINGS"
printf '{"done": true}' > "$GATELINE_OUTPUT"
`,
    'agents/handle-failure.sh': `# Replace this by the agent that writes a fix task.
printf '{"fixed": false, "fix": "write hello.txt"}' > "$GATELINE_OUTPUT"
`,
  },
};
