/** Random messages with every part type of the AI SDK, for property tests. */
import type { Json } from '@coppice/core';
import fc from 'fast-check';
import type { UiMessageJson } from '../ui-nodes.ts';

function optional<T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(values, { nil: undefined });
}

const text = fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom('', ' ', '5', '{"a":1}', '"quoted"', 'null'));
const json = fc.jsonValue({ maxDepth: 2 }).map((value): Json => JSON.parse(JSON.stringify(value)));
const metadata = optional(fc.constantFrom({ anthropic: { signature: 'c2ln' } }, { openai: { itemId: 'i' } }, {}));
const url = fc.constantFrom(
  'data:image/png;base64,AAAA',
  'data:text/plain,x',
  'https://example.org/a.png',
  'data:;base64,',
);
const mediaType = fc.constantFrom('image/png', 'image', 'image/*', 'application/pdf', 'text/plain');
const state = optional(fc.constantFrom('streaming', 'done'));

const call = {
  title: optional(text),
  toolMetadata: optional(fc.constant({ a: 1 })),
  providerExecuted: optional(fc.boolean()),
  callProviderMetadata: metadata,
};
const result = { resultProviderMetadata: metadata };

function approval(approved: boolean | undefined) {
  return fc.record({
    id: fc.constant('p'),
    approved: fc.constant(approved),
    reason: approved === undefined ? fc.constant(undefined) : optional(text),
    requestReason: optional(text),
    isAutomatic: optional(fc.boolean()),
    signature: optional(text),
    descriptor: optional(json),
    inputSchemaInput: optional(json),
  });
}

const toolStates = fc.oneof(
  fc.record({
    ...call,
    state: fc.constant('input-streaming'),
    input: optional(json),
    rawInput: optional(text),
    inputEncoding: optional(fc.constantFrom('json', 'text')),
  }),
  fc.record({ ...call, state: fc.constant('input-available'), input: json }),
  fc.record({
    ...call,
    ...result,
    state: fc.constant('output-available'),
    input: json,
    output: json,
    preliminary: optional(fc.boolean()),
    approval: optional(approval(true)),
  }),
  fc.record({
    ...call,
    ...result,
    state: fc.constant('output-error'),
    input: optional(json),
    errorText: text,
    approval: optional(approval(true)),
  }),
  fc.record({ ...call, state: fc.constant('approval-requested'), input: json, approval: approval(undefined) }),
  fc.record({
    ...call,
    state: fc.constant('approval-responded'),
    input: json,
    approval: fc.oneof(approval(true), approval(false)),
  }),
  fc.record({ ...call, state: fc.constant('output-denied'), input: json, approval: approval(false) }),
);

const textPart = fc.record({
  type: fc.constant('text'),
  text,
  state,
  providerMetadata: metadata,
  citations: optional(fc.constant([{ type: 'url', url: 'https://example.org' }])),
});
const filePart = fc.record({
  type: fc.constant('file'),
  url,
  mediaType,
  filename: optional(text),
  providerReference: optional(fc.constant({ openai: 'file-1' })),
  providerMetadata: metadata,
});
const contentPart = fc.oneof(
  textPart,
  filePart,
  fc.record({ type: fc.constant('reasoning'), id: optional(text), text, state, providerMetadata: metadata }),
  fc.record({ type: fc.constant('custom'), kind: fc.constant('openai.compaction'), providerMetadata: metadata }),
  fc.record({ type: fc.constant('reasoning-file'), url, mediaType, providerMetadata: metadata }),
  fc.record({
    type: fc.constant('steering-message'),
    id: text,
    parts: fc.array(fc.oneof(textPart, filePart), { maxLength: 2 }),
  }),
  fc.record({
    type: fc.constant('source-url'),
    sourceId: text,
    url,
    title: optional(text),
    providerMetadata: metadata,
  }),
  fc.record({
    type: fc.constant('source-document'),
    sourceId: text,
    mediaType,
    title: text,
    filename: optional(text),
    providerMetadata: metadata,
  }),
  fc.record({ type: fc.constantFrom('data-note', 'data-text', 'data-__proto__'), id: optional(text), data: json }),
  fc.constant({ type: 'step-start' }),
);
const tool = fc.oneof(
  fc
    .tuple(fc.constantFrom('tool-roll', 'tool-call', 'tool-unknown', 'tool-a-b'), toolStates)
    .map(([type, part]) => ({ type, ...part })),
  fc
    .tuple(fc.constantFrom('toss', 'unknown', 'x y'), optional(fc.constant(false)), toolStates)
    .map(([toolName, dynamic, part]) => ({ type: 'dynamic-tool', toolName, dynamic, ...part })),
);

/** Generates the parts of a reply. Only a reply may call tools, and the ids of its calls and approvals are unique. */
export const arbitraryReplyParts = fc.array(fc.oneof(contentPart, tool), { maxLength: 8 }).map((parts) =>
  parts.map((part, at) => {
    if (!('toolMetadata' in part)) return part;
    const own =
      'approval' in part && part.approval !== undefined ? { approval: { ...part.approval, id: `p${at}` } } : {};
    return { ...part, ...own, toolCallId: `c${at}` };
  }),
);

const shared = { metadata: optional(json), content: optional(text) };
const message = fc
  .oneof(
    fc.record({ role: fc.constantFrom('user', 'system'), parts: fc.array(contentPart, { maxLength: 5 }), ...shared }),
    fc.record({ role: fc.constant('assistant'), parts: arbitraryReplyParts, ...shared }),
  )
  // JSON removes undefined fields, as HTTP does.
  .map((value) => JSON.parse(JSON.stringify(value)));

/** Generates the messages of a chat. Some have a field `content`, which apps add and old versions of the SDK had. */
export const arbitraryChatMessages = fc
  .array(message, { minLength: 1, maxLength: 5 })
  .map((list): UiMessageJson[] => list.map((each, at) => ({ ...each, id: `m${at}` })));
