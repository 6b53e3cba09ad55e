/** Folders and files whose content something runs by itself: a platform, or a program that installs hooks of git. */
const RUN_BY_ITSELF: ReadonlySet<string> = new Set([
  '.github',
  '.gitmodules',
  '.husky',
  '.githooks',
  '.git-hooks',
  '.pre-commit-config.yaml',
  '.pre-commit-config.yml',
  'lefthook.yml',
  'lefthook.yaml',
  '.lefthook.yml',
  '.lefthook.yaml',
]);

/** Characters that a name does not show as what they are: line breaks, other controls, and changes of direction. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

/** The paths whose names cannot be read as they are, among those that nobody allowed. */
export function pathsWithUnseen(paths: readonly string[], allowed: readonly string[]): string[] {
  return paths.filter((path) => path.search(UNSEEN) >= 0 && !allowed.includes(path));
}

/** A path in quotation marks, in which these characters are escaped. */
export function quotedPath(path: string): string {
  return JSON.stringify(path).replaceAll(UNSEEN, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * The paths that are delivered only if somebody allows them by name: what would run by itself once it is in a
 * repository. Compared as file systems do that ignore case.
 * @param paths from the top of the repository
 * @param allowed exact paths
 */
export function pathsNotDelivered(paths: readonly string[], allowed: readonly string[]): string[] {
  const names = new Set(allowed);
  return paths.filter((path) => {
    const isRun = path.split('/').some((name) => RUN_BY_ITSELF.has(name.normalize('NFKC').toLowerCase()));
    return isRun && !names.has(path);
  });
}
