import { GatelineError } from '../errors.ts';
import { compileContract } from '../verdict/judge.ts';
import type { Definition } from './load-definition.ts';

/** Compiles every contract. @throws GatelineError `usage` naming what is wrong, and where */
export async function checkContracts({ pipeline, contracts }: Definition): Promise<void> {
  for (const gate of pipeline.gates)
    await compileContract(contracts.get(gate.id)!).catch((error: unknown) => {
      if (!(error instanceof GatelineError)) throw error;
      const { schema } = gate.contract;
      const place = schema && 'path' in schema ? { file: schema.path } : gate.place;
      throw new GatelineError('usage', `the contract of gate ${gate.id}: ${error.message}`, {
        hint: error.hint,
        place,
        cause: error,
      });
    });
}
