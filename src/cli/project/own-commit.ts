import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Pin } from '../../compile/compile.ts';
import { GATELINE, gatelineAt } from '../../compile/pins.ts';
import { readNamed } from '../../workspace/files/read-named.ts';
import type { CliWorld } from '../world.ts';

/** The program is in `dist/cli/` or `src/cli/` of its package. */
const FOLDERS_UP = 3;
const LARGEST = 1_024 ** 2;

const packageSchema = z.object({
  name: z.literal('gateline'),
  version: z.string().regex(/^\d[\w.+-]{0,48}$/),
  gitHead: z.string().regex(/^[0-9a-f]{40}$/),
});

/**
 * The action at the commit that this package was built from, if the release noted it as `gitHead`; else the moving
 * major version. Asks no network and no repository: see docs/adr/0025-action-ref.md.
 */
export async function ownPin({ program }: Pick<CliWorld, 'program'>): Promise<Pin> {
  if (program === undefined) return GATELINE;
  try {
    let folder = await realpath(program);
    for (let up = 0; up < FOLDERS_UP; up += 1) folder = dirname(folder);
    const text = (await readNamed(join(folder, 'package.json'), LARGEST)).toString('utf8');
    const { gitHead, version } = packageSchema.parse(JSON.parse(text));
    return { uses: gatelineAt(gitHead)!.uses, version: `v${version}` };
  } catch {
    // No package of a release: a clone, or a program that loads the sources.
    return GATELINE;
  }
}
