// What the next task should know: `gateline memory promote` adds it to the learned patterns.
import { readFileSync, writeFileSync } from 'node:fs';

const { GATELINE_REQUEST, GATELINE_LEARNINGS, GATELINE_OUTPUT } = process.env;
const { needs } = JSON.parse(readFileSync(GATELINE_REQUEST, 'utf8'));
writeFileSync(GATELINE_LEARNINGS, '- Pattern: end files with a new line\n');
writeFileSync(GATELINE_OUTPUT, JSON.stringify({ message: `${needs['fetch-task'].output.id} is done` }));
