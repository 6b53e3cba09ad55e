import type { CodeMeaning } from '../code-meaning.ts';

/** Checkpoints of LangGraph graphs. */
export const LANGGRAPH_CODES = {
  LANGGRAPH_ARGUMENT_REFUSED: {
    from: ['user'],
    means:
      'The checkpointer was made without a folder or by `new GatelineSaver`, or `put` was called without metadata.',
    remedy:
      'Make the checkpointer by `createFileCheckpointer(folder)` or `createMemoryCheckpointer()`, and give `put` the metadata of the checkpoint.',
  },
  LANGGRAPH_ID_REFUSED: {
    from: ['user'],
    means:
      'The id of a thread, a namespace, a checkpoint or a task is missing, is not a text, is too long, or leads out of the folder (`..`).',
    remedy:
      'Use plain texts as ids: as `thread_id`, `checkpoint_ns` and `checkpoint_id` in `configurable`, and as arguments.',
  },
  LANGGRAPH_STEP_CORRUPT: {
    from: ['platform'],
    means:
      'A file of a thread is truncated or altered, or belongs to another thread. A copy is in `quarantine/`. The thread is not read past it.',
    remedy: 'Move the file away to continue from the step before it, or delete the thread.',
  },
  LANGGRAPH_STEP_TOO_LARGE: {
    from: ['user'],
    means:
      'What is to be stored of a step at once has more than 268,435,456 bytes (256 MiB): values of up to 1 MiB each are in one file. Nothing was written.',
    remedy:
      'Put what belongs together into one channel: a value of more than 1 MiB is a file of its own. Or keep large data in files, and their paths in the state.',
  },
  LANGGRAPH_STEP_UNKNOWN: {
    from: ['platform'],
    means: 'A file of a thread is in a format that this version of Gateline does not know.',
    remedy: 'Use the version of Gateline that wrote it, or move the file away.',
  },
  LANGGRAPH_STEP_UNREADABLE: {
    from: ['platform'],
    means: 'The system refuses to read a file or a folder of a thread, or something else is in its place.',
    remedy: 'Check what is there and who owns it.',
  },
  LANGGRAPH_THREAD_AMBIGUOUS: {
    from: ['user'],
    means:
      'Two folders are of one thread: one has the name that Gateline gives to its id, the other one, of another program, has the id as its name.',
    remedy: 'Move one of the two out of the folder of checkpoints, or rename it.',
  },
  LANGGRAPH_VALUE_MISSING: {
    from: ['platform'],
    means: 'A value that a step refers to by its digest is missing, or has another digest.',
    remedy: 'Restore the file from a backup, or move the step away to continue from the step before it.',
  },
  LANGGRAPH_VALUE_REFUSED: {
    from: ['user'],
    means:
      'The serializer has nothing to store for a value: it is a function or a symbol, or is nested too deeply. Nothing was written.',
    remedy:
      'Keep only data in the state of the graph, and less deep: a list of nodes that name each other, not a tree.',
  },
} satisfies Readonly<Record<string, CodeMeaning>>;
