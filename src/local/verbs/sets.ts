import type { SubjectPlan, SubjectView } from '../../report/set.ts';
import type { Task } from '../../run/tasks.ts';
import { readTasks, runLoop, type LoopOptions, type LoopResult } from '../sets/loop.ts';
import { readSet } from '../sets/read-set.ts';
import type { Session } from '../session.ts';
import { planSet, runSet, viewSet, type SetOptions, type SetOutcome } from '../sets/set.ts';

/** Runs of one pipeline for several subjects: side by side in clones, or one task after another in the folder. */
export class SetVerbs {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Does the tasks of a set one after another, with a commit for each. @param file path of the set */
  async loop(file: string, options: LoopOptions = {}): Promise<LoopResult> {
    const set = await readSet(file);
    return this.#session.use('engine', (folder) => runLoop(folder, set, this.#session.orderFor, options));
  }

  /** The tasks of a set, with their status and retries. */
  async tasks(file: string): Promise<readonly Task[]> {
    const set = await readSet(file);
    return this.#session.use('read', (folder) => readTasks(folder, set));
  }

  /** Runs the pipeline for each subject of a set, in a clone each. @param file path of the set */
  async run(file: string, options: SetOptions = {}): Promise<SetOutcome> {
    const set = await readSet(file);
    return this.#session.use('engine', (folder) => runSet(folder, set, this.#session.orderFor, options));
  }

  /** What {@link run} would do with each subject, and why. */
  async plan(file: string, only?: readonly string[]): Promise<readonly SubjectPlan[]> {
    const set = await readSet(file);
    return this.#session.use('beside', (folder) => planSet(folder, set, this.#session.orderFor, only));
  }

  /** The newest run of each subject of a set. */
  async view(file: string): Promise<readonly SubjectView[]> {
    const set = await readSet(file);
    return this.#session.use('read', (folder) => viewSet(folder, set, this.#session.orderFor));
  }
}
