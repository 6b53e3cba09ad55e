/** The commands of the action, as the input `command` names them. */
export const COMMAND_NAMES = [
  'run',
  'begin',
  'complete',
  'plan',
  'report',
  'decide',
  'waves',
  'set',
  'apply',
  'comment',
  'clean',
] as const;

export type CommandName = (typeof COMMAND_NAMES)[number];
