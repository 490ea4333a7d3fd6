/** Announces public names that a later version will remove. */

/** A deprecated name of a function, setting, option, command or route, which still works but will be removed. */
export interface Deprecation {
  /** The name in the form that users write, for example `--old` or `readOld()`. */
  readonly name: string;
  /** The name that replaces it. */
  readonly use: string;
  /** The first version that announces the deprecation. */
  readonly since: string;
}

/** Returns the warning that users see for a deprecated name. */
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

/** Wraps a function so that its first call announces the deprecation. */
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
