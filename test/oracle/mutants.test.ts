import { describe, expect, it } from 'vitest';
import type { Ports } from '../../src/engine/ports.ts';
import type { Entry } from '../../src/run/entry.ts';
import type { Checkpoints } from '../../src/store/stores.ts';
import type { Snapshot, Workspace } from '../../src/workspace/workspace.ts';
import { CAREFUL, runScenario, type ScenarioOptions } from './scenario.ts';
import { extend } from './watched-ports.ts';

/** Scenarios in which a fault must show. */
const MAX_SEEDS = 100;

interface Mutant {
  readonly breaks: (ports: Ports) => Partial<Ports>;
  /** What the oracle must find. */
  readonly fault: RegExp;
  /** From which scenario on it does. Default: 1. */
  readonly first?: number;
  readonly options?: Partial<ScenarioOptions>;
}

const nothing = () => Promise.resolve();
const withWorkspace = ({ workspace }: Ports, changed: Partial<Workspace>) => ({
  workspace: extend(workspace, changed),
});
const withCheckpoints = ({ checkpoints }: Ports, changed: Partial<Checkpoints>) => ({
  checkpoints: extend(checkpoints, changed),
});
/** A log from which the engine does not learn some entries. */
function withLog({ log }: Ports, isRead: (entry: Entry) => boolean): Partial<Ports> {
  return {
    log: extend(log, {
      read: async () => (await log.read()).filter(isRead),
      append: async (...entries) => (await log.append(...entries)).filter(isRead),
    }),
  };
}

