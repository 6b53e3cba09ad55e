import { join } from 'node:path';
import { ownGitSettings, withoutGit, type Environment } from '../../environment.ts';
import { splitNames } from '../files/path-bytes.ts';
import { gitIn, type Git, type GitAnswer } from './git.ts';

/** A branch of a repository on a server. */
export interface RemotePlace {
  /** The repository: an address without a password. */
  readonly url: string;
  /** Name below `refs/heads/`. */
  readonly branch: string;
  /** `Authorization` of each request; only in the environment of git. Default: none. */
  readonly authorization?: string | undefined;
  /** An empty folder of our own, absolute. The caller removes it. */
  readonly folder: string;
  readonly environment: Environment;
}

/** Limits of one change. */
export interface ChangeLimits {
  /** Milliseconds after which a git command is ended. */
  readonly timeoutMs: number;
  /** When aborted, commands have three seconds left. */
  readonly signal?: AbortSignal | undefined;
}

/** The files of the branch, those at its top. */
export interface BranchFiles {
  /** Empty if there is no branch. */
  readonly names: readonly string[];
  /** The content of a file. @throws GatelineError `GIT_FAILED`, `GIT_TIMEOUT` */
  read(name: string): Promise<Buffer>;
}

/** The commit to add to the branch: files, message and date. */
export interface BranchChange {
  /** New contents, by name. */
  readonly files: ReadonlyMap<string, Buffer>;
  readonly message: string;
  /** Date of the commit. */
  readonly at: Date;
}

/**
 * How a change ended. `moved`: somebody else was faster. `refused`: the server does not permit it. `failed`: another
 * try may succeed.
 */
export interface Changed {
  readonly state: 'pushed' | 'same' | 'moved' | 'refused' | 'failed';
  /** For people: what the server said; empty if it succeeded. */
  readonly why: string;
}

const REMOTE = 'remote';
const BASE = 'refs/gateline/base';
/** The name and address that GitHub uses for commits made with a job's token. */
const COMMITTER = 'github-actions[bot] <41898282+github-actions[bot]@users.noreply.github.com>';
const LONGEST_REASON = 300;

/** Another push was faster, seen by git before or by the server after it sent the commit. */
const MOVED = /\[rejected\]|cannot lock ref|failed to (?:update|lock) ref|already exists|incorrect old value/;
const REFUSED =
  /\[remote rejected\]|error: 40[134]\b|Authentication failed|could not read (?:Username|Password)|Permission to .* denied|[Rr]epository .*not found/;

/**
 * Changes files of a branch by plain git: one commit, and a push that is refused if the branch has moved. A branch that
 * does not exist is made, without a parent. Only what is needed is downloaded: the last commit, its list of files, and
 * files that are read.
 *
 * Uses a repository of its own and neither settings, hooks, passwords nor helpers of the user. Those of the machine
 * (proxy, certificates) apply.
 */
export class RemoteBranch {
  readonly #place: RemotePlace;
  #changes = 0;
  #hasFetched = false;

  private constructor(place: RemotePlace) {
    this.#place = place;
  }

  /** @throws GatelineError `GIT_NOT_FOUND`, `GIT_FAILED`, `GIT_TIMEOUT` */
  static async open(place: RemotePlace, limits: ChangeLimits): Promise<RemoteBranch> {
    const branch = new RemoteBranch(place);
    await branch.#git(limits)(['init', '-q', '--bare', '--template=', '.']);
    return branch;
  }

