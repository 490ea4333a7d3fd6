/** Validates tool arguments with JSON Schema (ajv). */
import { isAppError, type JsonObject } from '@coppice/core';
import { Ajv, type ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { makeToolError } from './errors.ts';

/** Returns what is wrong with the arguments, as the end of a sentence; undefined if they are valid. */
export type SchemaCheck = (parameters: JsonObject) => string | undefined;

// Unknown keywords and formats are ignored, as the standard requires, because schemas come from other programs.
const options = {
  strict: false,
  validateFormats: false,
  logger: false,
  // Schemas are not shared by `$id`, because two servers may use the same one.
  addUsedSchema: false,
} as const;

// Limits the size of a schema, because its compiled code grows with it and it may come from an untrusted server.
const longestSchema = 256 * 1024;

const olderDraft = /^https?:\/\/json-schema\.org\/draft-0[67]\/schema/;

let older: Ajv | undefined;
let newer: Ajv2020 | undefined;

/** Returns the validator for a schema. Created on first use, because most processes never call a tool. */
function validatorFor(schema: JsonObject): Ajv | Ajv2020 {
  if (typeof schema.$schema === 'string' && olderDraft.test(schema.$schema)) {
    older ??= withoutPatterns(new Ajv(options));
    return older;
  }
  newer ??= withoutPatterns(new Ajv2020(options));
  return newer;
}

/**
 * Removes the keyword `pattern`, because a regular expression of an untrusted schema could block this thread. The tool
 * itself must check the pattern.
 */
function withoutPatterns<T extends Ajv | Ajv2020>(validator: T): T {
  validator.removeKeyword('pattern');
  return validator;
}

/** Compiles the schema of a tool's arguments. Throws if it does not describe an object or is too large. */
export function compileSchema(name: string, schema: JsonObject): SchemaCheck {
  const bad = (why: string, cause?: unknown) =>
    makeToolError('tool/bad-schema', `The parameters of the tool ${name} ${why}.`, { name }, cause);
  if (schema.type !== undefined && schema.type !== 'object') throw bad('are not described as an object');
  if (JSON.stringify(schema).length > longestSchema)
    throw bad(`are described by more than ${longestSchema} characters`);
  const validator = validatorFor(schema);
  try {
    const validate = validator.compile(schema);
    return (parameters) => {
      if (validate(parameters)) return undefined;
      const [first] = validate.errors ?? [];
      return first === undefined ? 'do not fit the schema' : problemText(first);
    };
  } catch (error) {
    if (isAppError(error)) throw error;
    throw bad(
      `are described by a schema that cannot be used (${error instanceof Error ? error.message : 'no reason'})`,
      error,
    );
  } finally {
    // Ajv caches schemas by object; without this, adding and removing tools would leak memory.
    validator.removeSchema(schema);
  }
}

function problemText({ instancePath, message, params }: ErrorObject): string {
  const where = instancePath === '' ? 'as a whole' : `at ${instancePath}`;
  const extra: unknown = 'additionalProperty' in params ? params.additionalProperty : undefined;
  const named = typeof extra === 'string' ? ` (${JSON.stringify(extra.slice(0, 64))})` : '';
  const allowed: unknown = 'allowedValues' in params ? params.allowedValues : undefined;
  const listed = Array.isArray(allowed) ? `: ${JSON.stringify(allowed).slice(0, 200)}` : '';
  return `do not fit ${where}: ${message ?? 'invalid'}${named}${listed}`;
}
