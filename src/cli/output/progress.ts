import type { EngineEvent } from '../../engine/ports.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import type { Paint } from '../../report/text.ts';
import type { UnitGraph } from '../../run/records/unit.ts';
import type { RunState } from '../../run/state/run-state.ts';
import { durationText } from '../../report/wording.ts';
import type { Screen } from '../world.ts';

/** The longest silence of plain progress, in milliseconds. */
export const SILENCE_MS = 30_000;

/** Shows the engine's work as it happens. Disposing of it leaves the screen ready for other text. */
export interface Progress extends Disposable {
  follow(event: EngineEvent): void;
  note(message: string): void;
}

/** The options of a progress display. */
export interface ProgressInput {
  readonly screen: Screen;
  readonly paint: Paint;
  readonly pipeline: Pipeline;
  readonly graph: UnitGraph;
  readonly now: () => Date;
  /** Show no lines of agents. */
  readonly quiet: boolean;
  /** Show a checkpoint after each attempt. Not on a terminal. */
  readonly checkpoints: boolean;
  /** How much longer the run takes, in milliseconds; `undefined` if earlier runs do not show it. */
  readonly timeLeft: (state: RunState) => number | undefined;
  /** See `CliWorld.silenceMs`. */
  readonly silenceMs: number;
}

/** Shorter times are over before anybody has read the line. Milliseconds. */
const SHORTEST_LEFT = 5_000;

/** How much longer the run takes, in words; nothing if that is unknown, or soon over. */
export function timeLeftText(state: RunState | undefined, { timeLeft }: Pick<ProgressInput, 'timeLeft'>): string[] {
  const left = state && timeLeft(state);
  return left === undefined || left < SHORTEST_LEFT ? [] : [`about ${durationText(left)} left`];
}
