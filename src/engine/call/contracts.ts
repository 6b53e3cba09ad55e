import type { StandardSchemaV1 } from '@standard-schema/spec';
import { GatelineError, type Place } from '../../errors/gateline-error.ts';
import type { GateContract } from '../../pipeline/pipeline.ts';
import { digestOfJson } from '../../json/canonical-json.ts';
import type { Digest } from '../../json/digest.ts';
import type { JsonValue } from '../../json/json.ts';
import { compileContract, type CompiledContract } from '../../verdict/compile-contract.ts';
import { contractError, resolveContract, type Contract } from '../../verdict/contract.ts';
import type { Workspace } from '../../workspace/workspace.ts';

/** A gate's current contract, with the digest for its records. */
export interface LoadedContract {
  readonly contract: Contract;
  readonly digest: Digest;
}

/**
 * Contracts of a call: each is read once, before anything runs, so that no agent can change the contract that judges
 * it.
 */
export interface Contracts {
  /** @throws GatelineError of fault `user` if the contract is missing or invalid */
  load(gate: GateContract): Promise<LoadedContract>;
  /** Compiles the contract. Loads the validators, which is slow the first time. */
  compile(gate: GateContract): Promise<CompiledContract>;
  /** Uses this contract for the gate from now on, whatever the workspace contains. */
  fix(gate: string, contract: LoadedContract): void;
  /** Refuses the gate's contract from now on: {@link load} throws this error. */
  refuse(gate: string, why: GatelineError): void;
}

/** A schema that a program passes, with the version that represents it in the contract's digest. */
export interface VersionedSchema {
  readonly schema: StandardSchemaV1;
  /** 1 to 1000 characters. Change it when the schema changes: stored outputs are then judged again. */
  readonly version: string;
}

/** Schemas that programs pass, by gate id. */
type StandardSchemas = Readonly<Record<string, VersionedSchema>>;

/** All errors in the contracts of these gates. Compiles them all. */
export async function contractErrors(
  contracts: Pick<Contracts, 'compile'>,
  gates: readonly GateContract[],
): Promise<GatelineError[]> {
  const errors: GatelineError[] = [];
  for (const gate of gates) {
    try {
      await contracts.compile(gate);
    } catch (error) {
      if (!(error instanceof GatelineError)) throw error;
      errors.push(error);
    }
  }
  return errors;
}

export function createContracts(workspace: Pick<Workspace, 'readText'>, standard: StandardSchemas = {}): Contracts {
  const loaded = new Map<string, Promise<LoadedContract>>();
  const compiled = new Map<string, Promise<CompiledContract>>();
  const load = (gate: GateContract): Promise<LoadedContract> =>
    remember(loaded, gate.id, () => loadContract(workspace, gate, standard));
  return {
    load,
    compile: (gate) => remember(compiled, gate.id, async () => compile(gate, (await load(gate)).contract, standard)),
    fix: (gate, contract) => {
      loaded.set(gate, Promise.resolve(contract));
      compiled.delete(gate);
    },
    refuse: (gate, why) => {
      const refused = Promise.reject<LoadedContract>(why);
      // The error is thrown when the contract is loaded. If it is never loaded, the rejection is no error.
      refused.catch(() => undefined);
      loaded.set(gate, refused);
      compiled.delete(gate);
    },
  };
}

async function compile(gate: GateContract, contract: Contract, standard: StandardSchemas): Promise<CompiledContract> {
  const given = standardOf(standard, gate);
  // Judging without the schema would accept outputs that it should reject.
  if (contract.standard !== given?.version) throw otherSchema(gate, contract.standard, given?.version);
  const compilation = await compileContract(contract, given && { standard: given.schema });
  if (compilation.ok) return compilation.compiled;
  throw contractError(compilation.problems, placeOf(gate));
}

function standardOf(standard: StandardSchemas, gate: GateContract): VersionedSchema | undefined {
  return Object.hasOwn(standard, gate.id) ? standard[gate.id] : undefined;
}

function otherSchema(gate: GateContract, fixed: string | undefined, given: string | undefined): GatelineError {
  const what = (version: string | undefined): string =>
    version === undefined ? 'none' : `version ${JSON.stringify(version)}`;
  const place = placeOf(gate);
  return new GatelineError(
    'CONTRACT_STANDARD_OTHER',
    `gate ${gate.id}: its Standard Schema changed since it began: ${what(fixed)}, now ${what(given)}`,
    place && { place },
  );
}

/** Where a contract is defined: its schema file, otherwise the pipeline definition. */
function placeOf(gate: GateContract): Place | undefined {
  const { schema } = gate.contract;
  return schema !== undefined && 'path' in schema ? { file: schema.path } : gate.place;
}

async function loadContract(
  workspace: Pick<Workspace, 'readText'>,
  gate: GateContract,
  standard: StandardSchemas,
): Promise<LoadedContract> {
  const { schema } = gate.contract;
  const path = schema !== undefined && 'path' in schema ? schema.path : undefined;
  const text = path === undefined ? undefined : await workspace.readText(path);
  const resolved = resolveContract(gate.contract, text, gate.place, gate.exports);
  const given = standardOf(standard, gate);
  const contract = given === undefined ? resolved : { ...resolved, standard: given.version };
  return { contract, digest: digestOfJson(contract as unknown as JsonValue) };
}

function remember<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const found = known.get(key) ?? make();
  known.set(key, found);
  return found;
}
