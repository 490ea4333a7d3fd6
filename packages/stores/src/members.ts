/** The stores by URL scheme. The code of a store is loaded when the store is first opened. */
export const members = {
  files: () => import('./files/index.ts'),
  jsonl: () => import('./jsonl/index.ts'),
  memory: () => import('./memory/index.ts'),
  postgres: () => import('./postgres/index.ts'),
  sqlite: () => import('./sqlite/index.ts'),
} as const;
