import type { JsonObject } from '../../src/json/json.ts';

/** A `WorkflowState` of dev-loop, which leaves most types open. */
export const LOOP_STATE: JsonObject = {
  threadId: 'REQ-1.1',
  task: { id: 'REQ-1.1', title: 'Implemented user authentication', status: 'in-progress' },
  context: { language: 'ts' },
  changes: null,
  testResults: null,
  status: 'in-progress',
  error: null,
  retryCount: 0,
  handoffContext: {},
};
