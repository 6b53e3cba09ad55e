import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]).transform((value) => String(value ?? ''));

const manifestSchema = z.object({
  name: z.string(),
  inputs: z
    .record(
      z.string(),
      z
        .object({ default: scalar.optional(), deprecationMessage: z.string().optional() })
        .nullable()
        .transform((input) => input ?? {}),
    )
    .nullish()
    .transform((inputs) => inputs ?? {}),
  runs: z.object({
    using: z.literal('node24'),
    main: z.string(),
    post: z.string().optional(),
    'post-if': z.string().default('always()'),
    // A local action's `pre` is never run, and nothing here needs one.
    pre: z.undefined().optional(),
  }),
});

/** A JavaScript action as its `action.yml` describes it. */
export type ActionManifest = z.output<typeof manifestSchema>;

/**
 * Reads the `action.yml` of a folder. Throws for anything but a JavaScript action for Node 24.
 * https://docs.github.com/actions/reference/workflows-and-actions/metadata-syntax
 */
export async function readManifest(folder: string): Promise<ActionManifest> {
  const path = join(folder, 'action.yml');
  const result = manifestSchema.safeParse(parse(await readFile(path, 'utf8')));
  if (!result.success) throw new Error(`${path}: ${z.prettifyError(result.error)}`);
  return result.data;
}
