import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { REPOSITORY } from '../support/command-line.ts';

/** Fields, functions, commands, words and rules of each system, as it names them. Separated by `; `. */
const NAMED: Readonly<Record<string, string>> = {
  'from-state-files.md':
    '{domain}-{feature}; requestId; gate number; agent; metadata; userStory; acceptanceCriteria; url; step 0A; step 0B; step N-1; validation.score; threshold; the Markdown checkpoint; {subject}-pipeline.json; IN_PROGRESS; SUCCESS; PARTIAL; FAILED; gate 0; gate 5; gatesToExecute; completedGates; never skip the file; never overwrite; never store passwords; not at relative paths; never parse without a `try`; before memory is stored; one pattern of names; validate the previous output; log when a file is created; put the score; look whether the previous file exists',
  'from-uasp.md':
    'state.entities; format; properties; created_by; invalidated_by; timeout; commands; syntax; requires; creates; invalidates; returns; create; invalidate; is_valid; get_value; check_requires; apply_effects; get_status; reset; has_value; execute; load_skill; reset_state; get_manifest; find_setup_command; safe_execute; InvalidStateError; connection invalidates session and transaction',
  'from-agent-flow.md':
    'current_phase; iteration; max_iterations; deep_dive; parallel_groups; mode; pending; in_progress; passed; failed; APPROVED; NEEDS_CHANGES; VERIFIED; FAILED; message; complete; completed_at; active; timestamp',
  'from-dev-loop.md':
    "threadId; task; context; changes; testResults; status; error; retryCount; handoffContext; fetchTask; generateChanges; applyChanges; runTests; analyzeResults; handleSuccess; handleFailure; retry-counts.json; execution-state.json; metrics.json; handoff.md; progress.md; learned-patterns.md; checkpoints/{threadId}/{stepId}.json; runWithFreshContext; maxIterations; contextHandoff.generate(); learningsManager.persist(); LearningsManager.getPatterns(); createFileCheckpointer; getPendingTasks; updateTaskStatus; incrementRetryCount; getRetryCount; coordinatePrdSet; updatePrdState; status: 'running'; setActivePrdSetId; executePrdSet; parallel: true; maxConcurrent; fix task; recovery; debugging; branching; StateManager.getState(); TaskMasterBridge.getAllTasks(); StateManager.updateState(); UnifiedStateManager.recordMetrics(); UnifiedStateManager.getPatterns(); workflow state object; daemon mode",
  'from-nexus.md':
    'id; workflowName; workflowFile; userTask; INITIALIZING; EXECUTING; PAUSED; ERROR; COMPLETED; ROLLBACK; currentPhase; currentPhaseStartTime; startTime; endTime; pausedAt; resumedAt; completedPhases; skippedPhases; failedPhases; results; error; phase; message; stack; timestamp; recoverable; retries; nexusVersion; pluginsUsed; mcpsUsed; totalPhases; estimatedDuration; filesSnapshot; path; status; contentHash; databaseSnapshot; rollbackAvailable; executions.jsonl; daily-summary.json; backup; duration; phasesCompleted; phasesFailed; phasesSkipped; since; userTaskContains; date; totalWorkflows; completedWorkflows; failedWorkflows; totalDuration; averageDuration; workflowBreakdown; mostUsedWorkflow; successRate; persistState; appendToHistory; loadWorkflowState; clearCurrentState; queryHistory; createCheckpoint; captureFilesSnapshot; captureDatabaseSnapshot; rollbackToCheckpoint; rollbackFile; resume; retry-current; retry-previous; skip-current; from-checkpoint; rollbackWorkflow; cleanupWorkflowArtifacts; validateState; recoverFromCorruptState; generateDailySummary; saveDailySummary; cleanupOldHistory; state_file_path; history_file_path; backup_dir; create_checkpoints; checkpoint_interval; max_checkpoints; log_execution_history; retention_days; daily_summary_enabled; validate_on_load; auto_recover_corrupt_state; auto_cleanup_enabled; cleanup_interval_days',
};

it.each(Object.entries(NAMED))('%s has a row of a table for everything that the system names', (page, names) => {
  const text = readFileSync(join(REPOSITORY, 'docs/recipes', page), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| '));
  const isNamed = (name: string): boolean => rows.some((row) => row.includes(name));
  expect(names.split('; ').filter((name) => !isNamed(name))).toEqual([]);
  for (const word of ['notMoved', '--dry-run', '--write']) expect(text, page).toContain(word);
});
