import type { JsonObject } from '../../src/json/json.ts';

/** A `WorkflowState` of Nexus with its example values. */
export const WORKFLOW: JsonObject = {
  id: 'workflow-20251029-123456',
  workflowName: 'feature-full',
  workflowFile: 'feature-full.yml',
  userTask: 'implement checkout',
  status: 'PAUSED',
  currentPhase: 'implement',
  currentPhaseStartTime: 1_730_207_096_000,
  startTime: 1_730_207_096_000,
  endTime: null,
  pausedAt: 1_730_207_097_000,
  resumedAt: null,
  completedPhases: ['plan'],
  skippedPhases: [],
  failedPhases: [],
  results: { plan: { steps: ['write'] } },
  error: null,
  retries: {},
  metadata: {
    nexusVersion: '2.0.0',
    pluginsUsed: ['ald-system', 'superpowers'],
    mcpsUsed: ['supabase', 'chrome-devtools'],
    totalPhases: 10,
    estimatedDuration: 75,
  },
  checkpoints: [],
  rollbackAvailable: false,
};