  /**
   * One try.
   * @param edit is given the files as they are now; `undefined`: they are to stay so
   * @throws GatelineError `GIT_FAILED`, `GIT_TIMEOUT`, and what `edit` throws
   */
  async change(
    edit: (files: BranchFiles) => Promise<BranchChange | undefined>,
    limits: ChangeLimits,
  ): Promise<Changed> {
    const git = this.#git(limits);
    const isThere = await this.#fetch(git);
    if (typeof isThere !== 'boolean') return isThere;
    const ids = isThere ? await idsIn(git) : new Map<string, string>();
    const read = async (name: string): Promise<Buffer> => (await git(['cat-file', 'blob', ids.get(name)!])).out;
    const change = await edit({ names: [...ids.keys()], read });
    if (change === undefined) return { state: 'same', why: '' };
    this.#changes += 1;
    const next = `refs/gateline/next-${this.#changes}`;
    await git(['fast-import', '--quiet', '--date-format=raw'], { input: commitOf(next, isThere, change) });
    const answer = await git(await this.#pushOf(git, next, isThere), { answers: [0, 1, 128] });
    return answer.code === 0 ? { state: 'pushed', why: '' } : failureIn(answer);
  }

  /** Whether the branch is there. Of its files only the names are downloaded, if the server can do that. */
  async #fetch(git: Git): Promise<boolean | Changed> {
    const { branch } = this.#place;
    // What others have added since the last try is little, and of the same day.
    const filter = this.#hasFetched ? '--no-filter' : '--filter=blob:none';
    const order = ['fetch', '-q', '--no-tags', '--depth=1', filter, REMOTE, `+refs/heads/${branch}:${BASE}`];
    const answer = await git(order, { answers: [0, 1, 128] });
    this.#hasFetched ||= answer.code === 0;
    if (answer.code === 0) return true;
    return answer.err.includes("couldn't find remote ref") ? false : failureIn(answer);
  }

  /**
   * The branch must be where it was: so this is a fast-forward, or makes the branch. Without the lease, git would
   * download the commits of somebody who was faster, only to say so.
   */
  async #pushOf(git: Git, next: string, isThere: boolean): Promise<string[]> {
    const to = `refs/heads/${this.#place.branch}`;
    const base = isThere ? (await git(['rev-parse', BASE])).out.toString('latin1').trim() : '';
    return ['push', '--porcelain', '--no-verify', `--force-with-lease=${to}:${base}`, REMOTE, `${next}:${to}`];
  }

  #git({ timeoutMs, signal }: ChangeLimits): Git {
    const { folder, environment } = this.#place;
    const git = gitIn(folder, { binary: 'git', environment: withoutGit(environment), timeoutMs, signal });
    const env = settingsOf(this.#place);
    return (args, call) => git(args, { ...call, env });
  }
}

/** Not in the file of the repository: whoever reads that finds no token. */
function settingsOf({ url, authorization, folder }: RemotePlace): Record<string, string> {
  const nowhere = join(folder, 'none');
  const settings: (readonly [string, string])[] = [
    [`remote.${REMOTE}.url`, url],
    ['core.hooksPath', nowhere],
    ['core.askPass', ''],
    ['credential.helper', ''],
    ['gc.auto', '0'],
    ['maintenance.auto', 'false'],
    ['push.gpgSign', 'false'],
    // Another server would be sent the token.
    ['http.followRedirects', 'false'],
  ];
  if (authorization !== undefined) settings.push([`http.${url}.extraHeader`, `Authorization: ${authorization}`]);
  return ownGitSettings(settings, nowhere);
}

/** Ids of the plain files at the top, by name. */
async function idsIn(git: Git): Promise<Map<string, string>> {
  const { out } = await git(['ls-tree', '-z', BASE]);
  const lines = splitNames(out).map((line) => /^\d+ blob ([0-9a-f]+)\t(.+)$/s.exec(line));
  return new Map(lines.flatMap((found) => (found === null ? [] : [[found[2]!, found[1]!] as const])));
}

/** https://git-scm.com/docs/git-fast-import */
function commitOf(ref: string, hasParent: boolean, { files, message, at }: BranchChange): Buffer {
  const parts: (string | Buffer)[] = [
    `commit ${ref}\n`,
    `committer ${COMMITTER} ${Math.floor(at.getTime() / 1_000)} +0000\n`,
    `data ${Buffer.byteLength(message)}\n${message}\n`,
    hasParent ? `from ${BASE}^0\n` : '',
  ];
  for (const [name, content] of files) parts.push(`M 100644 inline ${name}\ndata ${content.length}\n`, content, '\n');
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}

function failureIn({ out, err }: GitAnswer): Changed {
  const said = `${err}\n${out.toString('utf8')}`;
  const state = MOVED.test(said) ? 'moved' : REFUSED.test(said) ? 'refused' : 'failed';
  const lines = said.split('\n').filter((line) => /^(?:remote: .|error: |fatal: |!)/.test(line));
  return { state, why: lines.join(' ').replace(/\s+/g, ' ').slice(0, LONGEST_REASON) };
}
