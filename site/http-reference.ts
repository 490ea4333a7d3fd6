/** Generates the reference of the HTTP API from the OpenAPI document that the server serves. */
import { buildOpenApiDocument, routes } from '@coppice/server';
import { anchorOf, escapeHtml } from './html.ts';
import { colourCode } from './markdown.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security?: readonly unknown[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
  readonly responses: Readonly<
    Record<
      string,
      { readonly description: string; readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }
    >
  >;
}

interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/** Returns the OpenAPI document as the server sends it. */
export function readApiDocument(): ApiDocument {
  return JSON.parse(JSON.stringify(buildOpenApiDocument(routes)));
}

/**
 * Formats a schema as a TypeScript type. Deeper levels of large objects are left out; the OpenAPI document has them.
 */
function typeText(schema: Schema | undefined, depth = 0): string {
  if (schema === undefined) return 'unknown';
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'unknown';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return [...new Set(options.map((each) => typeText(each, depth)))].join(' | ');
  if (schema.allOf !== undefined) return schema.allOf.map((each) => typeText(each, depth)).join(' & ');
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return types.map((type) => plainType(type, schema, depth)).join(' | ');
}

function plainType(type: unknown, schema: Schema, depth: number): string {
  if (type === 'integer') return 'number';
  if (type === 'array') {
    const inner = typeText(schema.items, depth);
    return /[|&]/.test(inner) && !inner.startsWith('{') ? `(${inner})[]` : `${inner}[]`;
  }
  if (type === 'object') return objectType(schema, depth);
  return typeof type === 'string' ? type : 'unknown';
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema, depth: number): string {
  const fields = Object.entries(properties);
  if (fields.length === 0)
    return typeof additionalProperties === 'object'
      ? `{ [name: string]: ${typeText(additionalProperties, depth + 1)} }`
      : '{}';
  if (depth > 2) return '{ … }';
  const indent = '  '.repeat(depth + 1);
  const lines = fields.map(([name, field]) => {
    const comment = field.description === undefined ? '' : `${indent}/** ${field.description} */\n`;
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
    return `${comment}${indent}${key}${required.includes(name) ? '' : '?'}: ${typeText(field, depth + 1)};`;
  });
  return `{\n${lines.join('\n')}\n${'  '.repeat(depth)}}`;
}

function typeBlock(title: string, text: string): string {
  return `<details><summary>${escapeHtml(title)}</summary><pre tabindex="0"><code>${colourCode(text, 'ts')}</code></pre></details>`;
}

function drawOperation(method: string, path: string, operation: Operation): string {
  const parameters = (operation.parameters ?? []).map(
    ({ name, in: place, required, schema, description }) =>
      `<tr><td><code>${escapeHtml(name)}</code></td><td>${escapeHtml(place)}${required === true ? ', required' : ''}</td><td><code>${escapeHtml(typeText(schema))}</code></td><td>${escapeHtml(description ?? schema?.description ?? '')}</td></tr>`,
  );
  const table =
    parameters.length === 0
      ? ''
      : `<div class="table" role="region" aria-label="Parameters of ${escapeHtml(operation.operationId)}" tabindex="0"><table><thead><tr><th>Parameter</th><th>In</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${parameters.join('')}</tbody></table></div>`;
  const body = Object.entries(operation.requestBody?.content ?? {})
    .map(([type, { schema }]) =>
      type === 'application/json'
        ? typeBlock('Request body', typeText(schema))
        : `<p>Request body: <code>${escapeHtml(type)}</code></p>`,
    )
    .join('');
  const answers = Object.entries(operation.responses)
    .filter(([status]) => /^[23]/.test(status))
    .map(([status, { description, content = {} }]) => {
      const types = Object.entries(content);
      const json = types.find(([type]) => type === 'application/json');
      if (json !== undefined) return typeBlock(`${status}: ${description}`, typeText(json[1].schema));
      const names = types.map(([type]) => `<code>${escapeHtml(type)}</code>`).join(', ');
      return `<p>${status}: ${escapeHtml(description)} ${names}</p>`;
    })
    .join('');
  const refusals = Object.keys(operation.responses).filter((status) => /^[45]/.test(status));
  const open = operation.security?.length === 0 ? '<p>Needs no token.</p>' : '';
  return `<section class="operation"><h3 id="${escapeHtml(operation.operationId)}"><span class="verb verb-${method}">${method.toUpperCase()}</span> <code>${escapeHtml(path)}</code><a class="anchor" href="#${escapeHtml(operation.operationId)}" aria-label="Link to this section">#</a></h3>
<p>${escapeHtml(operation.summary)}</p>${open}${table}${body}${answers}${refusals.length === 0 ? '' : `<p class="quiet">Refusals: ${refusals.join(', ')}</p>`}</section>`;
}

/** A group of routes, for the list of headings and for the search. */
export interface HttpGroup {
  readonly tag: string;
  readonly operations: readonly { readonly id: string; readonly line: string; readonly summary: string }[];
}

/** Returns the HTML of the page, and its groups. */
export function drawHttpReference(): { readonly html: string; readonly groups: readonly HttpGroup[] } {
  const document = readApiDocument();
  const byTag = new Map<string, { readonly method: string; readonly path: string; readonly operation: Operation }[]>();
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const [tag = 'server'] = operation.tags;
      byTag.set(tag, [...(byTag.get(tag) ?? []), { method, path, operation }]);
    }
  const parts: string[] = [];
  const groups: HttpGroup[] = [];
  for (const [tag, members] of [...byTag].sort(([a], [b]) => (a < b ? -1 : 1))) {
    parts.push(
      `<h2 id="group-${anchorOf(tag)}">${escapeHtml(tag)}</h2>${members.map(({ method, path, operation }) => drawOperation(method, path, operation)).join('')}`,
    );
    const operations = members.map(({ method, path, operation }) => ({
      id: operation.operationId,
      line: `${method.toUpperCase()} ${path}`,
      summary: operation.summary,
    }));
    groups.push({ tag, operations });
  }
  const schemas = Object.entries(document.components.schemas ?? {}).map(([name, schema]) =>
    typeBlock(name, `type ${name} = ${typeText(schema)}`),
  );
  const description = document.info.description
    .split('\n\n')
    .map((text) => `<p>${escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</p>`)
    .join('');
  const count = groups.reduce((sum, { operations }) => sum + operations.length, 0);
  return {
    html: `<h1 id="http-api-reference">HTTP API reference</h1>${description}<p>Version ${escapeHtml(document.info.version)}, ${count} operations. <a href="../openapi.json">The OpenAPI 3.1 document</a> is what this page is made from; your own server serves it at <code>/api/openapi.json</code>.</p>${parts.join('')}<h2 id="types">Types</h2>${schemas.join('')}`,
    groups,
  };
}
