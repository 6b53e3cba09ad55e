// The next task: that of the run. `gateline loop tasks.yml` runs one after another.
import { readFileSync, writeFileSync } from 'node:fs';

const { GATELINE_REQUEST, GATELINE_OUTPUT } = process.env;
const { subject, task } = JSON.parse(readFileSync(GATELINE_REQUEST, 'utf8'));
writeFileSync(GATELINE_OUTPUT, JSON.stringify({ id: subject ?? 'REQ-1.1', title: task }));
