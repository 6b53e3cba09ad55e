/**
 * `gateline/langgraph`: checkpoints of LangGraph graphs on Gateline's stores. docs/reference/langgraph.md shows how to
 * use it. `@langchain/langgraph-checkpoint` and `@langchain/core` are the user's: nothing else of Gateline loads them.
 */

import type { SerializerProtocol } from '@langchain/langgraph-checkpoint';
import { GatelineError } from '../errors/gateline-error.ts';
import { FilesystemMedium } from './filesystem-medium.ts';
import { createMemoryMedium } from './memory-medium.ts';
import { GatelineSaver } from './saver.ts';

export { GatelineSaver, type ThreadStep } from './saver.ts';

/** Options of a checkpointer. */
export interface CheckpointerOptions {
  /** Converts values to bytes and back. Default: LangGraph's own. */
  readonly serde?: SerializerProtocol;
}

/**
 * A checkpointer that keeps each thread in a folder: `<folder>/<thread>/<step>.json`. Any number of processes may use
 * one folder at once. Nothing is created before something is stored.
 * @throws GatelineError `LANGGRAPH_ARGUMENT_REFUSED` if the folder is not text, or empty
 */
export function createFileCheckpointer(folder: string, { serde }: CheckpointerOptions = {}): GatelineSaver {
  if (typeof folder !== 'string' || folder === '')
    throw new GatelineError(
      'LANGGRAPH_ARGUMENT_REFUSED',
      `createFileCheckpointer takes the path of a folder, not ${JSON.stringify(folder)}`,
    );
  return new GatelineSaver(new FilesystemMedium(folder), serde);
}

/** A checkpointer without persistence. */
export function createMemoryCheckpointer({ serde }: CheckpointerOptions = {}): GatelineSaver {
  return new GatelineSaver(createMemoryMedium(), serde);
}
