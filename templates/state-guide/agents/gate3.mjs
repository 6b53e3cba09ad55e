// Code generation. Replace the work by your agent's.
import { mkdirSync, writeFileSync } from 'node:fs';
import { load, save } from './state.mjs';

const file = 'tests/register.spec.ts';
const { elementMappings } = load(2, 'map');
mkdirSync('tests', { recursive: true });
writeFileSync(file, elementMappings.map(({ logicalName }) => `// enters ${logicalName}\n`).join(''));
save(3, 'POMAgent', { files: [file], testSpecs: ['register.spec.ts'], compilationErrors: 0 }, 100);
