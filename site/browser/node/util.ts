/** The functions of `node:util` that modules use when they are loaded. */

export const inspect = Object.assign((value: unknown) => String(value), {
  custom: Symbol.for('nodejs.util.inspect.custom'),
});

/** Wraps file functions, which throw when they are called. */
export function promisify(
  task: (...words: readonly unknown[]) => unknown,
): (...words: readonly unknown[]) => Promise<unknown> {
  return async (...words) => task(...words);
}
