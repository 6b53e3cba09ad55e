import type { Fault } from './fault.ts';

const TREE = ['test/agent/process-tree.test.ts'];
const WHY = 'agents would go on working, and spending, after Ctrl-C';

/** Faults in starting, ending and reading agents. */
export const AGENT_FAULTS: readonly Fault[] = [
  {
    name: 'agent: what an agent started is not ended for descending from it',
    find: 'for (const child of children.get(member.pid) ?? []) members.add(child);',
    replace: '',
    tests: TREE,
    only: 'a child with another environment',
    why: WHY,
  },
  {
    name: 'agent: what an agent started is not ended for being in its group',
    find: 'return inGroupOf(one, first, all) || marked(one);',
    replace: 'return marked(one);',
    tests: TREE,
    only: 'a double fork with another environment',
    why: WHY,
  },
  {
    name: 'agent: what an agent started is not ended for having its environment',
    find: 'return inGroupOf(one, first, all) || marked(one);',
    replace: 'return inGroupOf(one, first, all);',
    tests: TREE,
    only: 'a double fork into another session',
    why: WHY,
  },
  {
    name: 'agent: who ignores SIGTERM lives on',
    find: "if (rest.length > 0) await signalUntilGone(alive, 'SIGKILL', times.killMs, refused);",
    replace: '',
    tests: TREE,
    only: 'a grandchild that ignores SIGTERM',
    why: WHY,
  },
  {
    name: 'agent: a process is known by its number only',
    find: 'if (first.get(one.pid) === one.started && (one.pgid === one.pid || one.pgid === -1)) return true;',
    replace: 'if (first.has(one.pid) && (one.pgid === one.pid || one.pgid === -1)) return true;',
    tests: ['test/agent/leftovers.test.ts'],
    why: 'after a kill and a while, a stranger’s process would be ended',
  },
  {
    name: 'agent: a process of an agent that runs by itself is ended for having its environment',
    find: 'const attempts = found.map(({ directory }) => relative(root, directory));',
    replace: "const attempts = [''];",
    tests: ['test/agent/leftovers.test.ts'],
    only: 'what runs in an attempt that the engine started no agent in',
    why: 'a run would end the coding agent, and the dev server, of the terminal beside it',
  },
  {
    name: 'agent: logs are kept without redaction',
    find: 'this.keep(this.redaction.push(this.plain(this.decoder.decode(bytes, { stream: true }))));',
    replace: 'this.keep(this.plain(this.decoder.decode(bytes, { stream: true })));',
    tests: ['test/agent/agent-output.test.ts'],
    why: 'a secret that an agent prints would lie in .state',
  },
  {
    name: 'agent: an output that is a link is followed',
    find: 'open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));\n    const status',
    replace: 'open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));\n    const status',
    tests: ['test/agent/attempt-directory.test.ts'],
    why: 'an agent could have any file of this machine kept as its output',
  },
  {
    name: 'agent: nobody sees what an agent prints while it works',
    find: 'live?.add(line);',
    replace: '',
    tests: ['test/cli/logs.test.ts'],
    only: 'follow an agent and its retry',
    why: 'people would stop an agent that works, because it looks dead',
  },
  {
    name: 'shown: the critical path is the one with the most gates, whatever they take',
    find: 'const own = isTimed ? (times.get(id) ?? 0) : 1;',
    replace: 'const own = 1;',
    tests: ['test/report/graph.test.ts'],
    why: 'people would make a gate faster that no run waits for',
  },
];
