import { GatelineError } from '../errors.ts';
import { digestOfJson, type Digest } from '../json/digest.ts';
import type { Gate } from '../pipeline/pipeline.ts';
import type { Contract } from '../verdict/contract.ts';
import { compileContract, type CompiledContract } from '../verdict/judge.ts';
import type { Order } from './ports.ts';

interface NamedContract {
  readonly contract: Contract;
  readonly digest: Digest;
}

/** The contracts of the gates of a call, each hashed and compiled once. */
export class Contracts {
  readonly #order: Order;
  readonly #named = new Map<string, NamedContract>();
  readonly #compiled = new Map<string, Promise<CompiledContract>>();
  #allCompiled: Promise<unknown> | undefined;

  constructor(order: Order) {
    this.#order = order;
  }

  of({ id }: Gate): NamedContract {
    let named = this.#named.get(id);
    if (named === undefined) {
      const contract = this.#order.contracts.get(id);
      if (contract === undefined) throw new GatelineError('bug', `gate ${id} has no contract`);
      this.#named.set(id, (named = { contract, digest: digestOfJson(contract) }));
    }
    return named;
  }

  /** Judges a gate by the contract that its attempt began with: its agent may have changed the definition. */
  replace({ id }: Gate, contract: Contract): void {
    this.#named.set(id, { contract, digest: digestOfJson(contract) });
    this.#compiled.delete(id);
  }

  /** @throws GatelineError `usage` naming what is wrong with the contract */
  compile(gate: Gate): Promise<CompiledContract> {
    let compiled = this.#compiled.get(gate.id);
    if (compiled !== undefined) return compiled;
    const { schema } = gate.contract;
    compiled = compileContract(this.of(gate).contract).catch((error: unknown) => {
      if (!(error instanceof GatelineError)) throw error;
      throw new GatelineError(error.fault, `the contract of ${gate.id}: ${error.message}`, {
        hint: error.hint,
        place: schema && 'path' in schema ? { file: schema.path } : gate.place,
        cause: error,
      });
    });
    this.#compiled.set(gate.id, compiled);
    return compiled;
  }

  /** Compiles all contracts, before an agent costs something. @throws GatelineError as {@link compile} */
  async compileAll(): Promise<void> {
    await (this.#allCompiled ??= Promise.all(this.#order.pipeline.gates.map((gate) => this.compile(gate))));
  }
}
