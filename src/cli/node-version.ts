/** The oldest major version of Node that Gateline supports. */
export const OLDEST_NODE = 22;

/** The message for a user whose Node is too old; `undefined` if it is not. @param version as `process.versions.node` */
export function nodeTooOld(version: string): string | undefined {
  if (Number(version.split('.')[0]) >= OLDEST_NODE) return undefined;
  return `gateline: Node ${OLDEST_NODE} or newer is required, and this is Node ${version}.\n  Install a newer version, or run it through npm in a clone, which has its own.\n`;
}
