import type { CodeMeaning } from '../code-meaning.ts';

/** The action: its inputs, the event it runs for, the job it runs in. */
export const ACTION_CODES = {
  ACTION_INPUTS_INVALID: {
    from: ['user'],
    title: 'Invalid inputs',
    means: 'Inputs of a step are invalid. The message lists all of them.',
    remedy: 'Fix these inputs under `with:` of the step. Nothing ran.',
  },
  WAVES_UNSUPPORTED: {
    from: ['user'],
    means: 'The pipeline has what `pipeline.yml` cannot give to a job, or more gates in a row than it has jobs for.',
    remedy: 'Use `gateline compile`, which writes a job for each gate.',
  },
  MATRIX_MISMATCH: {
    from: ['user'],
    means: 'The matrix of the job matches no leg, or more than one leg, of its gate.',
    remedy: 'Give the job the `strategy.matrix` that the gate has in `gateline.yml`.',
  },
  RUNNER_ENVIRONMENT: {
    from: ['platform'],
    means: 'Variables that the runner sets for every step are missing or malformed.',
    remedy: 'The action needs the variables that the GitHub Actions runner sets for every step.',
  },
  RUNNER_FILE: {
    from: ['platform'],
    means:
      'A file that the runner creates for every step (`GITHUB_OUTPUT` and others) is missing or cannot be written to.',
    remedy: "Check the runner's disk, then run the job again.",
  },
  EVENT_INVALID: {
    from: ['platform'],
    means: 'The payload of the event cannot be read, or lacks the fields that decide which code is trusted.',
    remedy: 'Run the workflow again; with another runner, check the file that `GITHUB_EVENT_PATH` names.',
  },
  DISPATCH_INVALID: {
    from: ['user'],
    title: 'Invalid inputs of the run',
    means: 'The run was started with inputs (`resume`, `decision`, …) that are invalid or incomplete.',
    remedy: 'Start the workflow again, with the inputs that the summary of the resumed run shows. Nothing ran.',
  },
  DECIDER_REFUSED: {
    from: ['user'],
    means: 'The run was not started by a person who may write to the repository, or the step has no token to check it.',
    remedy: 'Let a person with write access start the workflow with the command that the summary of the gate shows.',
  },
  RUN_NAME_MISSING: {
    from: ['user'],
    means: 'The name of the run does not say what is decided, so no other run would use the decision.',
    remedy: 'Set `run-name` in the workflow as in docs/recipes/github/approve-on-github.md.',
  },
  DISPATCH_SUBJECT: {
    from: ['user'],
    title: 'Not a run of this pull request',
    means:
      'The input `subject` of the run names a pull request, and the run is not of its head branch and head commit.',
    remedy:
      'Start the workflow on the head branch of the pull request. If it has a newer commit, its own run is the one to look at.',
  },
  TEMP_UNWRITABLE: {
    from: ['platform'],
    means: "The runner's folder for temporary files cannot be written to.",
    remedy: "Check whether the runner's disk is full.",
  },
  EARLIER_RUN_ITSELF: {
    from: ['user'],
    means: '`resume` names the current run.',
    remedy: 'Remove `resume`: a re-run finds the records of its earlier attempts automatically.',
  },
  EARLIER_RUN_ABSENT: {
    from: ['user'],
    means: 'The run that `resume` names is not in this repository, or the token cannot read it.',
    remedy: "Use the number in the run's URL, and give the job `actions: read`.",
  },
  EARLIER_RUN_UNREADABLE: {
    from: ['user'],
    means: 'The token cannot read workflow runs.',
    remedy: 'Give the job `actions: read` under `permissions:`.',
  },
  EARLIER_RUN_REPOSITORY: {
    from: ['user'],
    means: 'The run that `resume` names belongs to another repository.',
    remedy: 'Name a run of this repository.',
  },
  EARLIER_RUN_WORKFLOW: {
    from: ['user'],
    means: 'The run that `resume` names belongs to another workflow file.',
    remedy: 'Name a run of the same workflow file.',
  },
  EARLIER_RUN_FORK: {
    from: ['user'],
    means: 'The run that `resume` names has its commit from another repository: outputs of forks are never reused.',
    remedy: 'Outputs of forks are never reused. Start a run without `resume`.',
  },
  EARLIER_RUN_EVENT: {
    from: ['user'],
    means: 'The run that `resume` names was triggered by an event that outsiders can trigger.',
    remedy: 'Name a run that was triggered by a push, a pull request, a schedule or a dispatch.',
  },
  EARLIER_RUN_REF: {
    from: ['user'],
    means:
      'The run that `resume` names is of another branch or pull request. A run takes records of its own ref, of the branch that its pull request goes into, and of the default branch; those of a pull request are for that pull request. Of another branch, it takes one output that a person adopts by its digest.',
    remedy:
      'Name another run, or remove `resume`: outputs with the same request are found by their fingerprint. Or adopt one output: `decision: adopt` with `gate` and `digest`.',
  },
  EARLIER_RUN_UNFINISHED: {
    from: ['user'],
    means: 'The run that `resume` names has not ended.',
    remedy: 'Wait until it ends, or cancel it. Then start this run again.',
  },
  GATE_RUNS_BY_ITSELF: {
    from: ['user'],
    means: 'A step with `command: run` names a gate whose definition has no command.',
    remedy: 'Add `run`, or use `command: begin` and `command: complete` around the action that is its agent.',
  },
  GATE_HAS_COMMAND: {
    from: ['user'],
    means: 'A step with `command: begin` names a gate whose definition has a command.',
    remedy: 'Use `command: run`, or remove `run` from the definition if another action is its agent.',
  },
  SECRET_MISSING_AT_COMPLETE: {
    from: ['user'],
    means: 'Secrets of the gate are not set in the step that completes it, so they cannot be redacted from its output.',
    remedy: 'Give the step that completes the gate the same `env:` as the one that begins it.',
  },
  OUTPUT_FILE_OUTSIDE: {
    from: ['user'],
    means: 'The input `output-file` is outside the workspace and the folder for temporary files.',
    remedy: 'Name a file inside one of them.',
  },
  OUTPUT_FILE_UNREADABLE: {
    from: ['platform'],
    means: 'The file that `output-file` names cannot be read.',
    remedy: 'Check the permissions of the file and of the folders above it.',
  },
  RESUME_REFUSED: {
    from: ['user'],
    means: 'A run for the changes of a fork cannot resume another run.',
    remedy: 'Remove `resume`: reusable outputs are found by their fingerprint.',
  },
  RESUME_WITHOUT_TOKEN: {
    from: ['user'],
    means: 'Artifacts of another run can only be read with a token.',
    remedy: 'Keep the default of `github-token`, and give the job `actions: read`.',
  },
} satisfies Readonly<Record<string, CodeMeaning>>;
