import './configure-zod.ts';

export { GatelineError, InvalidStateError, type Fault } from './errors.ts';
export { Gateline, type GatelineOptions, type RunOptions, type RunOutcome } from './gateline.ts';
export { DefinitionError } from './local/project/load-definition.ts';
export { CommandExecutor, SkillRuntime, StateManager, type SkillOptions } from './local/entities/skills.ts';
