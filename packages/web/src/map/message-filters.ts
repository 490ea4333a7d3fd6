/** The filters of map and outline, and their labels. */
export const messageFilters = [
  { name: 'all', label: 'filterAll' },
  { name: 'no-tools', label: 'filterNoTools' },
  { name: 'mine', label: 'filterMine' },
  { name: 'bookmarked', label: 'filterBookmarked' },
] as const;

export type MessageFilter = (typeof messageFilters)[number]['name'];
