// Replace this by the agent that makes the plan.
import { readFileSync, writeFileSync } from 'node:fs';

const { GATELINE_REQUEST, GATELINE_OUTPUT } = process.env;
const { task } = JSON.parse(readFileSync(GATELINE_REQUEST, 'utf8'));
const steps = [task, 'Read it again'];
writeFileSync(GATELINE_OUTPUT, JSON.stringify({ message: `Plan created with ${steps.length} steps`, steps }));
