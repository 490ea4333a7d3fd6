/** Quotes names and texts for statements that cannot take them as parameters. */

/** Quotes an identifier, such as a schema name, for use in a statement. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a text for use in a statement. */
export function quoteLiteral(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
