import type { Fault } from './fault.ts';

const SAVER = ['test/langgraph/saver.test.ts'];
const FILES = ['test/langgraph/files.test.ts'];

/** Faults in keeping checkpoints of LangGraph graphs. */
export const LANGGRAPH_FAULTS: readonly Fault[] = [
  {
    name: 'langgraph: a value is taken from the parent whatever its version',
    find: 'if (known !== undefined && version === ownOf(parent?.head.channel_versions, channel))',
    replace: 'if (known !== undefined)',
    tests: SAVER,
    why: 'a branch would continue with values of another branch',
  },
  {
    name: 'langgraph: a copied checkpoint loses its values',
    find: "const mayStore = next.parent !== undefined || next.metadata.source === 'fork';",
    replace: 'const mayStore = false;',
    tests: SAVER,
    why: 'a fork would begin without the state that it was made for',
  },
  {
    name: 'langgraph: a later write replaces the first one of its index',
    find: 'if (index >= 0 && merged.has(key)) continue;',
    replace: '',
    tests: SAVER,
    why: 'a task that runs twice would change what was applied already',
  },
  {
    name: 'langgraph: writes are in the order of their files',
    find: '[...merged.values()].sort((a, b) => compareWritesSortKeys(keyOf(a), keyOf(b)))',
    replace: '[...merged.values()]',
    tests: SAVER,
    why: 'a resumed run would rebuild another state than the one that was lost',
  },
  {
    name: 'langgraph: a changed file is read',
    find: 'if (isOurs && sumOf(rest) === sum) {',
    replace: 'if (isOurs) {',
    tests: FILES,
    why: 'a graph would continue from a damaged state',
  },
  {
    name: 'langgraph: a file is read as another thread',
    find: 'const wrong = Object.keys(expected).filter((key) => about[key] !== expected[key]);',
    replace: 'const wrong: string[] = [];',
    tests: FILES,
    why: 'a copied or misplaced file would become the state of a thread that it does not belong to',
  },
  {
    name: 'langgraph: large letters of an id stay as they are',
    find: 'const PLAIN = /^[a-z0-9_-]+$/;',
    replace: 'const PLAIN = /^[A-Za-z0-9_-]+$/;',
    tests: FILES,
    why: 'two threads would share one folder where the file system ignores case',
  },
  {
    name: 'langgraph: an id may lead out of the folder',
    find: "if (id.split(/[/\\\\]/).includes('..'))",
    replace: "if (id === '')",
    tests: FILES,
    why: 'an id from outside could name any place of the disk',
  },
  {
    name: 'langgraph: the bytes of a large value are not compared with their digest',
    find: "if (file.state !== 'read' || digestOf(file.bytes) !== digest)",
    replace: "if (file.state !== 'read')",
    tests: FILES,
    why: 'a graph would continue with an altered value',
  },
];
