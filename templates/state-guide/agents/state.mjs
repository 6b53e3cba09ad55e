// Step 0B and step N-1 of the guide, for every agent.
import { readFileSync, writeFileSync } from 'node:fs';

const metadata = {
  domain: 'demoqa_com',
  feature: 'student_registration',
  url: 'https://demoqa.com/automation-practice-form',
};
const fileOf = (gate) => `.state/${metadata.domain}-${metadata.feature}-gate${gate}-output.json`;

/** The output of an earlier gate, else what the orchestrator gives in its place. */
export function load(gate, name) {
  try {
    const { status, output } = JSON.parse(readFileSync(fileOf(gate), 'utf8'));
    if (status !== 'FAILED') return output;
  } catch (error) {
    console.log(`no state file of gate ${gate}: ${error.message}`);
  }
  return JSON.parse(readFileSync(process.env.GATELINE_REQUEST, 'utf8')).needs[name].output;
}

export function save(gate, agent, output, score, issues = []) {
  const validation = { score, issues, passed: score >= 80 };
  const status = validation.passed ? 'SUCCESS' : 'PARTIAL';
  const state = { gate, agent, status, metadata, output: { ...output, validationResult: validation }, validation };
  writeFileSync(fileOf(gate), JSON.stringify(state, null, 2));
}
