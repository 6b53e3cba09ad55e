import type { CodeMeaning } from '../code-meaning.ts';

/** Files and git. */
export const WORKSPACE_CODES = {
  WORKSPACE_MISSING: { from: ['user'], means: 'There is no such folder.', remedy: 'Name the folder of your pipeline.' },
  WORKSPACE_UNREADABLE: {
    from: ['platform'],
    means: 'The workspace cannot be read.',
    remedy: 'Check who owns it.',
  },
  GIT_NOT_FOUND: {
    from: ['user'],
    means: 'git is not installed, or not on the PATH.',
    remedy: 'Install git and put it on the PATH.',
  },
  GIT_TOO_OLD: {
    from: ['user'],
    means: 'git is older than 2.30.',
    remedy: 'Install a newer git and put it first on the PATH.',
  },
  GIT_TIMEOUT: {
    from: ['platform'],
    means: 'A git command timed out.',
    remedy: 'A file of `.git` may be a named pipe, or a filter or a remote does not answer. Run `git status` there.',
  },
  DOCUMENT_UNKNOWN: {
    from: ['user'],
    means: 'There is no such document, or no such entry in one.',
    remedy: '`gateline memory` lists the documents.',
  },
  DOCUMENT_NOT_COMPILED: {
    from: ['user'],
    means: 'A document cannot be made from the output of that gate.',
    remedy: 'Run the gate until it passes. docs/recipes/deep-dive.md shows what its output contains.',
  },
  UNTRACKED_TOO_LARGE: {
    from: ['user'],
    means: 'Untracked files are too large to be inputs.',
    remedy: 'Add them to .gitignore, or raise `workspace: {max-untracked}`.',
  },
  SUBMODULE_DIRTY: {
    from: ['user'],
    means: 'A submodule has changes that are not committed.',
    remedy:
      'Commit or stash them there, untracked files too: a work tree has submodules as one of their commits has them.',
  },
  GATE_NOT_APPLIED: {
    from: ['user'],
    means: 'The gate works in your folder, but the files that earlier gates handed on are not there.',
    remedy:
      'Begin it in a work tree of its own: `gateline begin --tree`. Or run `gateline apply`, which puts these files into the folder; gates that read them then run again.',
  },
  APPLY_FAILED: {
    from: ['platform'],
    means: 'A file cannot be put into your folder.',
    remedy: 'Check free space and permissions, then run the same command again: it continues from here.',
  },
  APPLY_UNFINISHED: {
    from: ['state'],
    means: 'Files of a run are in your folder only in part, since the call that applied them was interrupted.',
    remedy:
      'The command that the problem names completes it; so does `gateline run --apply` or `gateline resume --apply`. `gateline rollback --all` undoes it.',
  },
  ROLLBACK_CONFLICT: {
    from: ['user'],
    means:
      'Files that a rollback would restore were changed since gates left them, or it is unknown what a gate changed there. Nothing was restored.',
    remedy: 'Save your changes, then add `--force`: what is overwritten is copied below .state/applied/ first.',
  },
  ROLLBACK_NOT_DONE: {
    from: ['user'],
    means: 'A run is rolled back to a gate that is not done.',
    remedy: 'Name a gate that is done, or use `--all`.',
  },
  ROLLBACK_NOTHING: {
    from: ['user'],
    means: 'The run that would be rolled back ran no gate, and nothing was applied for it.',
    remedy:
      'If files of another run are in the folder, the error names the command that undoes them. `gateline run --force GATE` runs a gate again although its output can be reused.',
  },
  ROLLBACK_UNFINISHED: {
    from: ['user'],
    means:
      'A rollback was interrupted, or could not restore the database, so the folder or the database is partly rolled back. Until it is completed, no gate is started in it, of any definition, nothing is decided about a gate or a run, and no other run is rolled back.',
    remedy:
      'Repeat the command that was interrupted, which the error names: it continues. If it cannot, undo the changes yourself, and move the newest folder below .state/applied/ away.',
  },
  SNAPSHOT_GONE: {
    from: ['user'],
    means: 'The contents of a snapshot are not kept, so it cannot be restored.',
    remedy: '`snapshots` in gateline.yml says which snapshots are kept, and for how long. Roll back to another gate.',
  },
  DATABASE_NOT_DEFINED: {
    from: ['user'],
    means:
      'A run is rolled back that kept snapshots of a database, and the definition no longer says how to restore it.',
    remedy:
      'Put `snapshots.database` back into the definition. Or add `--force`, which restores the files and leaves the database as it is.',
  },
  DATABASE_FAILED: {
    from: ['platform'],
    means: 'A command of `snapshots.database` failed.',
    remedy: 'Correct what its output says, then run the same command again. The snapshots are kept.',
  },
  CLAIM_IN_PLACE: {
    from: ['user'],
    means: 'An agent that runs by itself is using the folder.',
    remedy: 'Complete it first (`gateline complete`), or wait until then.',
  },
  IN_PLACE_NEEDS_INPUTS: {
    from: ['user', 'definition'],
    means: 'A gate that works in your folder and hands on files must declare its inputs.',
    remedy: 'Declare `inputs`, or let it work in its own tree: `gateline begin --tree`, `workspace: tree`.',
  },
  DIFF_UNAVAILABLE: {
    from: ['user'],
    means: 'No version of the workspace was kept for that attempt.',
    remedy:
      'A killed attempt leaves none, nor does an adopted output; `snapshots: {keep}` removes those of old runs, and an attempt on another machine is kept there.',
  },
  GIT_UNSAFE_DIRECTORY: {
    from: ['user'],
    means: 'git refuses the repository because another user owns it.',
    remedy: 'Run the command that git suggests: `git config --global --add safe.directory …`.',
  },
  GIT_FILTER_FAILED: {
    from: ['platform'],
    means: 'A git filter (such as LFS) failed.',
    remedy: 'Install what the filter needs (for LFS: git lfs install), or take it out of the configuration.',
  },
  GIT_FAILED: { from: ['platform'], means: 'git failed.', remedy: "Read git's message; run the same command by hand." },
  FILE_UNREADABLE: {
    from: ['user', 'platform'],
    means: 'A file cannot be read, or is not a plain file.',
    remedy: 'Check what is in its place and who owns it.',
  },
  FILE_TOO_LARGE: {
    from: ['user', 'definition'],
    means: 'The file is too large.',
    remedy: 'Name a smaller file.',
  },
  FILE_NOT_UTF8: { from: ['user'], means: 'The file is not UTF-8.', remedy: 'Save it as UTF-8.' },
  PATH_ESCAPES: {
    from: ['user', 'platform'],
    means: 'A path is outside the workspace, or in a folder that gates cannot write to.',
    remedy: 'Keep files inside; links to the outside are not followed.',
  },
  GLOB_EMPTY: { from: ['user'], means: 'A glob is empty.', remedy: 'Write a pattern, or remove it.' },
  GLOB_ESCAPES: {
    from: ['user'],
    means: 'A glob matches outside the workspace.',
    remedy: 'Write it relative to the workspace, without `..`.',
  },
  STATE_ESCAPES: {
    from: ['user'],
    means: '`.state` is, or contains, a link to the outside of the workspace; or, in a checkout, any link.',
    remedy:
      'Gateline keeps its state in a folder of its own inside the workspace: remove the link, or choose another folder.',
  },
  DEPENDENCIES_EDITABLE: {
    from: ['user'],
    means: 'A Python environment that is linked into work trees imports a package from your folder.',
    remedy:
      'Write `workspace: {link: none, setup: COMMAND}` in gateline.yml, with the command that installs the environment, such as `uv sync` or `python -m venv .venv && .venv/bin/pip install -e .`.',
  },
  LINK_FAILED: {
    from: ['platform'],
    means: 'Installed packages cannot be linked into a work tree.',
    remedy: 'Check free space and who owns the folders, or write `workspace: {link: none}` in gateline.yml.',
  },
  SETUP_CANCELLED: {
    from: ['user'],
    means: 'The setup command of a work tree was stopped.',
    remedy: 'Run again to continue.',
  },
  SETUP_FAILED: {
    from: ['user'],
    means: 'The setup command of a work tree failed.',
    remedy: 'Correct `setup` under `workspace` in gateline.yml, or what it needs. It gets no secrets.',
  },
  TREES_INSIDE_REPOSITORY: {
    from: ['user'],
    means: 'The folder for work trees is inside the repository.',
    remedy: 'Name a folder outside: `GATELINE_TREES`, or `workspace: {trees: …}`.',
  },
  TREES_UNUSABLE: {
    from: ['platform'],
    means: 'Work trees cannot be written to their folder.',
    remedy: 'Free some space there, or name another folder: `GATELINE_TREES`, or `workspace: {trees: …}`.',
  },
  WORK_TREE_REPLACED: {
    from: ['agent'],
    means: 'An agent removed its work tree, or put something else in its place.',
    remedy:
      'An agent may change what is in its work tree, but not remove or replace the folder or the files next to it.',
  },
  REPOSITORY_MISSING: {
    from: ['user'],
    means: 'Files of a commit are needed, but the folder is not in a git work tree.',
    remedy: 'Check out the repository before this step (actions/checkout).',
  },
  OBJECT_ALTERED: {
    from: ['agent'],
    means: 'An object in `.git` has the wrong content: an earlier step changed it.',
    remedy: "An earlier step changed the repository's objects. Check it out again, and keep agents out of .git.",
  },
  COMMIT_UNREADABLE: {
    from: ['user'],
    means: 'The commit that contracts are read from is not in the clone, and could not be fetched.',
    remedy:
      'Check out the repository before this step (actions/checkout), with `fetch-depth: 0` if the commit is not the one that is checked out.',
  },
  STATE_FILE_INVALID: {
    from: ['user'],
    means: "A state file that replaces a gate's output is not in the state guide's format.",
    remedy: 'Correct the file, or pass another one.',
  },
  STAND_IN_REFUSED: {
    from: ['user'],
    means:
      "The output in a state file, or in the caller's input, that replaces a gate's output does not meet the gate's contract.",
    remedy: 'Correct the file or the input, move the file away, or run the gate here.',
  },
} satisfies Readonly<Record<string, CodeMeaning>>;
