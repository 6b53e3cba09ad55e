import type { CodeMeaning } from '../error-codes.ts';

/** The action: its inputs, the event it runs for, the job it runs in. */
export const ACTION_CODES = {
  ACTION_INPUTS_INVALID: {
    from: ['user'],
    means: 'Inputs of a step are wrong; all of them are told.',
    remedy: 'Mend them under `with:` of the step; docs/reference/action.md lists every input.',
  },
  MATRIX_MISMATCH: {
    from: ['user'],
    means: 'The matrix of the job fits no leg, or more than one leg, of its gate.',
    remedy: 'Give the job the `strategy.matrix` that the gate has in `gateline.yml`.',
  },
  RUNNER_ENVIRONMENT: {
    from: ['platform'],
    means: 'Variables that the runner sets for every step are missing or malformed.',
    remedy: 'Run the action in a workflow; with another runner, set the variables that the message names.',
  },
  RUNNER_FILE: {
    from: ['platform'],
    means:
      'A file that the runner makes for every step (`GITHUB_OUTPUT` and others) is missing or cannot be written to.',
    remedy: 'Look at the disk of the runner, then run the job again.',
  },
  EVENT_INVALID: {
    from: ['platform'],
    means: 'The payload of the event cannot be read, or does not tell what decides whom to trust.',
    remedy: 'Run the workflow again; with another runner, look at the file that `GITHUB_EVENT_PATH` names.',
  },
  TEMP_UNWRITABLE: {
    from: ['platform'],
    means: "The runner's folder for temporary files cannot be written to.",
    remedy: 'Look whether the disk of the runner is full.',
  },
  EARLIER_RUN_ITSELF: {
    from: ['user'],
    means: '`resume` names the run that it stands in.',
    remedy: 'Leave it out: a re-run finds the records of its earlier attempts by itself.',
  },
  EARLIER_RUN_ABSENT: {
    from: ['user'],
    means: 'The run that `resume` names is not in this repository, or the token may not see it.',
    remedy: "Take the number from the run's address, and give the job `actions: read`.",
  },
  EARLIER_RUN_UNREADABLE: {
    from: ['user'],
    means: 'The token may not look at workflow runs.',
    remedy: 'Give the job `actions: read` under `permissions:`.',
  },
  EARLIER_RUN_REPOSITORY: {
    from: ['user'],
    means: 'The run that `resume` names is one of another repository.',
    remedy: 'Name a run of this repository.',
  },
  EARLIER_RUN_WORKFLOW: {
    from: ['user'],
    means: 'The run that `resume` names is one of another workflow file.',
    remedy: 'Name a run of the same workflow file.',
  },
  EARLIER_RUN_FORK: {
    from: ['user'],
    means: 'The run that `resume` names has its commit from another repository: what a fork made is never taken over.',
    remedy: 'Start a run without `resume`.',
  },
  EARLIER_RUN_EVENT: {
    from: ['user'],
    means: 'The run that `resume` names was caused by an event that outsiders can cause.',
    remedy: 'Name a run that a push, a pull request, a schedule or a dispatch caused.',
  },
  EARLIER_RUN_UNFINISHED: {
    from: ['user'],
    means: 'The run that `resume` names has not ended.',
    remedy: 'Wait for its end, or cancel it; then start again.',
  },
  GATE_RUNS_BY_ITSELF: {
    from: ['user'],
    means: 'A step with `command: run` names a gate whose definition has no command.',
    remedy: 'Give the gate a `run`, or use `begin` and `complete` around the action that is its agent.',
  },
  GATE_HAS_COMMAND: {
    from: ['user'],
    means: 'A step with `command: begin` names a gate whose definition has a command.',
    remedy: 'Use `command: run`, or take `run` out of the definition.',
  },
  SECRET_MISSING_AT_COMPLETE: {
    from: ['user'],
    means:
      'Secrets that the gate names are not set in the step that completes it, so that its output cannot be kept without them.',
    remedy: 'Give that step the same `env:` as the one that begins the gate.',
  },
  OUTPUT_FILE_OUTSIDE: {
    from: ['user'],
    means: 'The input `output-file` leads out of the workspace and of the folder for temporary files.',
    remedy: 'Name a file inside one of them; links of its folder are followed.',
  },
  OUTPUT_FILE_UNREADABLE: {
    from: ['platform'],
    means: 'What `output-file` names cannot be looked at.',
    remedy: 'Look at the permissions of the file and of the folders above it.',
  },
  RESUME_REFUSED: {
    from: ['user'],
    means: 'A run for the changes of a fork does not go on from another run.',
    remedy: 'Leave `resume` out.',
  },
  RESUME_WITHOUT_TOKEN: {
    from: ['user'],
    means: 'Artifacts of another run can only be read with a token.',
    remedy: 'Leave `github-token` as it is by default, and give the job `actions: read`.',
  },
} satisfies Readonly<Record<string, CodeMeaning>>;
