import { z } from 'zod';
import { GatelineError } from '../../errors/gateline-error.ts';
import { ID_PATTERN } from '../../pipeline/pipeline.ts';
import { digestOfJson } from '../../json/canonical-json.ts';
import { digestSchema, type Digest } from '../../json/digest.ts';
import type { StartedRecord } from '../../run/records/record.ts';
import type { JsonValue } from '../../json/json.ts';

const tokenSchema = z.strictObject({
  v: z.literal(1),
  subject: z.string(),
  gate: z.string(),
  leg: z.string(),
  run: z.int(),
  call: z.int(),
  n: z.int(),
  fingerprint: digestSchema,
  contract: digestSchema,
  /** Id of the pipeline. Tokens of earlier versions have neither this nor the properties below. */
  pipeline: z.string().regex(ID_PATTERN).optional(),
  /** How long the agent may take, from the time of the claim. */
  minutes: z.number().positive().optional(),
  /** Absolute path of the git that `begin` used. A git that an agent puts on the PATH later is not run. */
  git: z.string().max(4_096).optional(),
  /**
   * The gate is defined in a file of the repository. Without this it can be completed, but its full definition is not
   * known.
   */
  file: z.literal(true).optional(),
  /** The commit that definition and contracts are read from: the agent can edit the file that says so. */
  commit: z.string().max(1_100).optional(),
  /** Digest of the claim's record: verifies a record that was not found through a listing. */
  claim: digestSchema.optional(),
  /** The work was sent back: digest of where it starts, for a step that reads no other records. */
  rework: digestSchema.optional(),
});

/** `begin` returns it and `complete` requires it: names one claim. It is not a secret. */
export type ClaimToken = z.infer<typeof tokenSchema>;

/**
 * The token of a claim, as URL-safe text.
 * @param more details of the gate that the claim's record does not contain
 */
export function tokenOf(
  started: StartedRecord,
  more: Pick<ClaimToken, 'minutes' | 'file' | 'git' | 'commit' | 'rework'> = {},
): string {
  const { subject, gate, leg, runNumber: run, runAttempt: call, n, fingerprint, contract, pipeline } = started;
  const claim = digestOfClaim(started);
  const token: ClaimToken = { v: 1, subject, gate, leg, run, call, n, fingerprint, contract, pipeline, claim, ...more };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

/** @throws GatelineError `TOKEN_INVALID` */
export function readToken(text: string): ClaimToken {
  try {
    return tokenSchema.parse(JSON.parse(Buffer.from(text.trim(), 'base64url').toString('utf8')));
  } catch (cause) {
    throw new GatelineError('TOKEN_INVALID', 'this token is not from `gateline begin`', {
      cause,
    });
  }
}

/** The digest of a claim's record, as the token contains it. */
export function digestOfClaim(started: StartedRecord): Digest {
  return digestOfJson(started as unknown as JsonValue);
}

/** Whether a claim is the one that a token names: same record, request and contract. */
export function tokenMatches(token: ClaimToken, started: StartedRecord): boolean {
  return (
    (token.claim === undefined || token.claim === digestOfClaim(started)) &&
    token.subject === started.subject &&
    token.gate === started.gate &&
    token.leg === started.leg &&
    token.run === started.runNumber &&
    token.call === started.runAttempt &&
    token.n === started.n &&
    token.fingerprint === started.fingerprint &&
    token.contract === started.contract
  );
}
