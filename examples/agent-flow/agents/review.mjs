import { readFileSync } from 'node:fs';
import { answer, FILE, functionsOf, request } from './protocol.mjs';

const done = new Set(functionsOf(readFileSync(FILE, 'utf8')).flatMap(({ name, done }) => (done ? [name] : [])));
const missing = request.needs.planning.output.steps.filter((name) => !done.has(name));
answer(
  missing.length === 0
    ? { result: 'APPROVED', message: 'Everything in the plan is there', changes: [] }
    : { result: 'NEEDS_CHANGES', message: `${missing.length} steps are missing`, changes: missing.slice(0, 1) },
);
