import type { EngineEvent } from '../../engine/ports.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import type { Paint } from '../../report/text.ts';
import type { UnitGraph } from '../../run/records/unit.ts';
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
  /** Show neither agents' output nor checkpoints. */
  readonly quiet: boolean;
  /** See `CliWorld.silenceMs`. */
  readonly silenceMs: number;
}
