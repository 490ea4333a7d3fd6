/** Stores threads of assistant-ui on a Coppice server. */
export { createThreadHistory, type HistoryOptions } from './history.ts';
export { createThreadListAdapter, type ThreadListOptions } from './thread-list.ts';
