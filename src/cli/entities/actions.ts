/** What `gateline entities` can do. */
export const ENTITY_ACTIONS = ['show', 'check', 'apply', 'create', 'invalidate', 'reset', 'manifest'] as const;
export type EntityAction = (typeof ENTITY_ACTIONS)[number];
