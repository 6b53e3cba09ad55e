import { GatelineError } from '../../errors/gateline-error.ts';
import type { LoadedPipeline } from '../../local/load-pipeline.ts';
import { whoDecides } from '../../local/who-decides.ts';
import { recordedOption, type OptionValues } from '../command.ts';
import type { CliWorld } from '../world.ts';

/** The person who decides and the reason: every decision records both. */
export interface DecisionMade {
  readonly actor: string;
  readonly reason: string;
}

/** @throws GatelineError `REASON_MISSING`, `ACTOR_UNKNOWN`, `OPTION_VALUE` */
export async function decisionMadeBy(
  world: CliWorld,
  options: OptionValues,
  { root }: Pick<LoadedPipeline, 'root'>,
): Promise<DecisionMade> {
  const actor = recordedOption(options, 'actor', 255);
  const reason = reasonGiven(options);
  return { actor: await whoDecides(root, world.environment, actor), reason };
}

/** @throws GatelineError `REASON_MISSING`, `OPTION_VALUE` */
export function reasonGiven(options: OptionValues): string {
  const reason = recordedOption(options, 'reason', 4_096);
  if (reason !== undefined && reason.trim() !== '') return reason;
  throw new GatelineError('REASON_MISSING', 'a decision needs a reason');
}
