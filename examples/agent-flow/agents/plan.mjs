import { answer, request } from './protocol.mjs';

const { functions } = request.needs.exploration.output;
const steps = functions.filter(({ done }) => !done).map(({ name }) => name);
answer({ message: `Plan created with ${steps.length} steps`, steps });