const mutants: Readonly<Record<string, Mutant>> = {
  'an output holds only for the request of its agent': {
    breaks: (ports) =>
      withCheckpoints(ports, {
        save: async (fingerprint, checkpoint) => {
          if (fingerprint === checkpoint.fingerprint) await ports.checkpoints.save(fingerprint, checkpoint);
        },
      }),
    fault: /^c: does not settle/,
  },
  'the oldest output of a request stays': {
    breaks: (ports) =>
      withCheckpoints(ports, {
        save: async (fingerprint, checkpoint) => {
          if (!(await ports.checkpoints.find(fingerprint))) await ports.checkpoints.save(fingerprint, checkpoint);
        },
      }),
    fault: /^[abcd]: /,
  },
  'outputs hold for edits of the user too': {
    breaks: (ports) => withWorkspace(ports, { applyTo: () => ports.workspace.takeSnapshot() }),
    fault: /^a: a stale output/,
  },
  'changes by others while an agent works are not seen': {
    breaks: (ports) =>
      withWorkspace(ports, {
        diff: async (before, after) =>
          (await ports.workspace.diff(before, after)).filter(({ path }) => !'abcd'.includes(path)),
      }),
    fault: /^a: /,
  },
  'the first look at the folder counts for the whole call': {
    breaks: (ports) => {
      let first: Promise<Snapshot> | undefined;
      return withWorkspace(ports, { takeSnapshot: () => (first ??= ports.workspace.takeSnapshot()) });
    },
    fault: /^c: does not settle/,
  },
  'contents of inputs do not count': {
    breaks: (ports) => withWorkspace(ports, { digestFiles: () => Promise.resolve('same') }),
    fault: /^a: a stale output/,
  },
  'files of an output are not put back': {
    breaks: (ports) => withWorkspace(ports, { put: () => Promise.resolve([]) }),
    fault: /^[cd]: /,
  },
  'any version is replaced': {
    breaks: (ports) =>
      withCheckpoints(ports, {
        find: async (fingerprint) => {
          const checkpoint = await ports.checkpoints.find(fingerprint);
          const present = await ports.workspace.listFiles(await ports.workspace.takeSnapshot());
          const files = Object.entries(checkpoint?.files ?? {}).map(([path, file]) => {
            const version = present.get(path) ?? null;
            return [path, version === file.after ? file : { ...file, found: [...file.found, version] }] as const;
          });
          return checkpoint && { ...checkpoint, files: Object.fromEntries(files) };
        },
      }),
    fault: /^d: a version of the user that no agent saw is replaced/,
    first: 39,
  },
  'replaced versions are not kept': {
    breaks: (ports) => withWorkspace(ports, { keep: nothing }),
    fault: /^d: no ref keeps a version that is replaced/,
  },
  'agents of killed calls go on': {
    breaks: ({ agents }) => ({ agents: extend(agents, { endLeftover: nothing }) }),
    fault: /^e: an agent of a killed call still works/,
    first: 33,
  },
  'the last leg of each list is forgotten': {
    breaks: ({ contents }) => ({
      contents: extend(contents, {
        async get(digest) {
          const text = new TextDecoder().decode(await contents.get(digest));
          return Buffer.from(text.replace(/("legs":\[.*),"."\]/, '$1]'));
        },
      }),
    }),
    fault: /^e: work starts before its needs are done/,
    first: 41,
  },
  'forced attempts are forgotten': {
    breaks: (ports) => withLog(ports, (entry) => entry.kind !== 'decided' || entry.decision !== 'force'),
    fault: /^a: used although forced/,
    first: 15,
  },
  'rejected outputs are used': {
    breaks: (ports) => ({
      ...withLog(ports, (entry) => entry.kind !== 'decided' || entry.decision !== 'reject'),
      ...withCheckpoints(ports, { forget: nothing }),
    }),
    fault: /^a: a rejected output/,
    first: 29,
  },
  'outputs below their threshold open the next gates': {
    breaks: (ports) =>
      withCheckpoints(ports, {
        find: async (fingerprint) => {
          const checkpoint = await ports.checkpoints.find(fingerprint);
          return checkpoint && { ...checkpoint, verdict: { ...checkpoint.verdict, status: 'passed', kind: 'passed' } };
        },
      }),
    fault: /^e: work starts before its needs are done/,
    first: 70,
  },
  'what an agent left in a clone counts as made in the folder': {
    breaks: ({ log }) => ({
      log: extend(log, {
        append: (...entries) =>
          log.append(...entries.map((entry) => (entry.kind === 'started' ? { ...entry, isolated: undefined } : entry))),
      }),
    }),
    fault: /^d: what a done gate made is not in the folder/,
    first: 82,
    options: { isolated: 1, dieRate: 0.8, editRate: 0.3 },
  },
  'what an isolated run changed is written over any version': {
    breaks: (ports) =>
      withWorkspace(ports, {
        diff: async (before, after) => {
          const present = await ports.workspace.listFiles(await ports.workspace.takeSnapshot());
          const changes = await ports.workspace.diff(before, after);
          return changes.map((change) => ({ ...change, before: present.get(change.path) ?? null }));
        },
      }),
    fault: /^d: apply writes another version/,
    first: 11,
  },
  'a rollback does not know what gates changed': {
    breaks: ({ log }) => ({
      log: extend(log, {
        append: (...entries) =>
          log.append(...entries.map((entry) => (entry.kind === 'ended' ? { ...entry, changes: [] } : entry))),
      }),
    }),
    fault: /^d: rollback leaves what the run changed/,
    first: 78,
  },
  'versions that a rollback replaces are not kept': {
    breaks: (ports) =>
      withWorkspace(ports, {
        keep: (name, snapshot) => (name.startsWith('rollback/') ? nothing() : ports.workspace.keep(name, snapshot)),
      }),
    fault: /^d: no ref keeps a version that is replaced/,
    first: 100,
  },
  'outputs that were rolled back are used': {
    breaks: (ports) => ({
      ...withLog(ports, (entry) => entry.kind !== 'decided' || entry.decision !== 'rollback'),
      ...withCheckpoints(ports, { forget: nothing }),
    }),
    fault: /^d: what was rolled back is put back/,
    first: 160,
  },
};

describe('the oracle finds a fault if a rule is taken away', () => {
  it.each(Object.entries(mutants))('%s', async (_, { breaks, fault, first = 1, options }) => {
    const kinds: string[] = [];
    for (let seed = first; seed < first + MAX_SEEDS && !kinds.some((kind) => fault.test(kind)); seed += 1) {
      const { oracle } = await runScenario(seed, { ...CAREFUL, ...options }, (ports) => ({
        ...ports,
        ...breaks(ports),
      }));
      kinds.push(...oracle.faults.map(({ kind }) => kind));
    }
    expect(kinds.join('\n')).toMatch(new RegExp(fault.source, 'm'));
  });
});
