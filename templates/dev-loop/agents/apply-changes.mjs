// Writes the files. The gate's `files` says which may be: list those of your project.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';

const { GATELINE_REQUEST, GATELINE_OUTPUT } = process.env;
const { needs } = JSON.parse(readFileSync(GATELINE_REQUEST, 'utf8'));
const { files } = needs['generate-changes'].output;
for (const { path, content } of files) {
  if (relative('.', resolve(path)).startsWith('..')) throw new Error(`${path} is outside of the folder`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
writeFileSync(GATELINE_OUTPUT, JSON.stringify({ applied: files.map(({ path }) => path) }));
