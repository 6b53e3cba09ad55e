import type { Fault } from './fault.ts';

const FOLD = ['test/run/entity/fold-entities.test.ts'];
const DO = ['test/cli/do.test.ts'];
const GATES = ['test/cli/gate-entities.test.ts'];

/** Faults in entities and commands. */
export const ENTITY_FAULTS: readonly Fault[] = [
  {
    name: 'run: a failed command has created an entity',
    find: "if (record.how !== 'ran' || record.verdict.status !== 'passed' || effects === undefined) return undefined;",
    replace: "if (record.how !== 'ran' || effects === undefined) return undefined;",
    tests: FOLD,
    why: 'a login that was refused would be a session',
  },
  {
    name: 'run: what depends on an invalid entity stays valid',
    find: 'if (!depends) continue;',
    replace: 'if (!depends || otherKey !== key) continue;',
    tests: FOLD,
    why: 'a command would use a session whose connection is closed',
  },
  {
    name: 'run: a time that cannot be read never ends',
    find: 'return Number.isNaN(time) ? -Infinity : time;',
    replace: 'return Number.isNaN(time) ? Infinity : time;',
    tests: FOLD,
    why: 'a session with a torn value would be used for ever',
  },
  {
    name: 'run: a record that cannot be read invalidates nothing',
    find: "if (unread.kind !== 'started' && unread.kind !== 'decided.entity') continue;",
    replace: "if (unread.kind !== 'stopped') continue;",
    tests: FOLD,
    why: 'it may have been the click after which the references are stale',
  },
  {
    name: 'run: a run that made an entity invalid is removed before the one that created it',
    find: 'const later = ended.filter((need) => need.runNumber > record.runNumber);',
    replace: 'const later = ended.filter((need) => need.runNumber > record.runNumber + 1_000);',
    tests: ['test/run/retention/retention.test.ts'],
    only: 'made an entity invalid',
    why: 'the entity would be valid again',
  },
  {
    name: 'engine: a command starts without what it requires',
    find: '  if (resolved.missing.length > 0) {\n    const { order, unreachable }',
    replace: '  if (resolved.missing.length > 1_000) {\n    const { order, unreachable }',
    tests: DO,
    only: 'runs a command only when',
    why: 'a click with stale references would reach the browser',
  },
  {
    name: 'engine: two commands change one entity at the same time',
    find: '  if (conflict === undefined) return;',
    replace: "  if (conflict === undefined || by !== '') return;",
    tests: DO,
    only: 'never overlap',
    why: 'which of the two was first would be chance',
  },
  {
    name: 'engine: an argument becomes an option of the program',
    find: "if (value.startsWith('-') && !isAfterDashes)",
    replace: "if (value.startsWith('-') && isAfterDashes)",
    tests: DO,
    only: 'an argument',
    why: 'text of an agent could choose what a program does',
  },
  {
    name: 'engine: an output is reused although what it created is invalid',
    find: '    if (isStillValid) continue;',
    replace: '    if (isStillValid || name !== unit.key) continue;',
    tests: GATES,
    only: 'are reused while',
    why: 'the gates after it would start without the session that it says it made',
  },
  {
    name: 'action: an entity is valid in another job on the same machine',
    find: ' && one.boot === place.boot && ',
    replace: " && one.boot !== '' && ",
    tests: ['test/action/event/job-processes.test.ts'],
    only: 'in that job only',
    why: 'a job would use a server that the runner ends with the job before it',
  },
  {
    name: 'engine: the next run ends what a gate left for its entity',
    find: '    if (left.length > 0) await call.ports.agent.keepLeft(begun.directory.path);',
    replace: '    if (left.length > 1_000) await call.ports.agent.keepLeft(begun.directory.path);',
    tests: ['test/cli/gate-processes.test.ts'],
    only: 'records who',
    why: 'a browser that a gate opened would be gone before the next gate needs it',
  },
  {
    name: 'engine: a reset of one instance ends the processes of all',
    find: '({ entity, instance }) => entity === about.entity && covers(about.instance, instance),',
    replace: '({ entity }) => entity === about.entity && covers(about.instance, about.instance),',
    tests: ['test/cli/living-entities.test.ts'],
    only: 'ended by a reset',
    why: 'the other servers of the pool would be lost',
  },
  {
    name: 'run: a run is removed while a server of one of its gates runs',
    find: "if (processes !== undefined) return { why: 'processes', reason: processes };",
    replace: "if (processes === '') return { why: 'processes', reason: processes };",
    tests: ['test/cli/gate-processes.test.ts'],
    only: 'stays with its run',
    why: 'nothing would know the server any more, and nobody could end it',
  },
  {
    name: 'run: what a job ran for its gate comes before the gates that it needs',
    find: 'if (isJobCommand(record)) return { order: ranked, before: order ?? 0 };',
    replace: 'if (isJobCommand(record)) return { order: 0, before: order ?? 0 };',
    tests: ['test/run/entity/job-commands.test.ts'],
    why: 'a gate would lack what was just recovered for it',
  },
  {
    name: 'engine: jobs that run one set-up command record it under one name',
    find: 'const inJob = { leg: legOfCommands(key), order: recovery.ran.size };',
    replace: "const inJob = { leg: '', order: recovery.ran.size };",
    tests: ['test/action/workflows/entities.test.ts'],
    only: 'side by side',
    why: 'the second of two jobs would be blocked',
  },
];
