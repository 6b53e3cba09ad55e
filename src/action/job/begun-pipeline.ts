import { tokenMatches, type ClaimToken } from '../../engine/attempt/claim-token.ts';
import { readJson } from '../../engine/call/content.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import { asRequest } from '../../run/plan/difference.ts';
import { observePipeline } from '../../run/state/observed-pipeline.ts';
import type { GatelineRecord, StartedRecord } from '../../run/records/record.ts';
import type { RecordStore } from '../../store/record-store.ts';
import { parseContract } from '../../verdict/contract.ts';

/** A request may list every file of a large repository. */
const REQUEST_LIMIT = 64 * 1024 * 1024;

/**
 * The pipeline of a gate that an earlier step of this job described and began: the gate alone, from its claim, its
 * request and its contract. All three are read by the digests in the claim, so the agent cannot have changed them.
 * @throws GatelineError `TOKEN_UNKNOWN`, `CONTENT_MISSING`, `CONTRACT_MALFORMED`
 */
export async function begunPipeline(
  store: Pick<RecordStore, 'get'>,
  pipeline: string,
  records: readonly GatelineRecord[],
  token: ClaimToken,
): Promise<Pipeline> {
  const started = records.find(
    (record): record is StartedRecord => record.kind === 'started' && tokenMatches(token, record),
  );
  if (started === undefined) throw unknownToken(token);
  const [asked, bound] = await Promise.all([
    readJson(store, { digest: started.request }, { limit: REQUEST_LIMIT, what: 'the request of the claim' }),
    readJson(store, { digest: started.contract }, { limit: REQUEST_LIMIT, what: 'the contract of the claim' }),
  ]);
  const request = asRequest(asked);
  if (request === undefined) throw unknownToken(token);
  const contract = parseContract(bound);
  const observed = observePipeline({
    pipeline,
    own: undefined,
    records: [started],
    contracts: new Map([[started.contract, contract]]),
  });
  const gates = observed.pipeline.gates.map((gate) =>
    gate.id === token.gate ? { ...gate, files: request.definition.files, secrets: request.secrets } : gate,
  );
  return { ...observed.pipeline, gates };
}

export function unknownToken({ gate }: Pick<ClaimToken, 'gate'>): GatelineError {
  return new GatelineError('TOKEN_UNKNOWN', `gate ${gate} has no claim in this run that matches the token`, {
    hint: 'Complete a gate in the job that began it, with the same `pipeline` and `file`, and with the token from that `begin`.',
  });
}
