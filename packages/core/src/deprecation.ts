/** Announces public names that a later version will remove. */

/** A name that still works and will be removed: of a function, a setting, an option, a command or a route. */
export interface Deprecation {
  /** As people write it, for example `--old` or `readOld()`. */
  readonly name: string;
  /** What to write instead. */
  readonly use: string;
  /** The first version that announces it. */
  readonly since: string;
}

/** The sentence that announces a deprecation, the same everywhere. */
export function deprecationText({ name, use, since }: Deprecation): string {
  return `${name} is deprecated since version ${since} and will be removed. Use ${use} instead.`;
}

const announced = new Set<string>();

/** Passes the announcement of a deprecated name to `warn`, once per name and process. */
export function announceDeprecation(deprecation: Deprecation, warn: (text: string) => void): void {
  if (announced.has(deprecation.name)) return;
  announced.add(deprecation.name);
  warn(deprecationText(deprecation));
}

/** Returns a function that announces its deprecation at the first call, and does the same as before. */
export function deprecate<A extends readonly unknown[], R>(
  work: (...given: A) => R,
  deprecation: Deprecation,
  warn: (text: string) => void,
): (...given: A) => R {
  return (...given) => {
    announceDeprecation(deprecation, warn);
    return work(...given);
  };
}
