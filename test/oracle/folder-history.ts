/** A change of a path, by the run of a subject; `undefined`: by the user, or by nobody knows whom. */
interface Change {
  readonly path: string;
  readonly subject: string | undefined;
  readonly before: string | null;
  readonly after: string | null;
}

/** Who changed the files of the user's folder, one after the other. */
export class FolderHistory {
  /** By path, what a rollback took out of the folder. */
  readonly takenBack = new Map<string, string | null>();
  /** `path=content` that an agent found, or made. */
  readonly #seen = new Set<string>();
  readonly #changes: Change[] = [];
  /** By subject: its newest run, and the first change since that began. */
  readonly #runs = new Map<string, { readonly run: number; readonly from: number }>();
  /** Changes before the newest entry. */
  #logged = 0;

  see(path: string, content: string | null): void {
    this.#seen.add(`${path}=${content}`);
  }

  hasSeen(path: string, content: string | null): boolean {
    return this.#seen.has(`${path}=${content}`);
  }

  add(path: string, before: string | null, after: string | null, subject?: string): void {
    this.#changes.push({ path, before, after, subject });
  }

  /** An entry of a run was written: what changed since the one before belongs to it. */
  enterRun(subject: string, run: number): void {
    if ((this.#runs.get(subject)?.run ?? 0) < run) this.#runs.set(subject, { run, from: this.#logged });
    this.#logged = this.#changes.length;
  }

  /** What a run found where only it changed a path since. */
  findFirst(subject: string, paths: readonly string[]): Map<string, string | null> {
    const changes = this.#changes.slice(this.#runs.get(subject)?.from);
    const first = new Map<string, string | null>();
    for (const path of paths) {
      const ofPath = changes.filter((change) => change.path === path);
      const isChain = ofPath.every(({ before }, index) => index === 0 || before === ofPath[index - 1]!.after);
      if (ofPath.length > 0 && isChain && ofPath.every((change) => change.subject === subject))
        first.set(path, ofPath[0]!.before);
    }
    return first;
  }
}
