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
