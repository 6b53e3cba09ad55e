import './configure-zod.ts';

export { GatelineError, InvalidStateError, type Fault, type Place } from './errors.ts';
export { Gateline, type GatelineOptions, type RunOptions, type RunOutcome } from './gateline.ts';
export { DefinitionError, type Definition } from './local/project/load-definition.ts';
export { CommandExecutor, SkillRuntime, StateManager, type SkillOptions } from './local/entities/skills.ts';

// What the methods of these classes take and return.
export type { BeginResult } from './engine/attempt/begin.ts';
export type { Learning } from './engine/attempt/memory.ts';
export type { DecisionName } from './engine/decide/decide.ts';
export type { Rollback } from './engine/decide/rollback.ts';
export type { CommandCheck, CommandResult } from './engine/entities/commands.ts';
export type { Decider } from './engine/ports.ts';
export type { HistoryEntry } from './history/history-entry.ts';
export type { History, HistoryFilter } from './history/query.ts';
export type { JsonObject, JsonValue } from './json/json.ts';
export type { CommandOptions, EntityView } from './local/entities/entities.ts';
export type { ImportResult } from './local/exchange/import.ts';
export type { FolderProblem } from './local/folder/check.ts';
export type { CleanResult, CleanRules } from './local/folder/clean.ts';
export type { DocumentView, Freshness, MemoryView } from './local/learnings/memory.ts';
export type { CompiledWorkflow } from './local/project/compile.ts';
export type { ApplyResult } from './local/runs/isolated.ts';
export type { LoopOptions, LoopResult } from './local/sets/loop.ts';
export type { SetOptions, SetOutcome } from './local/sets/set.ts';
export type { SubjectPlan, SubjectView } from './report/set.ts';
export type { AttemptView, DecisionView, NextStep, Part, PartValue, RunView, UnitView } from './report/view.ts';
export type { EntityChange } from './run/entity/change.ts';
export type { EndedEntry } from './run/entry.ts';
export type { EngineEvent, UnitPlan } from './run/events.ts';
export type { Task } from './run/tasks.ts';
export type { Issue, Verdict } from './verdict/verdict.ts';
