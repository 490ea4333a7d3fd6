/**
 * Finds the messages whose former contents contain a purged text. A split leaves the whole text in the history of the
 * right half; a join, its undo and its redo leave the joined text in the history of the lower message.
 */
/** The fields of a step that tell whether its commit joined messages. */
interface JoinStep {
  readonly type: string;
  readonly nodeId?: string;
}

/** The message that was split, and the version in which its left half was added. */
export interface SplitOrigin {
  readonly source: string;
  readonly addedIn: number;
}

/** Which former contents of a message contain a purged text. */
export interface SharedTextHistory {
  /** The contents from before this version; 0 for none. */
  readonly before: number;
  /** The purged texts that later contents may contain. */
  readonly texts: ReadonlySet<string>;
}

// Shorter texts occur in unrelated messages too.
const shortestSharedBytes = 12;
const encoder = new TextEncoder();

/** The messages that commits changed together with removing or restoring another one, as a join does. */
export class JoinedMessages {
  readonly #replacedWith = new Map<string, ReadonlySet<string>[]>();

  add(steps: readonly JoinStep[]): void {
    const idsOf = (...types: readonly string[]) =>
      steps.flatMap(({ type, nodeId }) => (nodeId !== undefined && types.includes(type) ? [nodeId] : []));
    const replaced = new Set(idsOf('replace'));
    if (replaced.size === 0) return;
    for (const id of idsOf('remove', 'restore')) {
      const known = this.#replacedWith.get(id);
      if (known === undefined) this.#replacedWith.set(id, [replaced]);
      else known.push(replaced);
    }
  }

  has(id: string): boolean {
    return this.#replacedWith.has(id);
  }

  of(id: string): Iterable<string> {
    return new Set((this.#replacedWith.get(id) ?? []).flatMap((ids) => [...ids]));
  }
}

/**
 * Returns the remaining messages whose former contents may contain texts of purged ones, across several splits and
 * joins. `textsOf` returns the current and former texts of a purged message; it is called only if there are such
 * messages.
 */
export function findSharedTextHistories(
  purged: Iterable<string>,
  splits: ReadonlyMap<string, SplitOrigin>,
  joins: JoinedMessages,
  textsOf: (id: string) => Iterable<string>,
): ReadonlyMap<string, SharedTextHistory> {
  const gone = new Set(purged);
  const found = new Map<string, { before: number; readonly texts: Set<string> }>();
  for (const id of gone) {
    const reached = new Map<string, number>([[id, 0]]);
    // The map grows while it is walked.
    for (const [from] of reached) {
      const split = splits.get(from);
      if (split !== undefined) reached.set(split.source, Math.max(reached.get(split.source) ?? 0, split.addedIn));
      for (const joined of joins.of(from)) if (!reached.has(joined)) reached.set(joined, 0);
    }
    for (const [target, before] of reached) {
      if (gone.has(target)) continue;
      const history = found.get(target) ?? { before: 0, texts: new Set<string>() };
      found.set(target, history);
      history.before = Math.max(history.before, before);
      for (const text of textsOf(id)) if (encoder.encode(text).length >= shortestSharedBytes) history.texts.add(text);
    }
  }
  return found;
}

/** Whether a former content contains a purged text. `version` is the version that wrote the content. */
export function containsPurgedText({ before, texts }: SharedTextHistory, version: number, text: string): boolean {
  return version < before || [...texts].some((purged) => text.includes(purged));
}
