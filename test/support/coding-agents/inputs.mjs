import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The inputs of an action by their names. Throws for one that its manifest does not have. */
export function inputsOf(folder) {
  const manifest = readFileSync(join(folder, 'action.yml'), 'utf8');
  const [, listed] = manifest.match(/^inputs:\n((?: {2}.*\n)+)/m);
  const known = [...listed.matchAll(/^ {2}([\w-]+):/gm)].map(([, name]) => name);
  const given = Object.entries(process.env).filter(([name]) => name.startsWith('INPUT_'));
  const inputs = given.map(([name, value]) => {
    const input = known.find((one) => `INPUT_${one.toUpperCase()}` === name);
    if (input === undefined) throw new Error(`the action has no input ${name}`);
    return [input, value];
  });
  return Object.fromEntries(inputs);
}
