import type { Template } from './template.ts';

/** Several agents look at the code base, one puts together what they found: agent-flow's deep dive (seed 002). */
export const DEEP_DIVE: Template = {
  name: 'deep-dive',
  summary: 'agents that explore the code base, and a document of what they found for later agents',
  files: {
    'gateline.yml': `# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
# gateline run, then: gateline memory compile deep-dive
# When the code has changed: gateline memory refresh deep-dive
pipeline: deep-dive
gates:
  # One agent for each area, side by side. For a part of the code base, name its folder here: ['src/auth/**'],
  # and with \`gateline memory compile deep-dive --focus src/auth\`.
  explore:
    strategy:
      matrix:
        area: [structure, conventions, tests]
    run: node agents/explore.mjs
    inputs: ['**', '!agents/synthesis.mjs', '!gateline.yml', '!.github/**']
    output:
      schema: { type: object, required: [area, findings] }
  synthesis:
    needs: explore
    run: node agents/synthesis.mjs
    inputs: [agents/synthesis.mjs]
    output:
      schema:
        type: object
        required: [tech_stack, architecture, conventions, anti_patterns, agent_notes]
`,
    'agents/explore.mjs': `// One explorer. Replace what it finds by your agent's work: it may read everything and changes nothing.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname } from 'node:path';

const { GATELINE_REQUEST, GATELINE_OUTPUT } = process.env;
const { matrix, inputs } = JSON.parse(readFileSync(GATELINE_REQUEST, 'utf8'));
const files = Object.keys(inputs.files).filter((path) => !path.startsWith('agents/'));
const kinds = [...new Set(files.map(extname).filter(Boolean))].sort();
const explorers = {
  structure: () => ({
    tech_stack: kinds,
    architecture: readdirSync('.', { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !/^(\\..*|agents|node_modules)$/.test(entry.name))
      .map(({ name }) => {
        const inside = files.filter((path) => path.startsWith(name + '/')).length;
        return { component: name, location: name + '/', purpose: inside + ' files' };
      }),
  }),
  conventions: () => ({
    conventions: { Naming: [files.every((path) => path === path.toLowerCase()) ? 'Names are lower case' : 'Names have upper case'] },
    anti_patterns: ['Do not put generated files into git'],
  }),
  tests: () => ({
    agent_notes: { Testing: [files.filter((path) => /test|spec/.test(path)).length + ' files look like tests'] },
  }),
};
writeFileSync(GATELINE_OUTPUT, JSON.stringify({ area: matrix.area, findings: explorers[matrix.area]() }));
`,
    'agents/synthesis.mjs': `// Puts the findings together. Keys: tech_stack, entry_points, key_patterns, overview, architecture, conventions,
// anti_patterns, quick_reference, agent_notes.
import { readFileSync, writeFileSync } from 'node:fs';

const { GATELINE_REQUEST, GATELINE_OUTPUT } = process.env;
const { needs } = JSON.parse(readFileSync(GATELINE_REQUEST, 'utf8'));
const found = Object.values(needs.explore.legs).map(({ file }) => JSON.parse(readFileSync(file, 'utf8')).findings);
writeFileSync(GATELINE_OUTPUT, JSON.stringify(Object.assign({}, ...found)));
`,
  },
};
