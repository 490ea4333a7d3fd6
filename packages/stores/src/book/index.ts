/** What a store outside this package is built on: state in one process, and a keeper that makes every change last. */
export type { Book, BookOptions } from './book.ts';
export { BookStore, bookOf, type Desk, deskOf, type Nameplate } from './book-store.ts';
export {
  type BookEntry,
  type Fresh,
  homesAmong,
  type Keeper,
  type KnownTree,
  type ListStored,
  type LoadedTree,
} from './keeper.ts';
