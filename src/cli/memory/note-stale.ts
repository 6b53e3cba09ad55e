import { DEEP_DIVE, type Staleness } from '../../formats/agent-flow/deep-dive.ts';
import type { LoadedPipeline } from '../../local/load-pipeline.ts';
import { deepDiveStaleness } from '../../local/memory/deep-dive.ts';
import { readDocument } from '../../local/memory/documents.ts';
import { GatelineError } from '../../errors/gateline-error.ts';
import { errorLines } from '../output/report-error.ts';
import { say } from '../output/say.ts';
import type { CliWorld } from '../world.ts';

const WORDS = { fresh: 'fresh', stale: 'stale', expired: 'stale', unknown: 'perhaps stale' } as const;

/** `stale: 25 of 100 files changed`, `perhaps stale: its commit is not in this clone`. */
export function stalenessText({ choice, reason }: Staleness): string {
  return `${WORDS[choice]}: ${reason}`;
}

/** Before a run: says that gates get a deep-dive document that is out of date. Stops nothing. */
export async function noteStale(world: CliWorld, { pipeline, root }: LoadedPipeline): Promise<void> {
  const named = pipeline.gates.filter(({ memory }) => memory.includes(DEEP_DIVE)).map(({ id }) => id);
  if (named.length === 0) return;
  try {
    const text = await readDocument(root, DEEP_DIVE);
    if (text === undefined) return;
    const found = await deepDiveStaleness(text, { root, environment: world.environment, now: world.now() });
    if (found.choice !== 'stale' && found.choice !== 'expired') return;
    say(world.err, `note: ${named.join(', ')}: ${DEEP_DIVE} is ${stalenessText(found)}`);
  } catch (error) {
    if (!(error instanceof GatelineError)) throw error;
    for (const line of errorLines(error)) say(world.err, line);
  }
}
