/** A JSON pointer (RFC 6901): empty, or segments that each begin with `/`, with `~0` for `~` and `~1` for `/`. */
export const POINTER_PATTERN = /^(?:\/(?:[^~/]|~[01])*)*$/;

/** The segments of a JSON pointer, unescaped (RFC 6901 §4). Pass only pointers that match {@link POINTER_PATTERN}. */
export function pointerSegments(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The JSON pointer of a path of keys and indices. */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The pointers of all ancestors of `pointer`, the nearest first, the whole (`''`) last. */
export function parentPointers(pointer: string): string[] {
  const parents: string[] = [];
  for (let at = pointer.lastIndexOf('/'); at >= 0; at = pointer.lastIndexOf('/', at - 1)) {
    parents.push(pointer.slice(0, at));
    if (at === 0) break;
  }
  return parents;
}
