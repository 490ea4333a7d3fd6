/** Generates hostile requests from JSON schemas: full examples of a schema, and each of them with one value replaced. */
import type { Json } from '@coppice/core';

/** A JSON schema, as in the OpenAPI document and in the declarations of MCP tools. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Values that a field of any type must refuse or store without an internal error. */
export const hostileValues: readonly Json[] = [
  ...[null, true, 0, 1, -1, 1.5, 1e308, 2 ** 53, -0.5],
  ...[
    '',
    ' ',
    '1',
    'a\0b',
    '\ud800',
    'a\udfffb',
    '../../etc/passwd',
    '%00',
    '__proto__',
    'constructor',
    '*',
    '9'.repeat(400),
  ],
  ...[
    'x'.repeat(150_000),
    '00000000-0000-0000-0000-000000000000',
    '2026-13-45T99:99:99Z',
    'sqlite:/nowhere/a.db',
    "'; --",
  ],
  ...[[], [[]], [null], ['x', 'x'], {}, { toString: 1 }, { type: 'text' }, { type: 'text', text: 5 }, { ids: ['x'] }],
  ...[JSON.parse('{"__proto__":{"a":1}}'), nested(200), Array.from({ length: 3_000 }, () => 'a')],
];

/** Texts for parts of a path and parameters of a query. */
export const hostileTexts: readonly string[] = hostileValues
  .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  .filter((text) => text.length < 10_000);

function nested(depth: number): Json {
  let value: Json = 'x';
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function schemasIn(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Creates values that match a schema: one for each alternative, with all optional fields. */
export class SchemaExampleGenerator {
  readonly #definitions: JsonSchema;
  readonly #ids: readonly string[];

  /** `definitions` are the schemas that `$ref` names; texts that look like ids are taken from `ids`. */
  constructor(definitions: JsonSchema, ids: readonly string[]) {
    this.#definitions = definitions;
    this.#ids = ids;
  }

  /** Returns examples of a schema: at most so many alternatives, and no deeper than the given depth. */
  of(schema: JsonSchema, depth = 5): readonly Json[] {
    if (depth === 0) return ['x'];
    const named = schema['$ref'];
    if (typeof named === 'string') {
      const target = this.#definitions[named.split('/').at(-1) ?? ''];
      return isRecord(target) ? this.of(target, depth - 1) : ['x'];
    }
    if ('const' in schema) return [asJson(schema['const'])];
    if (Array.isArray(schema['enum'])) return schema['enum'].slice(0, 2).map(asJson);
    const alternatives = [...schemasIn(schema['anyOf']), ...schemasIn(schema['oneOf'])];
    if (alternatives.length > 0) return alternatives.flatMap((one) => this.of(one, depth - 1)).slice(0, 12);
    const parts = schemasIn(schema['allOf']);
    if (parts.length > 0) {
      const values = parts.map((part) => this.of(part, depth)[0]);
      return [Object.assign({}, ...values.filter(isRecord))];
    }
    if (isRecord(schema['properties'])) return this.#objects(schema['properties'], depth);
    switch (Array.isArray(schema['type']) ? schema['type'][0] : schema['type']) {
      case 'array': {
        const items = isRecord(schema['items']) ? this.of(schema['items'], depth - 1) : ['x'];
        return [items.slice(0, 3)];
      }
      case 'integer':
      case 'number':
        return [typeof schema['minimum'] === 'number' ? Math.max(1, schema['minimum']) : 1];
      case 'boolean':
        return [true];
      case 'null':
        return [null];
      case 'object':
        return [{ a: 1 }];
      default:
        return [...this.#ids.slice(0, 1)];
    }
  }

  #objects(properties: { readonly [key: string]: unknown }, depth: number): readonly Json[] {
    const first: Record<string, Json> = {};
    const others: Json[] = [];
    const examples = Object.entries(properties).map(
      ([key, inner]) => [key, isRecord(inner) ? this.of(inner, depth - 1) : ['x']] as const,
    );
    for (const [key, [value = 'x']] of examples) first[key] = value;
    for (const [key, [, ...more]] of examples) for (const value of more) others.push({ ...first, [key]: value });
    return [first, ...others.slice(0, 6)];
  }
}

function asJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value ?? null));
}

/** Yields variants of a value: each part of it is replaced by every hostile value, removed, or given another field. */
export function* generateHostileVariants(
  value: Json,
  hostile: readonly Json[] = hostileValues,
  depth = 4,
): Generator<Json> {
  yield* hostile;
  if (depth === 0 || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    const [first] = value;
    if (first !== undefined) for (const other of generateHostileVariants(first, hostile, depth - 1)) yield [other];
    yield [...value, ...value];
    return;
  }
  yield { ...value, unknownField: 1 };
  for (const [key, inner] of Object.entries(value)) {
    const rest = Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
    yield rest;
    for (const other of generateHostileVariants(inner, hostile, depth - 1)) yield { ...rest, [key]: other };
  }
}
