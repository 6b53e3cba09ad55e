import { z } from 'zod';
import { attemptRefSchema, ENTRY_FORMAT, processSchema } from '../entry.ts';
import { entityChangeSchema, entityKey, entityTargetSchema, type EntityChange } from './change.ts';

/** Who changes entities: a command, an attempt of a gate, or a person. */
const bySchema = z.union([
  z.strictObject({ command: z.string().max(200), args: z.record(z.string(), z.string()) }),
  z.strictObject({ attempt: attemptRefSchema }),
  z.strictObject({ actor: z.string().max(255), reason: z.string().max(4_096) }),
]);
export type EntityUser = z.infer<typeof bySchema>;

const head = {
  v: z.literal(ENTRY_FORMAT),
  pipeline: z.string().max(200),
  at: z.iso.datetime({ precision: 3 }),
  by: bySchema,
  /** Applied with the entry. */
  changes: z.array(entityChangeSchema),
};

/** A use of entities is about to start. Until its `changed` entry, or its death, nobody else uses its entities. */
const beganSchema = z.strictObject({
  kind: z.literal('began'),
  ...head,
  id: z.string().max(2_048),
  /** The entities that it creates and invalidates. */
  targets: z.array(entityTargetSchema),
  /** The use lasts while one of these lives. None: an agent that works by itself, between `begin` and `complete`. */
  processes: z.array(processSchema),
});
export type BeganEntry = z.infer<typeof beganSchema>;

/** Entities have changed. `id`: of the use that has ended now. */
const changedSchema = z.strictObject({ kind: z.literal('changed'), ...head, id: z.string().max(2_048).optional() });

/** One line of `.state/entities.jsonl`. */
export const entityEntrySchema = z.discriminatedUnion('kind', [beganSchema, changedSchema]);
export type EntityEntry = z.infer<typeof entityEntrySchema>;

/** The state of an instance, and who made it so. An invalid instance keeps its last value. */
export type EntityState = EntityChange & Pick<EntityEntry, 'by' | 'at'>;

/** What the log says about the entities of one pipeline: a pure fold that only applies its lines. */
export class EntityStates {
  readonly pipeline: string;
  /** By {@link entityKey}, the newest change last. */
  readonly states = new Map<string, EntityState>();
  /** Uses that have not ended, by id. */
  readonly open = new Map<string, BeganEntry>();

  constructor(pipeline: string, entries: readonly EntityEntry[] = []) {
    this.pipeline = pipeline;
    for (const entry of entries) this.apply(entry);
  }

  apply(entry: EntityEntry): void {
    if (entry.pipeline !== this.pipeline) return;
    if (entry.kind === 'began') this.open.set(entry.id, entry);
    else if (entry.id !== undefined && !this.open.delete(entry.id)) return;
    for (const change of entry.changes) applyChange(this.states, { ...change, by: entry.by, at: entry.at });
  }
}

/** Sets the state of an instance. An invalid instance keeps its last value. */
export function applyChange(states: Map<string, EntityState>, state: EntityState): void {
  const key = entityKey(state);
  const value = state.value ?? (state.to === 'invalid' ? states.get(key)?.value : undefined);
  states.delete(key);
  states.set(key, { ...state, value });
}

/** The same state in fewer entries: one for each instance, and one for each use that has not ended. */
export function compactEntries(entries: readonly EntityEntry[]): EntityEntry[] {
  return [...new Set(entries.map(({ pipeline }) => pipeline))].flatMap((pipeline): EntityEntry[] => {
    const { states, open } = new EntityStates(pipeline, entries);
    const existing = [...states.values()].filter(({ to }) => to !== 'absent');
    return [
      ...existing.map(({ by, at, ...change }): EntityEntry => ({
        v: ENTRY_FORMAT,
        kind: 'changed',
        pipeline,
        by,
        at,
        changes: [change],
      })),
      ...[...open.values()].map((began) => ({ ...began, changes: [] })),
    ];
  });
}
