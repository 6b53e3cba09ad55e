import type { Fault } from './fault.ts';

const SAVER = ['test/langgraph/saver.test.ts'];
const FILES = ['test/langgraph/files.test.ts'];
const VALUES = ['test/langgraph/values.test.ts'];
const ORDER = ['test/langgraph/order.test.ts'];
const OTHERS = ['test/langgraph/other-processes.test.ts'];

/** Faults in keeping checkpoints of LangGraph graphs. */
export const LANGGRAPH_FAULTS: readonly Fault[] = [
  {
    name: 'langgraph: a copied checkpoint loses its values',
    find: "const isWhole = parent !== undefined || metadata.source === 'fork';",
    replace: 'const isWhole = false;',
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
    find: 'if (leadsOut(id))',
    replace: "if (id === '')",
    tests: FILES,
    why: 'an id from outside could name any place of the disk',
  },
  {
    name: 'langgraph: the bytes of a large value are not compared with their digest',
    find: ', (bytes) => digestOf(bytes) === digest);',
    replace: ');',
    tests: FILES,
    why: 'a graph would continue with an altered value',
  },
  {
    name: 'langgraph: a step gets its name although its values are gone',
    find: 'const check = (): void => paths.forEach((one) => lstatSync(one));',
    replace: 'const check = (): void => undefined;',
    tests: OTHERS,
    why: 'a thread that another process deletes at that moment would begin with a step that cannot be read',
  },
  {
    name: 'langgraph: a value that was stored once is taken for stored',
    find: 'if (now === undefined || !isSameFile(now, file.status)) return undefined;',
    replace: '',
    tests: OTHERS,
    why: 'after a deletion by another process, steps would refer to values that are gone',
  },
  {
    name: 'langgraph: bytes are stored as they are later',
    find: 'const own = value instanceof Uint8Array ? Uint8Array.prototype.slice.call(value) : value;',
    replace: 'const own = value;',
    tests: VALUES,
    why: 'a step would have values of a later one',
  },
  {
    name: 'langgraph: writes take the lowest number that is free',
    find: 'const number = Math.max(-1, ...names.map(numberOf)) + 1;',
    replace: 'const number = names.map(numberOf).includes(0) ? names.length : 0;',
    tests: OTHERS,
    why: 'once a file was moved away, an earlier interrupt would count as the last',
  },
  {
    name: 'langgraph: calls that overlap do not wait for each other',
    find: 'Promise.all([prepared, before])',
    replace: 'Promise.all([prepared])',
    tests: ORDER,
    why: 'an answer to an interrupt that was given first would count as the last',
  },
];
