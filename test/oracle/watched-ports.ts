import { beginAttempt, completeAttempt } from '../../src/engine/attempt/begin.ts';
import { runPipeline } from '../../src/engine/run.ts';
import type { Order, Ports } from '../../src/engine/ports.ts';
import type { Digest } from '../../src/json/digest.ts';
import type { Checkpoint } from '../../src/run/checkpoint.ts';
import type { Entry, ProcessId } from '../../src/run/entry.ts';
import type { FileChange } from '../../src/run/files.ts';
import { snapshotId } from '../../src/workspace/workspace.ts';

/** What surrounds each operation of the engine. Snapshots are named by their ids. */
export interface Hooks {
  /** Before an operation takes effect: the user may edit; it never settles once the call has died. */
  point(operation: string, ...details: readonly unknown[]): Promise<void>;
  onSnapshot(snapshot: string): void;
  /** The engine asks for a snapshot with these changes. */
  onApply(snapshot: string, changes: readonly FileChange[]): void;
  onEntry(entry: Entry): void;
  /** The engine has read the log, with so many decisions of people. */
  onRead?(decisions: number): void;
  onFind(checkpoint: Checkpoint): void;
  onSave(checkpoint: Checkpoint, fingerprint: Digest): void;
  /** An attempt has a directory, or a process that waits for the word. */
  onPrepare?(directory: string, process?: ProcessId): void;
  /** What was left of an agent is ended. */
  onLeftoverEnd?(process: ProcessId): void;
  /** An operation has taken effect. */
  onDone?(operation: string): void;
}

/** What a person or a script calls, and what it returns. */
export type Command =
  | { readonly kind: 'run'; readonly isIsolated?: boolean }
  | { readonly kind: 'begin'; readonly unit: string }
  | { readonly kind: 'complete'; readonly token: string; readonly exitCode: number | undefined };

export function perform(ports: Ports, order: Order, command: Command): Promise<unknown> {
  if (command.kind === 'run') return runPipeline(ports, order, new AbortController().signal);
  if (command.kind === 'begin') return beginAttempt(ports, order, command.unit);
  return completeAttempt(ports, order, command.token, command.exitCode);
}

/** The ports of one call, with the hooks around what they write, and after what they find. */
export function watchPorts(ports: Ports, hooks: Hooks): Ports {
  const { log, contents, checkpoints, workspace, attempts, agents } = ports;
  const step = async <Result>(operation: string, work: () => Promise<Result>, ...details: unknown[]) => {
    await hooks.point(operation, ...details);
    const result = await work();
    hooks.onDone?.(operation);
    return result;
  };
  return {
    ...ports,
    log: extend(log, {
      async append(...entries) {
        for (const entry of entries) {
          await step('append', () => log.append(entry));
          hooks.onEntry(entry);
        }
        await hooks.point('appended');
        return log.read();
      },
      async read() {
        const entries = await log.read();
        hooks.onRead?.(entries.filter(isByPerson).length);
        return entries;
      },
    }),
    contents: extend(contents, { put: (chunks) => step('content', () => contents.put(chunks)) }),
    checkpoints: extend(checkpoints, {
      async find(fingerprint) {
        const checkpoint = await checkpoints.find(fingerprint);
        if (checkpoint !== undefined) hooks.onFind(checkpoint);
        return checkpoint;
      },
      async save(fingerprint, checkpoint) {
        await step('save', () => checkpoints.save(fingerprint, checkpoint), fingerprint, checkpoint);
        hooks.onSave(checkpoint, fingerprint);
      },
      forget: (refs) => step('forget', () => checkpoints.forget(refs)),
    }),
    workspace: extend(workspace, {
      async takeSnapshot() {
        const snapshot = await step('snapshot', () => workspace.takeSnapshot());
        hooks.onSnapshot(snapshotId(snapshot));
        return snapshot;
      },
      applyTo(snapshot, changes) {
        hooks.onApply(snapshotId(snapshot), changes);
        return workspace.applyTo(snapshot, changes);
      },
      keep: (name, snapshot) => step('keep', () => workspace.keep(name, snapshot)),
      drop: (names) => step('drop', () => workspace.drop(names)),
      storeVersions: (changes) => step('store', () => workspace.storeVersions(changes)),
      put: async (changes) => (changes.length === 0 ? [] : step('put', () => workspace.put(changes), changes)),
    }),
    attempts: extend(attempts, {
      async create(attempt) {
        const directory = await step('create', () => attempts.create(attempt));
        hooks.onPrepare?.(directory);
        return directory;
      },
    }),
    agents: extend(agents, {
      async prepare(task) {
        const agent = await step('prepare', () => agents.prepare(task));
        hooks.onPrepare?.(task.directory, agent.process);
        return agent;
      },
      async endLeftover(process, directory) {
        await step('kill', () => agents.endLeftover(process, directory));
        hooks.onLeftoverEnd?.(process);
      },
    }),
  };
}

export function isByPerson(entry: Entry): boolean {
  return entry.kind === 'decided' && entry.actor !== 'gateline';
}

/** A port of which some methods are others. */
export function extend<Port extends object>(port: Port, changed: Partial<Port>): Port {
  return new Proxy(port, {
    get: (target, name) => {
      const member = (changed[name as keyof Port] ?? target[name as keyof Port]) as unknown;
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
