// Replace this by an agent that explores one area. It reads everything and changes nothing.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';

const { GATELINE_REQUEST, GATELINE_OUTPUT } = process.env;
const { matrix, metadata } = JSON.parse(readFileSync(GATELINE_REQUEST, 'utf8'));

const hidden = /^(?:\..*|node_modules|agents)$/;
const list = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !hidden.test(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? list(path) : [path];
    });
const files = list(metadata.focus ?? '.').sort();
const folders = [...new Set(files.map((file) => file.split('/').slice(0, -1).join('/')).filter(Boolean))];

const explorers = {
  structure: () => ({
    techStack: [...new Set(files.map((file) => extname(file)).filter(Boolean))],
    entryPoints: files.filter((file) => /(?:^|\/)(?:index|main|server|cli)\.\w+$/.test(file)),
    components: folders.map((folder) => ({
      component: folder.split('/').at(-1),
      location: `${folder}/`,
      purpose: `${files.filter((file) => file.startsWith(`${folder}/`)).length} files`,
    })),
  }),
  conventions: () => ({
    naming: files.every((file) => file === file.toLowerCase()) ? 'kebab-case' : 'mixed case',
    antiPatterns: ['Do not put generated files into git'],
  }),
  testing: () => ({ tests: files.filter((file) => /test|spec/.test(file)) }),
};
writeFileSync(GATELINE_OUTPUT, JSON.stringify({ area: matrix.area, findings: explorers[matrix.area]() }));
