/** A label as it is compared: case, spaces, a closing colon and a mark for required fields do not count. */
export function plainLabel(label: string): string {
  return label
    .replaceAll(/\s+/g, ' ')
    .replace(/\s*(?:\*|:|\(required\))+\s*$/i, '')
    .trim()
    .toLowerCase();
}

/** Whether people would take two labels for the same. */
export function sameLabel(one: string, other: string): boolean {
  return plainLabel(one) === plainLabel(other);
}
