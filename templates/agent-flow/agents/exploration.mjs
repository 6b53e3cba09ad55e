// Replace this by the agent that gathers context.
import { readdirSync, writeFileSync } from 'node:fs';

const files = readdirSync('.').filter((name) => !name.startsWith('.'));
writeFileSync(process.env.GATELINE_OUTPUT, JSON.stringify({ message: 'Exploration complete', files }));
