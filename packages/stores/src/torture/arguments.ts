/** Parses the command line of the torture suite: `name --option value …`. */

/** The options on the command line. Each read of an option marks it as known. */
export class TortureArguments {
  readonly #given: ReadonlyMap<string, string>;
  readonly #known = new Set<string>();

  constructor(words: readonly string[]) {
    const given = new Map<string, string>();
    for (let at = 0; at < words.length; at++) {
      const name = /^--([a-z][\w-]*)$/.exec(words[at] ?? '')?.[1];
      if (name === undefined) throw new Error(`${words[at]} is no option; options look like --seed 7.`);
      const value = words[at + 1];
      if (value === undefined || value.startsWith('--')) given.set(name, 'yes');
      else {
        given.set(name, value);
        at++;
      }
    }
    this.#given = given;
  }

  text(name: string): string | undefined {
    this.#known.add(name);
    return this.#given.get(name);
  }

  flag(name: string): boolean {
    return this.text(name) !== undefined;
  }

  number(name: string, otherwise: number): number {
    const text = this.text(name);
    if (text === undefined) return otherwise;
    const number = Number(text);
    if (!Number.isSafeInteger(number) || number < 1)
      throw new Error(`--${name} is a whole number above zero, not ${text}.`);
    return number;
  }

  list(name: string): readonly string[] | undefined {
    return this.text(name)?.split(',');
  }

  /** Throws if an option was given that no one has read. Must be called after all options were read. */
  finish(): void {
    for (const name of this.#given.keys())
      if (!this.#known.has(name)) throw new Error(`There is no option --${name} here.`);
  }
}
