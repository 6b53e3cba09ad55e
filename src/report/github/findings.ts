import { z } from 'zod';
import { valueAt, pointerSegments } from '../../json/pointer.ts';
import type { JsonValue } from '../../json/json.ts';

/** At most this many findings of an output are read. */
const MAX_FINDINGS = 1_000;

/** A path in the repository, with `/`: not outside, without invisible characters and commands of GitHub's runner. */
const pathSchema = z
  .string()
  .max(1_024)
  .refine((path) => !/^[/~\\]|^[a-z]+:|\p{C}|##\[/iu.test(path) && !path.split(/[/\\]/).includes('..'))
  .transform((path) => path.replaceAll('\\', '/').replace(/^(?:\.\/+)+/, ''))
  .refine((path) => path !== '');
const lineSchema = z.int().min(1).max(10_000_000);

/**
 * A finding about a place in a file: an item of the list `findings` at the top of an output. An unknown severity becomes
 * `warning`; a path outside the repository and an invalid line are left out.
 */
const findingSchema = z.object({
  file: pathSchema.optional().catch(undefined),
  line: lineSchema.optional().catch(undefined),
  severity: z.enum(['error', 'warning', 'notice']).catch('warning'),
  message: z.string().min(1),
  rule: z.string().optional().catch(undefined),
});
export type Finding = z.infer<typeof findingSchema>;

/** The findings of an output, without items of another shape. */
export function findingsOf(output: JsonValue | undefined): readonly Finding[] {
  const list = output === undefined ? undefined : valueAt(output, '/findings');
  if (!Array.isArray(list)) return [];
  return list.slice(0, MAX_FINDINGS).flatMap((item) => findingSchema.safeParse(item).data ?? []);
}

/** The finding that the pointer of an issue is in. */
export function findingAt(output: JsonValue | undefined, pointer: string | undefined): Finding | undefined {
  const [list, index] = pointerSegments(pointer ?? '');
  if (output === undefined || list !== 'findings' || !/^\d+$/.test(index ?? '')) return undefined;
  return findingSchema.safeParse(valueAt(output, `/findings/${index}`)).data;
}
