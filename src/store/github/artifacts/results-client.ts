import { z } from 'zod';
import { digestSchema, type Digest } from '../../../json/digest.ts';
import { GatelineError } from '../../../errors/gateline-error.ts';
import type { BackendIds, ListedArtifact } from './artifact-service.ts';
import { parsedAnswer, refusal } from '../../../github/call-failure.ts';
import { bytesOf, send } from '../../../github/http.ts';
import type { ServiceLimits } from '../../../github/limits.ts';
import { givenAddress } from '../../../github/service-address.ts';

/** The results service of a job, as the runner provides it to actions. */
export interface ResultsAccess {
  /** `ACTIONS_RESULTS_URL`; only its origin is used. */
  readonly url: string;
  /** `ACTIONS_RUNTIME_TOKEN`: a JWT whose `scp` names run and job. */
  readonly token: string;
  /** The answer to a first {@link ResultsClient.list} that was requested before this client existed. */
  readonly listed?: Promise<ListedArtifact[]>;
}

const SERVICE = '/twirp/github.actions.results.api.v1.ArtifactService/';

/** A response that lists a thousand artifacts is about half a megabyte. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

const claimsSchema = z.object({ scp: z.string() });
/** 64-bit numbers are sent as text. */
const numberSchema = z.union([z.string().regex(/^[0-9]{1,15}$/), z.int().min(0)]).transform(Number);
const listSchema = z.object({
  artifacts: z
    .array(
      z.object({
        workflow_run_backend_id: z.string().min(1),
        workflow_job_run_backend_id: z.string().min(1),
        database_id: numberSchema,
        name: z.string().min(1),
        size: numberSchema.default(0),
        digest: z.string().nullish(),
      }),
    )
    .default([]),
});
/** Version 7 of the protocol supports `mime_type`. */
const ARTIFACT_VERSION = 7;
const createdSchema = z.object({ ok: z.literal(true), signed_upload_url: z.url({ protocol: /^https?$/ }) });
const finalizedSchema = z.object({ ok: z.literal(true), artifact_id: numberSchema });
const errorSchema = z.object({ msg: z.string() });
const urlSchema = z.object({ signed_url: z.url({ protocol: /^https?$/ }) });

/** Calls of the results service that the toolkit's client does not offer in one round trip each. */
export class ResultsClient {
  readonly #origin: URL;
  readonly #token: string;
  readonly #ids: BackendIds;
  readonly #limits: ServiceLimits;
  #listed: Promise<ListedArtifact[]> | undefined;

  /** @throws GatelineError `ARTIFACTS_UNAVAILABLE` when the address or token is not as a runner provides it */
  constructor(access: ResultsAccess, limits: ServiceLimits) {
    this.#origin = new URL(new URL(access.url).origin);
    this.#token = access.token;
    this.#ids = backendIdsOf(access.token);
    this.#limits = limits;
    this.#listed = access.listed;
  }

  /** Artifacts of this run that jobs can see. @throws CallFailure */
  list(): Promise<ListedArtifact[]> {
    const listed = this.#listed;
    this.#listed = undefined;
    return listed ?? this.#list();
  }

  async #list(): Promise<ListedArtifact[]> {
    const { artifacts } = await this.#call('ListArtifacts', listSchema, {
      workflow_run_backend_id: this.#ids.run,
      workflow_job_run_backend_id: this.#ids.job,
    });
    return artifacts.map(({ database_id: id, name, size, digest, ...owner }) => ({
      name,
      id,
      size,
      ...asDigest(digest),
      expired: false,
      owner: { run: owner.workflow_run_backend_id, job: owner.workflow_job_run_backend_id },
    }));
  }

  /** The download address of an artifact. `owner`: as listed, never this job's own ids. @throws CallFailure */
  async addressOf(name: string, owner: BackendIds): Promise<string> {
    const { signed_url: address } = await this.#call('GetSignedArtifactURL', urlSchema, {
      workflow_run_backend_id: owner.run,
      workflow_job_run_backend_id: owner.job,
      name,
    });
    return givenAddress(address, this.#origin);
  }

  /**
   * Reserves a name for a file that is stored unchanged; returns the upload address. @throws CallFailure; status 409:
   * taken
   */
  async create(name: string, expiresAt: string | undefined): Promise<string> {
    const { signed_upload_url: address } = await this.#call('CreateArtifact', createdSchema, {
      workflow_run_backend_id: this.#ids.run,
      workflow_job_run_backend_id: this.#ids.job,
      name,
      mime_type: 'application/json',
      version: ARTIFACT_VERSION,
      ...(expiresAt !== undefined && { expires_at: expiresAt }),
    });
    return givenAddress(address, this.#origin);
  }

  /** Makes an upload visible; returns its id. @throws CallFailure */
  async finalize(name: string, size: number, hash: string): Promise<number> {
    const { artifact_id: id } = await this.#call('FinalizeArtifact', finalizedSchema, {
      workflow_run_backend_id: this.#ids.run,
      workflow_job_run_backend_id: this.#ids.job,
      name,
      size: String(size),
      hash,
    });
    return id;
  }

  async #call<T>(method: string, schema: z.ZodType<T>, body: object): Promise<T> {
    const answer = await send({
      what: method,
      method: 'POST',
      url: new URL(SERVICE + method, this.#origin).href,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      limit: this.#limits.callMs,
      maxBytes: MAX_ANSWER_BYTES,
    });
    const bytes = await bytesOf(answer.body);
    if (answer.status !== 200) throw refusal(method, answer, saidBy(bytes));
    return parsedAnswer(method, schema, bytes);
  }
}

/** The service's own explanation of a refusal. https://twitchtv.github.io/twirp/docs/errors.html */
function saidBy(bytes: Buffer): string | undefined {
  try {
    const { msg } = errorSchema.parse(JSON.parse(bytes.toString('utf8')));
    return msg.includes('insufficient usage') ? 'the storage quota of artifacts is used up' : msg;
  } catch {
    // A proxy's page or a truncated response: only the status is used.
    return undefined;
  }
}

/** A digest, if it is one. */
export function asDigest(told: string | null | undefined): { digest?: Digest } {
  const digest = digestSchema.safeParse(told);
  return digest.success ? { digest: digest.data } : {};
}

function backendIdsOf(token: string): BackendIds {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const scope = claimsSchema
      .parse(claims)
      .scp.split(' ')
      .find((one) => one.startsWith('Actions.Results:'));
    const [, run, job] = scope?.split(':') ?? [];
    if (run !== undefined && job !== undefined) return { run, job };
  } catch {
    // Reported below, without the token.
  }
  throw new GatelineError('ARTIFACTS_UNAVAILABLE', 'the runtime token has no run and job', {
    hint: 'Artifacts need a runner of GitHub (or a compatible one), and an action: a `run:` step has no such token.',
  });
}
