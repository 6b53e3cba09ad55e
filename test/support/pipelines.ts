import { DEFAULT_SNAPSHOTS, DEFAULT_WORKSPACE, type Gate, type Pipeline } from '../../src/pipeline/pipeline.ts';

/** A pipeline of gates with defaults for everything that a test does not care about. */
export function pipelineOf(gates: Readonly<Record<string, Partial<Gate>>>, more: Partial<Pipeline> = {}): Pipeline {
  return {
    id: 'test',
    subject: undefined,
    metadata: {},
    maxParallel: 2,
    groups: [],
    maxReworks: undefined,
    learning: 'propose',
    workspace: DEFAULT_WORKSPACE,
    snapshots: DEFAULT_SNAPSHOTS,
    gates: Object.entries(gates).map(([id, gate], number) => gateOf(id, { number, ...gate })),
    ...more,
  };
}

/** A gate with defaults. */
export function gateOf(id: string, gate: Partial<Gate> = {}): Gate {
  return {
    id,
    number: 0,
    agent: id,
    run: `run ${id}`,
    shell: 'bash',
    workingDirectory: '.',
    workspace: 'tree',
    needs: [],
    if: undefined,
    inputs: [],
    memory: [],
    env: {},
    with: {},
    tools: {},
    secrets: [],
    contract: { schema: undefined, score: undefined, threshold: 0, partial: 'block', checks: [] },
    exports: [''],
    files: [],
    retries: 0,
    timeoutMinutes: 60,
    onFail: undefined,
    approval: undefined,
    reuse: 'auto',
    maxAge: undefined,
    legs: [{ id: '', matrix: {} }],
    legsMaxParallel: undefined,
    failFast: true,
    ...gate,
  };
}
