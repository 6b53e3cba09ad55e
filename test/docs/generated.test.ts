import { Ajv } from 'ajv';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { generatedFiles } from '../../scripts/generate.ts';
import { TEMPLATES } from '../../src/local/project/init.ts';
import { ROOT } from './pages.ts';

const FILES = generatedFiles();

it.each([...FILES.keys()])('%s is what `npm run generate` writes', (path) => {
  const file = join(ROOT, path);
  expect(existsSync(file) ? readFileSync(file, 'utf8') : undefined).toBe(FILES.get(path));
});

it('lets editors accept the templates, and mark a misspelt key', () => {
  const validate = new Ajv({ strict: false }).compile(JSON.parse(FILES.get('schema/gateline.schema.json')!) as object);
  for (const name of TEMPLATES) {
    const definition = parse(readFileSync(join(ROOT, 'templates', name, 'gateline.yml'), 'utf8')) as object;
    expect([name, validate(definition), validate.errors]).toEqual([name, true, null]);
    expect(validate({ ...definition, gatez: {} })).toBe(false);
  }
});
