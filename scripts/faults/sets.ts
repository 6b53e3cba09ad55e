import type { Fault } from './fault.ts';

const FILE = ['test/pipeline/subjects.test.ts'];
const STATES = ['test/run/subjects/subject-states.test.ts'];
const LIMIT = ['test/engine/shared-limit.test.ts'];
const SETS = ['test/cli/sets.test.ts'];
const LOOP = ['test/cli/loop.test.ts'];
const DELIVERY = ['test/cli/sets-delivery.test.ts'];
const ON_GITHUB = ['test/action/workflows/set-files.test.ts'];

/** Faults in sets: their file, which subjects start, what they find, and delivery. */
export const SET_FAULTS: readonly Fault[] = [
  {
    name: 'set: an id that is a path',
    find: '/^(?!.*\\.\\.)(?!.*\\.lock$)[A-Za-z0-9][A-Za-z0-9._-]{0,99}(?<![.-])$/',
    replace: '/^(?!.*\\.lock$).{1,100}$/s',
    tests: FILE,
    why: 'a file of a set could name branches and files outside their places',
  },
  {
    name: 'set: ids that differ only in case',
    find: 'const key = entry.id.toLowerCase();',
    replace: 'const key = entry.id;',
    tests: FILE,
    why: 'two subjects would share a branch where file names ignore case',
  },
  {
    name: 'set: a subject starts before what it needs is completed',
    find: "needs.filter((id) => states.get(id)!.status !== 'completed')",
    replace: "needs.filter((id) => states.get(id)!.status === 'pending')",
    tests: STATES,
    why: 'its agents would work without the files that they were promised',
  },
  {
    name: 'set: a failed subject does not block',
    find: "  ['failed', 'which failed'],\n",
    replace: '',
    tests: STATES,
    why: 'what waits for it would be shown as waiting for ever',
  },
  {
    name: 'set: a completed subject stays although its request changed',
    find: 'errors.length === 0 && units.every(({ choice }) => KEPT.has(choice)) ? call : undefined',
    replace: 'errors.length === 0 ? call : undefined',
    tests: SETS,
    only: 'plan each subject as far as it can be known',
    why: 'a changed file would never reach the subjects that were done before',
  },
  {
    name: 'set: a subject begins without the files of those that it needs',
    find: "const startVersion: EnginePorts['startVersion'] = () => Promise.resolve({ tree, notices: [] });",
    replace: "const startVersion: EnginePorts['startVersion'] = () => Promise.resolve({ tree: base, notices: [] });",
    tests: SETS,
    only: 'hands on the files of all subjects upstream',
    why: '`needs` would only be an order',
  },
  {
    name: 'set: a call ends while a subject has just become ready',
    find: 'if (isIdle) break;',
    replace: 'if (running.size === 0) break;',
    tests: ['test/engine/sets.test.ts'],
    why: 'now and then a set would end with subjects that nobody started',
  },
  {
    name: 'set: more agents at a time than allowed',
    find: 'if (free > 0) free -= 1;',
    replace: 'if (free > 0) free -= 0;',
    tests: LIMIT,
    why: '--max-parallel would not protect the machine, or the budget',
  },
  {
    name: 'set: a gate that waited for its turn starts whatever was decided meanwhile',
    find: 'return decisionsIn(call) !== known;',
    replace: 'return false;',
    tests: SETS,
    only: 'waits for its turn',
    why: 'a paused run would go on spending',
  },
  {
    name: 'set: a branch with other files is taken for delivered',
    find: 'if (files.every(({ path, after }) => sameFile(there.get(path) ?? null, after)))',
    replace: 'if (files.every(({ path }) => path in files || there.size > 0))',
    tests: DELIVERY,
    only: 'never moves a branch',
    why: 'a reviewed branch would be reported as holding what the agents made',
  },
  {
    name: "set: the user's own changes are committed",
    find: 'return !known.some((one) => sameFile(current.get(path) ?? null, one));',
    replace: 'return known.length === 0;',
    tests: DELIVERY,
    only: "refuses to commit the user's own changes",
    why: 'work that nobody has committed would be on a branch of an agent',
  },
  {
    name: "set: a delivery runs the user's hooks",
    find: "repository.git(['-c', `core.hooksPath=${join(store, 'no-hooks')}`, ...update], {",
    replace: 'repository.git(update, {',
    tests: DELIVERY,
    only: 'makes a branch of each completed subject',
    why: 'a call that only makes a branch would start programs of the repository',
  },
  {
    name: 'set on GitHub: a subject starts without the files of those that it needs',
    find: 'if (subject.needs.length === 0 || !handsOnFiles(pipeline)) return ports;',
    replace: 'if (subject.needs.length >= 0 || !handsOnFiles(pipeline)) return ports;',
    tests: ON_GITHUB,
    only: 'reach the subjects that need their subject',
    why: 'its agents would silently work on other files than on a machine',
  },
  {
    name: 'set on GitHub: records say which files a subject handed on',
    find: 'if (found !== reported) throw unproven(id, `its jobs say that they are ${reported}, its records say ${found}`);',
    replace: 'if (found === undefined) throw unproven(id, reported);',
    tests: ON_GITHUB,
    only: 'do not reach a subject that are not those that the job reported',
    why: 'an agent of one subject could put files into the jobs of another one',
  },
  {
    name: 'set: apply delivers a run that is not completed',
    find: "if (status === 'completed') return;",
    replace: "if (status !== 'initializing') return;",
    tests: DELIVERY,
    only: 'refuses what a set refuses',
    why: 'half of the work of a subject would become its branch',
  },
  {
    name: 'loop: a task that failed gets no fix task',
    find: 'return Math.min(maxFixes, Math.floor(failures / maxFailures));',
    replace: 'return Math.min(maxFixes, 0 * Math.floor(failures / maxFailures));',
    tests: LOOP,
    only: 'repairs one that fails',
    why: 'the same work would be tried until it is given up',
  },
  {
    name: 'loop: files that somebody changed since are committed with a task',
    find: '.filter(([path, after]) => sameFile(now.get(path) ?? null, after)).map(([path]) => path);',
    replace: ".filter(([path]) => now.has(path) || path !== '').map(([path]) => path);",
    tests: LOOP,
    only: 'commits nothing that a person changed since',
    why: 'a commit would contain the work of a person',
  },
  {
    name: 'loop: a failed task is tried with the outputs that failed',
    find: 'const resume = fresh ? { fresh, force, actor,',
    replace: 'const resume = fresh ? { fresh, actor,',
    tests: LOOP,
    only: 'tries again also where the request is the same',
    why: 'every further run would come to the same result without an agent',
  },
  {
    name: 'loop: what other tasks did meanwhile changes the request of a task',
    find: 'return (request === undefined ? assignment.earlierTasks : request.handoff?.tasks) ?? [];',
    replace: 'return assignment.earlierTasks ?? request?.handoff?.tasks ?? [];',
    tests: ['test/cli/loop.test.ts'],
    why: 'work that waited for an approval would be thrown away and done again',
  },
  {
    name: 'loop: a killed call is a failure of its task',
    find: "status === 'lost' || (status === 'failed' && ended?.verdict.kind === 'cancelled');",
    replace: 'status === undefined;',
    tests: LOOP,
    only: 'continues the run of a killed or stopped call',
    why: 'a crash would pay for a fix task that has nothing to fix, and give the task up',
  },
];
