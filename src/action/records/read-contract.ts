import type { Digest } from '../../json/digest.ts';
import { parseJson } from '../../json/parse-json.ts';
import type { RecordStore } from '../../store/record-store.ts';
import { parseContract, type Contract } from '../../verdict/contract.ts';

/** A contract that a claim names; `undefined` if it cannot be read or is not valid. */
export async function readContract(store: Pick<RecordStore, 'get'>, digest: Digest): Promise<Contract | undefined> {
  const read = await store.get(digest);
  const parsed = read.state === 'present' ? parseJson(read.value) : undefined;
  if (parsed?.ok !== true) return undefined;
  try {
    return parseContract(parsed.value);
  } catch {
    // Any consumer of that gate's output reads the same contract again, and reports what is wrong with it.
    return undefined;
  }
}
