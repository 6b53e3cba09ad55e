/** What `gateline entities` can do. */
export const ENTITY_ACTIONS = [
  'show',
  'check',
  'apply',
  'create',
  'invalidate',
  'reset',
  'manifest',
  'import',
  'export',
] as const;
export type EntityAction = (typeof ENTITY_ACTIONS)[number];
