import type { Template } from './template.ts';

/** Id, agent, message, and the result that passes: in agent-flow, only the phases of a group have one. */
const PHASES: readonly (readonly [id: string, agent: string, message: string, result?: string])[] = [
  ['exploration', 'Riko', 'Exploration complete'],
  ['planning', 'Senku', 'Plan created with 1 step'],
  ['implementation', 'Loid', 'hello.txt written'],
  ['review', 'Lawliet', 'No mistakes found', 'APPROVED'],
  ['verification', 'Alphonse', 'All tests pass', 'VERIFIED'],
];

const ENDS: ReadonlySet<string> = new Set(['review', 'verification']);

const gates = PHASES.map(([id, agent, , result], index) => {
  const need = ENDS.has(id) ? 'implementation' : PHASES[index - 1]?.[0];
  return `  ${id}:
    agent: ${agent}
${need === undefined ? '' : `    needs: ${need}\n`}    run: sh agents/${id}.sh
    shell: sh
    inputs: [agents/${id}.sh${ENDS.has(id) ? ', hello.txt' : ''}]
    memory: ['deep-dive?']
${id === 'implementation' ? '    files: changed\n' : ''}    output:
      schema: schemas/phase.schema.json
${result === undefined ? '' : `      result: { pointer: /result, pass: [${result}] }\n`}      message: /message
`;
});

/** The five phases of agent-flow (seed 002), review and verification side by side. */
export const AGENT_FLOW: Template = {
  name: 'agent-flow',
  summary: 'explore, plan, implement, then review and verify side by side; what fails goes back to the implementation',
  files: {
    'gateline.yml': `# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
# docs/recipes/from-agent-flow.md: files of agent-flow are imported with \`gateline import agent-flow\`.
pipeline: agent-flow
task: Say hello
groups:
  review_verification:
    gates: [review, verification]
    on-fail: { goto: implementation, max-iterations: 10 }
gates:
${gates.join('')}`,
    ...Object.fromEntries(
      PHASES.map(([id, agent, message, result]) => [
        `agents/${id}.sh`,
        `# Replace this by the agent ${agent}. Its input is in the file $GATELINE_REQUEST.
${id === 'implementation' ? 'echo hello > hello.txt\n' : ''}${id === 'verification' ? 'grep -q hello hello.txt || exit 1\n' : ''}printf '{${result === undefined ? '' : `"result": "${result}", `}"message": "${message}"}' > "$GATELINE_OUTPUT"
`,
      ]),
    ),
    'schemas/phase.schema.json': `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "properties": { "result": { "type": "string" }, "message": { "type": "string" } }
}
`,
  },
};
