import type { Order } from '../../src/engine/ports.ts';
import type { ContractSource, Gate, Leg, Pipeline } from '../../src/pipeline/pipeline.ts';
import { createRedactor } from '../../src/untrusted/redact.ts';
import type { Contract } from '../../src/verdict/contract.ts';

/** What a test says about a gate; everything else is the default of gateline.yml. */
export type GateSketch = Partial<Omit<Gate, 'contract' | 'id'>> & {
  readonly id: string;
  readonly contract?: Partial<ContractSource>;
};

/** A pipeline as the reader of gateline.yml would return it: needs and numbers in file order. */
export function createPipeline(
  gates: readonly GateSketch[],
  pipeline: Partial<Omit<Pipeline, 'gates'>> = {},
): Pipeline {
  return {
    id: 'main',
    subject: undefined,
    task: undefined,
    metadata: {},
    maxParallel: 2,
    maxCost: undefined,
    groups: [],
    ignore: [],
    allowSecrets: [],
    mirror: [],
    checkpoints: false,
    snapshots: { database: undefined },
    retention: undefined,
    setup: undefined,
    entities: {},
    commands: {},
    deliver: undefined,
    on: undefined,
    job: undefined,
    ...pipeline,
    gates: gates.map((gate, number) => createGate(gate, number)),
  };
}

export function createGate({ contract, ...gate }: GateSketch, number = 0): Gate {
  return {
    number,
    agent: gate.id,
    run: `run-agent ${gate.id}`,
    uses: undefined,
    shell: 'bash',
    workingDirectory: '.',
    needs: [],
    if: undefined,
    inputs: undefined,
    files: undefined,
    memory: [],
    env: {},
    with: {},
    tools: {},
    secrets: [],
    exports: [''],
    extract: undefined,
    repeat: undefined,
    retries: 0,
    timeoutMinutes: 60,
    onFail: undefined,
    approval: undefined,
    maxAge: undefined,
    standIn: false,
    matrix: undefined,
    entities: { requires: [], creates: [], invalidates: [], onInvalid: 'fail' },
    job: undefined,
    place: { file: 'gateline.yml', line: 1 + number },
    schemaPlace: { file: 'gateline.yml', line: 1 + number },
    ...gate,
    contract: {
      schema: undefined,
      score: undefined,
      threshold: contract?.score === undefined ? 0 : 80,
      partial: 'block',
      checks: [],
      result: undefined,
      message: undefined,
      redact: [],
      ...contract,
    },
  };
}

/** Legs of a static matrix with one variable, `leg`. */
export function createLegs(...ids: readonly string[]): Leg[] {
  return ids.map((id) => ({ id, matrix: { leg: id } }));
}

export interface OrderOptions {
  readonly maxParallel?: number;
  readonly subject?: string;
  readonly isSubjectGiven?: boolean;
}

/** What a call of `run` for a pipeline asks the engine for. */
export function orderOf(pipeline: Pipeline, options: OrderOptions = {}): Order {
  return {
    pipeline,
    definitionFile: 'gateline.yml',
    contracts: new Map(pipeline.gates.map((gate) => [gate.id, contractOf(gate, pipeline)])),
    subject: options.subject ?? 'main',
    isSubjectGiven: options.isSubjectGiven ?? false,
    metadata: {},
    input: null,
    redactor: createRedactor({}),
    maxParallel: options.maxParallel ?? 2,
  };
}

function contractOf({ id, contract, exports }: Gate, { gates }: Pipeline): Contract {
  const { score, threshold, partial, checks } = contract;
  const lists = gates.flatMap(({ matrix }) =>
    matrix && 'from' in matrix && matrix.from.gate === id ? [matrix.from.pointer] : [],
  );
  return {
    format: 'gateline-contract/1',
    score,
    threshold,
    partial,
    checks: [...checks],
    exports: [...exports],
    redact: [],
    ...(lists.length > 0 && { lists }),
  };
}
