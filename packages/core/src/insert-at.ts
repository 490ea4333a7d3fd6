/**
 * Returns a copy of a list with an item inserted. The copy has exactly the needed length. Growing an array in place
 * would reserve space for sixteen more items, but most nodes have one child and most map branches few slots.
 */
export function insertAt<T>(list: readonly T[], at: number, item: T): T[] {
  const longer = new Array<T>(list.length + 1);
  for (let i = 0; i < at; i++) longer[i] = list[i] as T;
  longer[at] = item;
  for (let i = at; i < list.length; i++) longer[i + 1] = list[i] as T;
  return longer;
}
