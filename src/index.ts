/**
 * Gateline as a library: the commands of the command line as functions, and their building blocks.
 * docs/reference/library.md shows how to use them together. Importing this runs nothing and reads nothing, not even the
 * environment.
 */

export { definePipeline } from './local/define-pipeline.ts';
export type { LoadedPipeline } from './local/load-pipeline.ts';
export { PipelineInvalidError, SetInvalidError } from './local/pipeline-invalid.ts';
export { loadSet } from './local/load-set.ts';
export type { Subject, SubjectGraph } from './pipeline/subjects/subject-set.ts';
export { parsePipeline } from './pipeline/parse-pipeline.ts';
export type { ParsedPipeline } from './pipeline/check-source.ts';
export { formatProblem, type Problem } from './pipeline/problem.ts';
export type { Gate, Leg, Pipeline, UnitKey, WorkspaceSettings } from './pipeline/pipeline.ts';

export { stateRoot, type LocalPortsOptions, type StatePlace } from './local/local-ports.ts';
export type { Assignment } from './engine/call/call.ts';
export type { VersionedSchema } from './engine/call/contracts.ts';
export type { EngineEvent, EnginePorts, Observer } from './engine/ports.ts';

export type { PlanResult } from './engine/plan-pipeline.ts';
export type { RunOptions, RunResult } from './engine/run-pipeline.ts';
export {
  addLearnings,
  apply,
  beginGate,
  compareRuns,
  completeGate,
  decide,
  decideRun,
  fork,
  loadPipeline,
  localPorts,
  lockWorkspace,
  memoryDocuments,
  openFilesystemStore,
  openHistory,
  openWorkspace,
  planPipeline,
  readRun,
  rebuildHistory,
  resume,
  rollback,
  runPipeline,
  runSet,
  setTasks,
  snapshots,
  type ContinueOptions,
  type PlanOptions,
} from './local/library-calls.ts';
export {
  exportFiles,
  importFiles,
  type ExportedFiles,
  type ImportedFiles,
  type ImportOptions,
  type System,
} from './local/exchange/library-exchange.ts';
export { ImportRefusedError } from './local/exchange/import-refused.ts';
export type { FileProblem, NotMoved, SourceFile, WrittenFile } from './formats/exchange.ts';
export { CommandExecutor, SkillRuntime, StateManager, type SkillOptions } from './local/skills/skills.ts';
export type { CommandRan } from './engine/commands/run-command.ts';
export type { UaspManifest, UaspStatus } from './formats/uasp/status.ts';
export { InvalidStateError, type InvalidStateDetails } from './errors/invalid-state-error.ts';
export type { SetEvent, SetResult, SetRunOptions, SubjectResult } from './engine/set/run-set.ts';
export type { SetOrder } from './engine/set/set-order.ts';
export type { Task, TaskStatus } from './run/subjects/tasks.ts';
export type { MemoryDocument } from './local/memory/documents.ts';
export { entriesOf, type Added, type DocumentEntry, type MemoryEntry } from './memory/entries.ts';
export type { SubjectState, SubjectStatus } from './run/subjects/subject-states.ts';
export type { BeginOptions, BeginResult } from './engine/begin.ts';
export type { Completion } from './engine/complete.ts';
export type { Decision, RunDecision } from './engine/decide.ts';
export type { Resume } from './engine/resume.ts';
export type { ForkOrigin } from './engine/fork.ts';
export { STRATEGIES, type Strategy } from './run/plan/strategy.ts';
export type { Applied, ApplyRunOptions } from './engine/apply.ts';
export type { RollbackOptions, RollbackPlan, RolledBack } from './engine/rollback.ts';
export type { GateSnapshot } from './engine/snapshots.ts';

export type { StateFolderOptions } from './store/filesystem/filesystem-store.ts';
export { createMemoryMedium, createMemoryStore, type MemoryMedium } from './store/memory/memory-store.ts';
export type { Read, ReadProblem, RecordListing, RecordStore, Written } from './store/record-store.ts';
export type { Agent, AgentResult, AgentTask } from './agent/agent.ts';
export { createProcessAgent, type ProcessAgentOptions } from './agent/process/process-agent.ts';
export type { Workspace } from './workspace/workspace.ts';
export type { WorkspaceOptions } from './workspace/open-workspace.ts';

export { compileContract, type CompiledContract, type CompileOptions } from './verdict/compile-contract.ts';
export { CONTRACT_FORMAT, parseContract, type Contract } from './verdict/contract.ts';
export { judge, type JudgeContext } from './verdict/judge.ts';
export type { Issue, Verdict, VerdictKind } from './verdict/verdict.ts';

export type { Plan, PlanChoice, PlannedUnit } from './run/plan/plan.ts';
export type { DecidedRecord, EndedRecord, GatelineRecord, StartedRecord } from './run/records/record.ts';
export type { RunState, RunStatus, UnitState, UnitStatus } from './run/state/run-state.ts';
export { unitsOf, type Unit, type UnitGraph } from './run/records/unit.ts';

export type { GateDifference, RunCompared, RunsDifference } from './engine/history/compare-runs.ts';
export type { RebuiltHistory } from './engine/history/rebuild-history.ts';
export type { GateOutcome, GatesEntry, HistoryEntry } from './history/entry.ts';
export {
  gatesOf,
  queryGates,
  queryRuns,
  runsOf,
  type GateRow,
  type HistoryAnswer,
  type HistoryFilter,
  type HistorySource,
} from './history/query.ts';
export { dailySummaries, dailySummary, type DailySummary } from './history/statistics/daily.ts';
export type { FlakyGate } from './history/statistics/flaky.ts';
export {
  gateStatistics,
  runStatistics,
  type Durations,
  type GateChoice,
  type GateStatistics,
  type RunStatistics,
} from './history/statistics/statistics.ts';

export { checkpointMarkdown } from './report/markdown/checkpoint.ts';
export { planJson, planJsonSchema, type PlanJson } from './report/json/plan-json.ts';
export { planTable } from './report/terminal/plan-table.ts';
export { runSummaryLines } from './report/terminal/run-summary.ts';
export { statusJson, statusJsonSchema, type StatusJson } from './report/json/status-json.ts';
export { statusTable } from './report/terminal/status-table.ts';

export { CODE_SECTIONS } from './errors/error-codes.ts';
export { type CodeOrigin } from './errors/code-meaning.ts';
export { type CodeMeaning } from './errors/code-meaning.ts';
export { GatelineError, type Place } from './errors/gateline-error.ts';
export { type Fault } from './errors/code-meaning.ts';
export type { Environment } from './environment.ts';
export type { JsonObject, JsonValue } from './json/json.ts';
export { VERSION } from './version.ts';
