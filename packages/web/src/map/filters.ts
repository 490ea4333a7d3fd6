/** Which messages a map or an outline dwells on, and what the choice is called. */
export const filters = [
  { name: 'all', label: 'filterAll' },
  { name: 'no-tools', label: 'filterNoTools' },
  { name: 'mine', label: 'filterMine' },
  { name: 'bookmarked', label: 'filterBookmarked' },
] as const;

/** The name of such a choice. */
export type ShapeFilter = (typeof filters)[number]['name'];
