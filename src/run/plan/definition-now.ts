import type { Request } from './request.ts';
import type { Unit } from '../records/unit.ts';

/**
 * A request as it would be if only the gate's definition had changed since: files, exports, tool versions and inherited
 * variables are those of the request.
 */
export function withDefinitionNow({ gate, leg }: Unit, request: Request): Request {
  const { definition, inputs, tools } = request;
  const env = Object.entries(gate.env).map(([name, value]) => [name, value ?? definition.env[name] ?? null] as const);
  return {
    ...request,
    matrix: leg.matrix,
    definition: {
      run: gate.run ?? null,
      shell: gate.shell,
      workingDirectory: gate.workingDirectory,
      with: gate.with,
      env: Object.fromEntries(env),
      files: gate.files,
      ...(gate.run === undefined && definition.workflow !== undefined && { workflow: definition.workflow }),
    },
    inputs: { ...inputs, from: gate.inputs === undefined ? 'tracked' : 'declared' },
    secrets: [...gate.secrets].sort(),
    tools: Object.fromEntries(Object.keys(gate.tools).map((name) => [name, tools[name] ?? ''])),
  };
}

/** How the needs of a unit differ from those of a request. Needs that the caller provided are not in the request. */
export function changedNeeds({ needs }: Unit, request: Pick<Request, 'needs' | 'input'>): string[] {
  const before = new Set(Object.keys(request.needs));
  const removed = [...before].filter((key) => !needs.includes(key));
  const added = request.input === null ? needs.filter((key) => !before.has(key)) : [];
  return [...removed.map((key) => `no longer needs ${key}`), ...added.map((key) => `needs ${key}`)];
}
