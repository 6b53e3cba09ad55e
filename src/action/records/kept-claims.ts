import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readPlainFile } from '../../agent/process/read-plain-file.ts';
import { digestOfClaim, tokenMatches, type ClaimToken } from '../../engine/attempt/claim-token.ts';
import { GatelineError, messageOf } from '../../errors/gateline-error.ts';
import type { OutageBudget } from '../../github/outage-budget.ts';
import { hexOf, type Digest } from '../../json/digest.ts';
import {
  comparePositions,
  unitOf,
  type EndedRecord,
  type GatelineRecord,
  type StartedRecord,
} from '../../run/records/record.ts';
import { isOutage } from '../../store/github/artifacts/outage-error.ts';
import { judgeRecord, parseStoredJson } from '../../store/parse-record.ts';
import type { Written } from '../../store/record-store.ts';

/** A claim that this job took, as recorded. */
export interface KeptClaim {
  readonly claim: StartedRecord;
  /** Attempts of the same gate before it in this run: for display only. */
  readonly earlier: readonly GatelineRecord[];
}

/** What the runner knows about the end of an attempt. */
export type KeptEnd =
  | { readonly state: 'none' }
  /** `recorded`: it is recorded. `waiting`: it was decided but could not be uploaded yet. */
  | { readonly state: 'recorded' | 'waiting'; readonly record: EndedRecord };

/** Files of a claim, in a folder named by its digest. `src/action/post-entry.ts` also names the last one. */
const FILES = {
  claim: 'claim.json',
  earlier: 'earlier.json',
  waiting: 'end.json',
  /** Milliseconds spent waiting for GitHub. */
  waited: 'waited',
  recorded: 'recorded.json',
} as const;

/** A record with the maximum number of files has about 10 MB. */
const LIMIT = 64 * 1024 * 1024;

/**
 * Claims of this job and their ends, stored on the runner: an agent's work costs money, and GitHub may be down when it
 * ends, so an attempt can be ended without a request to it. The claim is here, by the digest in the token, and the end,
 * once it is decided. Contents are in the spool next to it. The agent can write here: a file is used only if it is a
 * record of this claim.
 */
export class KeptClaims {
  readonly #root: string;
  readonly #outage: OutageBudget;
  readonly #claims: StartedRecord[] = [];
  #listed: readonly GatelineRecord[] = [];
  #resumed: ClaimToken | undefined;

  /** @param root absolute; created when needed */
  constructor(root: string, outage: OutageBudget) {
    this.#root = root;
    this.#outage = outage;
  }

  /** Uploads a record. A claim, and the end of an attempt, is saved here before. */
  async write(record: GatelineRecord, upload: () => Promise<Written>): Promise<Written> {
    if (record.kind === 'started') await this.#keepClaim(record);
    const folder = record.kind === 'ended' ? this.#folderFor(record) : undefined;
    if (folder === undefined) return upload();
    await keep(folder, FILES.waiting, record);
    const written = await upload().catch((error: unknown) => {
      throw isOutage(error) ? waitingHere(error) : error;
    });
    await writing(folder, () => rename(join(folder, FILES.waiting), join(folder, FILES.recorded)));
    return written;
  }

  /** Sets what the last listing had: a claim is saved with the attempts before it. */
  listed(records: readonly GatelineRecord[]): void {
    this.#listed = records;
  }

  /** The claim that a token names; `undefined` if it is missing or altered here. */
  async find(token: ClaimToken): Promise<KeptClaim | undefined> {
    const folder = this.#folderOf(token.claim);
    if (folder === undefined) return undefined;
    const claim = asRecord(await readJson(join(folder, FILES.claim)));
    if (claim?.kind !== 'started' || !tokenMatches(token, claim)) return undefined;
    this.add(claim);
    const earlier = await readJson(join(folder, FILES.earlier));
    const records = (Array.isArray(earlier) ? earlier : []).map(asRecord).filter((record) => record !== undefined);
    return { claim, earlier: records.filter((record) => isBefore(record, claim)) };
  }

  /** Also saves the end of this claim from now on; the claim was found elsewhere. */
  add(claim: StartedRecord): void {
    this.#claims.push(claim);
  }

