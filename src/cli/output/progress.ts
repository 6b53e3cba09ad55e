import type { EngineEvent } from '../../engine/ports.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import type { Paint } from '../../report/text.ts';
import type { UnitGraph } from '../../run/records/unit.ts';
import type { Screen } from '../world.ts';

/** Shows what the engine does while it does it. Disposing of it leaves the screen ready for other text. */
export interface Progress extends Disposable {
  follow(event: EngineEvent): void;
  note(message: string): void;
}

/** What progress is shown with. */
export interface ProgressInput {
  readonly screen: Screen;
  readonly paint: Paint;
  readonly pipeline: Pipeline;
  readonly graph: UnitGraph;
  readonly now: () => Date;
  /** Neither agents' output nor checkpoints. */
  readonly quiet: boolean;
  /** See `CliWorld.silenceMs`. */
  readonly silenceMs: number;
}
