// Replace this by the agent that puts together what the explorers found.
import { readFileSync, writeFileSync } from 'node:fs';

const { GATELINE_REQUEST, GATELINE_OUTPUT } = process.env;
const { needs } = JSON.parse(readFileSync(GATELINE_REQUEST, 'utf8'));
const legs = Object.values(needs.explore.legs).map(({ file }) => JSON.parse(readFileSync(file, 'utf8')));
const { structure, conventions, testing } = Object.fromEntries(legs.map(({ area, findings }) => [area, findings]));
const output = {
  overview: [
    `**Tech stack**: ${structure.techStack.join(', ')}`,
    `**Entry points**: ${structure.entryPoints.join(', ')}`,
    '**Key patterns**: none known',
  ],
  architecture: structure.components,
  conventions: { Naming: [conventions.naming], Testing: [`${testing.tests.length} files look like tests`] },
  antiPatterns: conventions.antiPatterns,
  keyFiles: testing.tests.slice(0, 1).map((file) => ({ task: 'Add a test', look: file })),
  notes: { Authentication: ['Nobody has looked'] },
};
writeFileSync(GATELINE_OUTPUT, JSON.stringify(output));
