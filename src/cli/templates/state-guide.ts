import { GUIDE_SCHEMAS } from '../../formats/state-guide/guide-schemas.ts';
import type { Template } from './template.ts';

interface GuideGate {
  readonly id: string;
  readonly agent: string;
  readonly keys?: string;
}

const GATES: readonly GuideGate[] = [
  { id: 'data', agent: 'TestCaseDesigner', keys: "    files: ['tests/test-data/*.json']\n" },
  { id: 'design', agent: 'TestCaseDesigner' },
  { id: 'map', agent: 'DOMAgent' },
  { id: 'generate', agent: 'POMAgent', keys: "    files: ['tests/**/*.ts']\n" },
  { id: 'execute', agent: 'ExecutionEngine' },
  { id: 'learn', agent: 'LearningAgent' },
];

function gate({ id, agent, keys = '' }: GuideGate, number: number): string {
  const needs = number === 0 ? '' : `    needs: ${GATES[number - 1]!.id}\n`;
  const inputs = id === 'execute' ? "['agents/*.mjs', 'tests/**']" : "['agents/*.mjs']";
  return `  ${id}:
    number: ${number}
    agent: ${agent}
${needs}    run: node agents/gate${number}.mjs demoqa_com student_registration
    inputs: ${inputs}
${keys}    output:
      schema: ${number < GUIDE_SCHEMAS.length ? `schemas/gate${number}.schema.json` : '{ type: object, required: [learnings] }'}
      score: /validationResult/score
      threshold: 80
`;
}

/** An agent of the guide: what its file does before it writes its state file, and what it writes. */
function agentFile(number: number, work: string): string {
  const { agent } = GATES[number]!;
  const previous = number === 0 ? '' : `const previous = load(${number - 1});\n`;
  const names = number === 0 ? 'save' : 'load, save';
  const [imports, body] = work.trim().startsWith('import') ? work.trim().split('\n\n') : ['', work.trim()];
  return `// Gate ${number}. Replace the work by your agent's.
${imports === '' ? '' : `${imports}\n`}import { ${names} } from './state.mjs';

${previous}${body}
save(${number}, '${agent}', output);
`;
}

const AGENTS: readonly string[] = [
  `
import { mkdirSync, writeFileSync } from 'node:fs';

const dataFile = 'tests/test-data/students.json';
mkdirSync('tests/test-data', { recursive: true });
writeFileSync(dataFile, JSON.stringify([{ firstName: 'John' }, { firstName: '' }]));
const validationResult = { score: 100, issues: [], passed: true };
const output = { dataFile, totalCases: 2, validationResult };`,
  `
const testCases = [{ testId: 'TC_001', testSteps: [{ stepNumber: 1, action: 'Enter first name', target: 'firstName' }] }];
const dataStrategy = { type: 'data-driven', dataFile: previous.dataFile, totalCases: previous.totalCases };
const output = { testCases, dataStrategy, validationResult: { score: 95, issues: [], passed: true } };`,
  `
const targets = previous.testCases.flatMap(({ testSteps }) => testSteps.map(({ target }) => target));
const elementMappings = targets.map((value) => ({ logicalName: value, locators: { primary: { type: 'id', value } } }));
const output = { elementMappings, isSPA: false, validationResult: { score: 87, issues: [], passed: true } };`,
  `
import { mkdirSync, writeFileSync } from 'node:fs';

const file = 'tests/register.spec.ts';
mkdirSync('tests', { recursive: true });
writeFileSync(file, previous.elementMappings.map(({ logicalName }) => \`// enters \${logicalName}\\n\`).join(''));
const validationResult = { score: 100, issues: [], passed: true };
const output = { files: [file], testSpecs: ['register.spec.ts'], compilationErrors: 0, validationResult };`,
  `
import { existsSync } from 'node:fs';

const missing = previous.files.filter((file) => !existsSync(file));
const passed = missing.length === 0;
const results = [{ runNumber: 1, status: passed ? 'PASS' : 'FAIL', passedTests: previous.files.length - missing.length }];
const finalStatus = { passRate: passed ? 100 : 0, failedTests: missing.length };
const output = { results, finalStatus, validationResult: { score: finalStatus.passRate, issues: missing, passed } };`,
  `
const learnings = [\`the pass rate was \${previous.finalStatus.passRate} %\`];
const output = { learnings, validationResult: { score: 100, issues: [], passed: true } };`,
];

/** Six gates whose agents know `.state/` files and nothing of Gateline. */
export const STATE_GUIDE: Template = {
  name: 'state-guide',
  summary: 'gates 0 to 5 of the state management guide, with agents that read and write its `.state/` files',
  files: {
    'gateline.yml': `# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
pipeline: state-guide
mirror: [state-guide]
metadata:
  domain: demoqa_com
  feature: student_registration
  url: https://demoqa.com/automation-practice-form
  userStory: As a student I register with my name
  acceptanceCriteria: [A first name is required]
gates:
${GATES.map(gate).join('')}`,
    'agents/state.mjs': `// The state files of the guide: step 0B and step N-1 of each agent. Nothing here knows Gateline.
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
`,
    ...Object.fromEntries(
      GUIDE_SCHEMAS.map((schema, number) => [
        `schemas/gate${number}.schema.json`,
        `${JSON.stringify(schema, null, 2)}\n`,
      ]),
    ),
    ...Object.fromEntries(AGENTS.map((work, number) => [`agents/gate${number}.mjs`, agentFile(number, work)])),
  },
};
