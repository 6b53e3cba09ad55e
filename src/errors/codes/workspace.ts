import type { CodeMeaning } from '../error-codes.ts';

/** Files and git. */
export const WORKSPACE_CODES = {
  WORKSPACE_MISSING: { from: ['user'], means: 'There is no such folder.', remedy: 'Name one that exists.' },
  WORKSPACE_UNREADABLE: {
    from: ['platform'],
    means: 'The workspace cannot be looked at.',
    remedy: 'Check who owns it.',
  },
  GIT_NOT_FOUND: {
    from: ['user'],
    means: 'git is not installed, or not on the PATH.',
    remedy: 'Install git, or work outside a repository.',
  },
  GIT_UNSAFE_DIRECTORY: {
    from: ['user'],
    means: 'git refuses the repository because another user owns it.',
    remedy: 'Do what git says: `git config --global --add safe.directory …`.',
  },
  GIT_FILTER_FAILED: {
    from: ['platform'],
    means: 'A filter of git (LFS, for one) failed.',
    remedy: 'Install what the filter needs.',
  },
  GIT_FAILED: { from: ['platform'], means: 'git failed.', remedy: 'Read what git said; run the same command by hand.' },
  FILE_UNREADABLE: {
    from: ['user', 'platform'],
    means: 'A file cannot be read, or is not a plain file.',
    remedy: 'Check what stands in its place and who owns it.',
  },
  FILE_TOO_LARGE: {
    from: ['user', 'definition'],
    means: 'The file is larger than such a file may be.',
    remedy: 'Make it smaller.',
  },
  FILE_NOT_UTF8: { from: ['user'], means: 'The file is not UTF-8.', remedy: 'Save it as UTF-8.' },
  FILE_CHANGING: {
    from: ['platform'],
    means: 'A file changes while it is read.',
    remedy: 'Stop what writes to it, then run again.',
  },
  FILE_NOT_WRITTEN: {
    from: ['platform'],
    means: 'A file that an earlier gate handed on cannot be put in its place.',
    remedy: 'Check free space, and who owns the folder.',
  },
  PATH_ESCAPES: {
    from: ['user', 'agent'],
    means: 'A path leads out of the workspace.',
    remedy: 'Keep files inside; links that lead out are not followed.',
  },
  PATH_BLOCKED: {
    from: ['user', 'agent'],
    means: 'Something else stands where a file should be.',
    remedy: 'Move it away.',
  },
  GLOB_EMPTY: { from: ['user'], means: 'A glob is empty.', remedy: 'Write what should match, or remove it.' },
  GLOB_ESCAPES: {
    from: ['user'],
    means: 'A glob leads out of the workspace.',
    remedy: 'Write it relative to the workspace, without `..`.',
  },
  STATE_ESCAPES: {
    from: ['user'],
    means: '`.state` is, or holds, a link that leads out of the workspace.',
    remedy: 'Remove the link.',
  },
  DEPENDENCIES_EDITABLE: {
    from: ['user'],
    means: 'A Python environment that is linked into work trees imports a package from your folder.',
    remedy: 'Set `workspace: {link: none, setup: COMMAND}`, with the command that installs the environment.',
  },
  LINK_FAILED: {
    from: ['platform'],
    means: 'Installed packages cannot be linked into a work tree.',
    remedy: 'Check free space and who owns the folders.',
  },
  SETUP_FAILED: {
    from: ['user'],
    means: 'The setup command of a work tree failed.',
    remedy: 'Read the end of its output; correct `workspace: {setup: …}`.',
  },
  TREES_INSIDE_REPOSITORY: {
    from: ['user'],
    means: 'The folder for work trees lies in the repository.',
    remedy: 'Name a folder outside: `GATELINE_TREES`, or `workspace: {trees: …}`.',
  },
  REPOSITORY_MISSING: {
    from: ['user'],
    means: 'Files of a commit are needed, and the folder is in no git work tree.',
    remedy: 'Check out the repository before the step.',
  },
  OBJECT_ALTERED: {
    from: ['agent'],
    means: 'What `.git` keeps under the id of an object is something else: a step before this one wrote there.',
    remedy: 'Check out the repository again, and keep agents out of `.git`.',
  },
  COMMIT_UNREADABLE: {
    from: ['user'],
    means: 'The commit that contracts are read from is not in the clone, and could not be fetched.',
    remedy: 'Check out the repository before the step, with `fetch-depth: 0` where another commit is needed.',
  },
  STATE_FILE_INVALID: {
    from: ['user'],
    means: "A file that stands in for a gate's output is not of the state guide's form.",
    remedy: 'Correct the file, or pass another one.',
  },
} satisfies Readonly<Record<string, CodeMeaning>>;
