import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { shellWord } from '../../untrusted/shell-word.ts';
import { GatelineError, isSystemError } from '../../errors/gateline-error.ts';
import { writing } from '../../errors/store-errors.ts';

const FORMAT = 'gateline-in-place/1';

const claimSchema = z.object({
  format: z.literal(FORMAT),
  /** Name of the attempt. */
  attempt: z.string(),
  /** The gate and the subject of the attempt. */
  of: z.object({ unit: z.string(), subject: z.string() }).optional(),
  /** The user's version of the workspace when the attempt began. */
  base: z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/),
  /** ISO 8601. */
  until: z.string(),
});

/** A claim on the user's folder by an agent that runs by itself: the files there are unfinished, and not a version. */
export type ClaimInPlace = Omit<z.infer<typeof claimSchema>, 'format'>;

/** The current claim; `undefined`: there is none. @param store folder of the object store */
export async function claimInPlace(store: string, now: string): Promise<ClaimInPlace | undefined> {
  let text;
  try {
    text = await readFile(fileOf(store), 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw error;
  }
  try {
    const claim = claimSchema.parse(JSON.parse(text));
    return claim.until > now ? claim : undefined;
  } catch (cause) {
    throw new GatelineError('WORKSPACE_UNREADABLE', `${fileOf(store)} is damaged`, {
      hint: `If no agent works in this folder, remove it: rm ${fileOf(store)}`,
      cause,
    });
  }
}

/** @throws GatelineError `CLAIM_IN_PLACE` when another attempt has the folder */
export async function refuseClaimInPlace(store: string, now: string, attempt?: string): Promise<void> {
  const claim = await claimInPlace(store, now);
  if (claim === undefined || claim.attempt === attempt) return;
  const { until, of } = claim;
  if (of === undefined)
    throw new GatelineError('CLAIM_IN_PLACE', `an agent that runs by itself is using this folder until ${until}`);
  const { unit, subject } = of;
  throw new GatelineError(
    'CLAIM_IN_PLACE',
    `the agent of gate ${unit} (${subject}) is using this folder until ${until}`,
    {
      hint: `Complete it first (\`gateline complete\`), or give its claim up: \`gateline force ${shellWord(unit)} --subject ${shellWord(subject)} --reason TEXT\`.`,
    },
  );
}

/** Writes a claim, atomically. */
export async function noteClaimInPlace(store: string, claim: ClaimInPlace): Promise<void> {
  const file = fileOf(store);
  await writing(file, async () => {
    await writeFile(`${file}.tmp`, JSON.stringify({ format: FORMAT, ...claim }), { mode: 0o600, flush: true });
    await rename(`${file}.tmp`, file);
  });
}

/** Deletes the claim of an attempt. */
export async function forgetClaimInPlace(store: string, attempt: string, now: string): Promise<void> {
  const claim = await claimInPlace(store, now);
  if (claim === undefined || claim.attempt === attempt) await rm(fileOf(store), { force: true });
}

function fileOf(store: string): string {
  return join(store, 'in-place.json');
}
