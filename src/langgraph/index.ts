/**
 * `gateline/langgraph`: checkpoints of LangGraph graphs in files. `@langchain/langgraph-checkpoint` and
 * `@langchain/core` are the user's: nothing else of Gateline imports them.
 */
import { FileCheckpointer, type CheckpointerOptions } from './checkpointer.ts';

export { FileCheckpointer, type CheckpointerOptions } from './checkpointer.ts';

/**
 * Creates a {@link FileCheckpointer}, which stores the steps of a graph as `<folder>/<thread>/<step>.json`. Any number of
 * processes may use a folder at once.
 *
 * ```ts
 * const checkpointer = createFileCheckpointer('.devloop/checkpoints');
 * const graph = workflow.compile({ checkpointer });
 * await graph.invoke(input, { configurable: { thread_id: 'prd-7' }, durability: 'sync' });
 * ```
 *
 * @param folder path; created when something is stored for the first time, with a `.gitignore` for everything in it
 * @throws GatelineError `usage` if the path is empty
 */
export function createFileCheckpointer(folder: string, options: CheckpointerOptions = {}): FileCheckpointer {
  return new FileCheckpointer(folder, options);
}
