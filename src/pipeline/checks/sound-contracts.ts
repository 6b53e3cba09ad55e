import { isJsonObject } from '../../json/json.ts';
import { buildContract, exportsOf } from '../build-pipeline.ts';
import { gateSchema } from '../file/gateline-gate.ts';
import { gatesIn, type GatePart } from '../file/parts.ts';
import type { GateContract } from '../pipeline.ts';
import { pointerOf } from '../../json/pointer.ts';
import type { Problem } from '../problem.ts';
import type { Source } from '../source.ts';

const outputSchema = gateSchema.shape.output.unwrap();

/**
 * The contracts of a file that has problems, as far as they can be read: what is wrong inside a contract (its schema file,
 * say) can then be told with all the rest. Parts that have a problem of their own are left out.
 */
export function soundContracts(source: Source, problems: readonly Problem[]): GateContract[] {
  const pointers = problems.flatMap(({ severity, place }) => (severity === 'error' ? [place.pointer] : []));
  return gatesIn(source).flatMap((gate) => contractIn(gate, pointers) ?? []);
}

function contractIn({ id, value, path }: GatePart, wrong: readonly string[]): GateContract | undefined {
  const { output } = value;
  if (!isJsonObject(output)) return undefined;
  const isWrong = (key: string): boolean => {
    const pointer = pointerOf([...path, 'output', key]);
    return wrong.some((one) => one === pointer || one.startsWith(`${pointer}/`));
  };
  // A threshold means nothing without the score.
  const left = isWrong('score') ? ['score', 'threshold'] : [];
  const entries = Object.entries(output).filter(([key]) => !isWrong(key) && !left.includes(key));
  const parsed = outputSchema.safeParse(Object.fromEntries(entries));
  if (!parsed.success) return undefined;
  return { id, contract: buildContract(parsed.data), exports: exportsOf(parsed.data) };
}
