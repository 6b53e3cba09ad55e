import type { Learning } from '../../engine/attempt/memory.ts';
import { refreshDeepDive } from '../learnings/deep-dive.ts';
import { promoteLearnings, readHandoff, viewMemory, type MemoryView } from '../learnings/memory.ts';
import type { RunOptions } from '../runs/run-folder.ts';
import type { Session } from '../session.ts';

/** Documents for agents, and what agents learned. */
export class MemoryVerbs {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** The documents for agents, and what agents learned that nobody promoted. */
  list(): Promise<MemoryView> {
    return this.#session.use('read', viewMemory);
  }

  /** Adds what agents learned to `learned-patterns.md`, without duplicates. @param gates only of these. Default: all */
  promote(gates: readonly string[] = []): Promise<readonly Learning[]> {
    return this.#session.use('read', (folder, order) => promoteLearnings(folder, order, gates));
  }

  /** Makes `deep-dive.md` again if it is stale. @param isForced even if it is not */
  refresh(isForced = false, { by, ...options }: Pick<RunOptions, 'signal' | 'by'> = {}) {
    return this.#session.use('engine', async (folder, order) =>
      refreshDeepDive(
        folder,
        order,
        isForced,
        options,
        await this.#session.decider(by, order, 'gateline memory refresh'),
      ),
    );
  }

  /** The handoff document, Markdown: what was done before, for an agent that starts fresh. */
  handoff(): Promise<string> {
    return this.#session.use('read', readHandoff);
  }
}
