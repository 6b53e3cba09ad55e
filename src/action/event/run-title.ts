const BEFORE = String.raw`(?<=^|[\s([,;])`;
const AFTER = String.raw`(?=$|[\s)\],;])`;

/**
 * Whether the name of a run holds a marker as a whole: `12#3` does not match `12#34`.
 * @param title from `run-name` of the workflow, which may hold more
 */
export function titleHolds(title: string, marker: string): boolean {
  const whole = marker.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(BEFORE + whole + AFTER).test(title);
}
