/** Names as shown in messages: the first ones, and the number of others. `a, b, c and 4 more`. */
export function firstNames(names: readonly string[], shown: number): string {
  const first = names.slice(0, shown).join(', ');
  return names.length > shown ? `${first} and ${names.length - shown} more` : first;
}