  /** The claim of an attempt that is ending. */
  claimOf(ended: EndedRecord): StartedRecord | undefined {
    return this.#claims.find((claim) => unitOf(claim) === unitOf(ended) && comparePositions(claim, ended) === 0);
  }

  /** What the runner knows about the end of an attempt. */
  async endOf(token: ClaimToken): Promise<KeptEnd> {
    const folder = this.#folderOf(token.claim);
    for (const state of folder === undefined ? [] : (['recorded', 'waiting'] as const)) {
      const record = asRecord(await readJson(join(folder!, FILES[state])));
      if (record?.kind === 'ended' && endsClaim(record, token)) return { state, record };
    }
    return { state: 'none' };
  }

  /** This step ends the claim that a token names: its waiting time for GitHub is added to that of earlier steps. */
  async resume(token: ClaimToken): Promise<void> {
    this.#resumed = token;
    const folder = this.#folderOf(token.claim);
    if (folder === undefined) return;
    const waited = await readJson(join(folder, FILES.waited));
    this.#countIn(folder, typeof waited === 'number' && waited > 0 ? waited : 0);
  }

  async #keepClaim(claim: StartedRecord): Promise<void> {
    const folder = this.#folderOf(digestOfClaim(claim))!;
    const earlier = this.#listed.filter((record) => isBefore(record, claim));
    await keep(folder, FILES.earlier, earlier);
    await keep(folder, FILES.claim, claim);
    this.add(claim);
    this.#countIn(folder, 0);
  }

  #countIn(folder: string, waitedMs: number): void {
    this.#outage.resume(waitedMs, (spentMs) => keep(folder, FILES.waited, Math.ceil(spentMs)));
  }

  #folderFor(ended: EndedRecord): string | undefined {
    if (this.#resumed !== undefined && endsClaim(ended, this.#resumed)) return this.#folderOf(this.#resumed.claim);
    const claim = this.claimOf(ended);
    return this.#folderOf(claim && digestOfClaim(claim));
  }

  #folderOf(claim: Digest | undefined): string | undefined {
    return claim === undefined ? undefined : join(this.#root, hexOf(claim));
  }
}

/** The same error, with what happens to the record. */
function waitingHere({ code, message, cause }: GatelineError): GatelineError {
  return new GatelineError(code, message, {
    hint: "GitHub, or the connection to it, is down: see https://www.githubstatus.com. The agent's output is kept on this runner, and the post step of this job tries to upload it again. `outage-minutes` sets how long to wait for GitHub.",
    cause,
  });
}

/** Whether a record belongs to an attempt before the claim, of the same gate in the same run. */
function isBefore(record: GatelineRecord, claim: StartedRecord): boolean {
  return (
    record.kind !== 'decided' &&
    record.pipeline === claim.pipeline &&
    record.subject === claim.subject &&
    unitOf(record) === unitOf(claim) &&
    record.runNumber === claim.runNumber &&
    comparePositions(record, claim) < 0
  );
}

function endsClaim(ended: EndedRecord, token: ClaimToken): boolean {
  return (
    ended.subject === token.subject &&
    ended.gate === token.gate &&
    ended.leg === token.leg &&
    ended.runNumber === token.run &&
    ended.runAttempt === token.call &&
    ended.n === token.n &&
    ended.fingerprint === token.fingerprint &&
    ended.contract === token.contract
  );
}

function asRecord(value: unknown): GatelineRecord | undefined {
  const judged = judgeRecord(value);
  return 'record' in judged ? judged.record : undefined;
}

async function readJson(path: string): Promise<unknown> {
  const file = await readPlainFile(path, LIMIT);
  const json = file.state === 'present' ? parseStoredJson(file.bytes) : undefined;
  return json !== undefined && 'value' in json ? json.value : undefined;
}

async function keep(folder: string, name: string, value: unknown): Promise<void> {
  const path = join(folder, name);
  await writing(folder, async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(`${path}.new`, JSON.stringify(value), { mode: 0o600 });
    await rename(`${path}.new`, path);
  });
}

async function writing(folder: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (cause) {
    throw new GatelineError('TEMP_UNWRITABLE', `${folder} cannot be written to: ${messageOf(cause)}`, {
      cause,
    });
  }
}
