import type { CodeMeaning } from '../code-meaning.ts';

/** What is handed over at the end of a run, and what is said in pull requests. */
export const DELIVERY_CODES = {
  DELIVERY_NOT_DONE: {
    from: ['user'],
    means:
      'A gate or a run whose files are to be delivered is not done, or an output of the run is refused. Nothing is written.',
    remedy:
      'Finish the run. In a workflow, let the job that delivers need the report: it then starts only when all gates have passed.',
  },
  DELIVERY_UNPROVEN: {
    from: ['user'],
    means:
      'The record of a gate names other files than its job reported, or the job reported none. Any job of a run can write a record.',
    remedy:
      'Give the job of the gate the output `files-digest: ${{ steps.<id>.outputs.files-digest }}`, and this step `needs: ${{ toJSON(needs) }}`.',
  },
  DELIVERY_PATH_REFUSED: {
    from: ['agent'],
    means:
      'A gate changed a file that would run by itself once it is in the repository: below `.github`, or a hook of git. Or the name of a file has characters that cannot be seen, such as a line break.',
    remedy: 'Look at the file. To deliver it all the same, name its exact path under `allow`.',
  },
  DELIVERY_CONFLICT: {
    from: ['user'],
    means:
      'A file is not as the gates found it: an earlier step of the job changed it, or the branch has another version. Nothing is written.',
    remedy: 'Deliver in a job that only checks the repository out, and run the pipeline on the newest commit.',
  },
  STAGED_CHANGES: {
    from: ['user'],
    means: 'There are staged changes, which a commit of the files of a task would contain.',
    remedy: 'Commit or unstage them (`git restore --staged .`), and run the same command again.',
  },
  COMMIT_REFUSED: {
    from: ['user'],
    means: 'git did not commit the files of a task: a hook of yours refused them, or a commit cannot be signed.',
    remedy: 'The files are in your folder. Fix what git or the hook names, and run the same command again.',
  },
  LOOP_CONFLICT: {
    from: ['user'],
    means: 'Files of a task cannot be applied, because they changed in your folder in the meantime.',
    remedy: 'Restore or move the files that are named, and run the same command again.',
  },
  DELIVERY_REFUSED: {
    from: ['user'],
    means:
      'There is no branch or commit to start from: the run is for a fork, a tag or a merge queue, or the repository has no commit yet, or no author for commits. Or the subject of the run cannot be part of a name.',
    remedy: 'Deliver such a run as a patch, or do not deliver it. Give the run a subject that can be a name.',
  },
  DELIVERY_MOVED: {
    from: ['user'],
    means: 'The branch has a newer commit than the one that the run is of.',
    remedy: 'Run the pipeline on the newest commit: what has not changed is reused.',
  },
  DELIVERY_BRANCH_TAKEN: {
    from: ['user'],
    means: 'The branch for the files exists, and has other files; or a branch of that name cannot be made.',
    remedy: 'Delete or rename the branch, or close its pull request, and run again.',
  },
  DELIVERY_TOO_LARGE: {
    from: ['user'],
    means: 'The gates changed more files than can be committed over the API of GitHub.',
    remedy: 'Deliver `as: patch`, or name fewer files under `files` of the gates.',
  },
  DELIVERY_FILTERED: {
    from: ['user'],
    means: 'A file passes through a filter of git, such as LFS, so its committed content can only be made by git.',
    remedy: 'Deliver `as: patch`, or take the file out of `files` of the gate.',
  },
  COMMENT_EVENT: {
    from: ['user'],
    means: 'The step was not started by a new comment on a pull request, or by the end of a run.',
    remedy: 'Use `command: comment` in a workflow for `issue_comment` with `types: [created]`, or for `workflow_run`.',
  },
  COMMENT_WITHOUT_TOKEN: {
    from: ['user'],
    means: 'A token is needed to read and to answer comments.',
    remedy: 'Leave `github-token` out, or set it to a token that may write comments.',
  },
  CLEAN_WITHOUT_TOKEN: {
    from: ['user'],
    means: 'A token is needed to list and to remove artifacts.',
    remedy: 'Leave `github-token` out, and give the job `actions: write`.',
  },
  CLEAN_UNKNOWN: {
    from: ['user'],
    means: 'It cannot be found out which runs belong to open pull requests. Nothing is removed.',
    remedy: 'Close pull requests that nobody works on.',
  },
} satisfies Readonly<Record<string, CodeMeaning>>;
