/**
 * A list with an item put in. It has its own length: one that grows in place keeps room for sixteen more, and most nodes
 * have one child, most branches of the map a few slots. Every index below is within the old list.
 */
export function insertAt<T>(list: readonly T[], at: number, item: T): T[] {
  const longer = new Array<T>(list.length + 1);
  for (let i = 0; i < at; i++) longer[i] = list[i] as T;
  longer[at] = item;
  for (let i = at; i < list.length; i++) longer[i + 1] = list[i] as T;
  return longer;
}
