/**
 * Inserts a value at every place of small files, one at a time: the value must be imported or reported. Each file lists
 * the places that are not part of a conversation, such as the settings of a program.
 */
import { describe, expect, it } from 'vitest';
import { findDroppedValues } from './conformance/dropped-values.ts';
import { formats } from './formats.ts';

interface FormatSample {
  readonly format: string;
  readonly file: unknown;
  /** The places whose values are dropped by design. */
  readonly dropped?: readonly RegExp[];
}

const said = (role: string, content: unknown, rest: object = {}) => ({ role, content, ...rest });

const files: readonly FormatSample[] = [
  {
    format: 'lm-studio',
    file: {
      name: 'Trees',
      createdAt: 1_730_000_000_000,
      systemPrompt: 'Be brief.',
      messages: [
        {
          versions: [{ type: 'singleStep', role: 'user', content: [{ type: 'text', text: 'Which?' }] }],
          currentlySelected: 0,
        },
        {
          versions: [
            {
              type: 'multiStep',
              role: 'assistant',
              steps: [{ type: 'contentBlock', content: [{ type: 'text', text: 'An oak.' }] }],
            },
          ],
          currentlySelected: 0,
        },
      ],
    },
  },
  {
    format: 'chatbox',
    file: {
      'session:s1': {
        id: 's1',
        type: 'chat',
        name: 'Trees',
        messages: [
          { id: 'a', role: 'user', contentParts: [{ type: 'text', text: 'Which?' }] },
          { id: 'b', role: 'assistant', contentParts: [{ type: 'text', text: 'An oak.' }] },
        ],
        messageForksHash: {
          a: {
            position: 0,
            lists: [
              { id: 'f1', messages: [] },
              {
                id: 'f2',
                messages: [{ id: 'c', role: 'assistant', contentParts: [{ type: 'text', text: 'An elm.' }] }],
              },
            ],
            createdAt: 1,
          },
        },
        threads: [
          {
            id: 't1',
            name: 'Before',
            createdAt: 1,
            messages: [{ id: 'd', role: 'user', contentParts: [{ type: 'text', text: 'And?' }] }],
          },
        ],
      },
    },
    // A thread without messages, and a field that has nothing to do with alternatives.
    dropped: [/threads: one more item$/, /messageForksHash: text for an object$/],
  },
  {
    format: 'gemini-takeout',
    file: [
      {
        header: 'Gemini Apps',
        title: 'Prompted Which?',
        time: '2024-01-01T00:00:00.000Z',
        products: ['Gemini Apps'],
        safeHtmlItem: [{ html: '<p>An oak.</p>' }],
      },
    ],
  },
  {
    format: 'huggingchat',
    file: [
      {
        _id: 'h1',
        title: 'Trees',
        model: 'm',
        rootMessageId: 'a',
        messages: [
          { from: 'system', content: 'Be brief.', id: 'a', ancestors: [], children: ['b'] },
          { from: 'user', content: 'Which?', id: 'b', ancestors: ['a'], children: ['c'] },
          { from: 'assistant', content: 'An oak.', id: 'c', ancestors: ['a', 'b'], children: [] },
        ],
      },
    ],
  },
  {
    format: 'oasst',
    file: {
      message_tree_id: 'p',
      tree_state: 'ready',
      prompt: {
        message_id: 'p',
        text: 'Which?',
        role: 'prompter',
        replies: [{ message_id: 'r', parent_id: 'p', text: 'An oak.', role: 'assistant', replies: [] }],
      },
    },
  },
  {
    format: 'librechat',
    file: {
      conversationId: 'l1',
      title: 'Trees',
      recursive: true,
      messages: [
        {
          messageId: 'a',
          parentMessageId: '00000000-0000-0000-0000-000000000000',
          sender: 'User',
          isCreatedByUser: true,
          text: 'Which?',
          children: [
            {
              messageId: 'b',
              parentMessageId: 'a',
              sender: 'M',
              isCreatedByUser: false,
              text: 'An oak.',
              children: [],
            },
          ],
        },
      ],
    },
  },
  {
    format: 'loom-json',
    file: {
      root: { id: 'a', text: 'Once', children: [{ id: 'b', text: ' upon', children: [] }] },
      chapters: {},
      model_responses: {},
      selected_node_id: 'b',
    },
    dropped: [/^#\.model_responses: /],
  },
  {
    format: 'grok',
    file: {
      conversations: [
        {
          conversation: { id: 'g1', title: 'Trees', create_time: '2025-01-01T00:00:00Z' },
          responses: [
            { response: { _id: 'r1', message: 'Which?', sender: 'human' } },
            { response: { _id: 'r2', message: 'An oak.', sender: 'assistant', parent_response_id: 'r1' } },
          ],
        },
      ],
      projects: [],
    },
    dropped: [/^#: /, /^#\.projects: text for a list$/],
  },
  {
    format: 'typingmind',
    file: {
      data: {
        chats: [
          {
            chatID: 't1',
            chatTitle: 'Trees',
            model: 'm',
            messages: [
              said('user', 'Which?', { uuid: 'a', createdAt: '2024-01-01T00:00:00.000Z' }),
              said('assistant', [{ type: 'text', text: 'An oak.' }], { uuid: 'b' }),
            ],
          },
        ],
        folders: [],
      },
    },
    dropped: [/^#: /, /^#\.data: /, /folders: text for a list$/],
  },
  {
    format: 'better-chatgpt',
    file: {
      chats: [
        {
          id: 'b1',
          title: 'Trees',
          titleSet: true,
          folder: 'f1',
          messages: [said('system', 'Be brief.'), said('user', 'Which?'), said('assistant', 'An oak.')],
          config: { model: 'm' },
        },
      ],
      folders: { f1: { id: 'f1', name: 'Woods' } },
      version: 1,
    },
    dropped: [/^#: /, /^#\.folders/, /^#\.version: /],
  },
  {
    format: 'sharegpt',
    file: [
      {
        id: 's1',
        conversations: [
          { from: 'system', value: 'Be brief.' },
          { from: 'human', value: 'Which?' },
          { from: 'gpt', value: 'An oak.' },
        ],
      },
    ],
  },
  {
    format: 'llama-cpp',
    file: [
      {
        conv: { id: 'c1', name: 'Trees', lastModified: 1_730_000_000_000, currNode: 'b' },
        messages: [
          { id: 'r', convId: 'c1', type: 'root', role: 'system', content: '', parent: null, children: ['a'] },
          { id: 'a', convId: 'c1', type: 'text', role: 'user', content: 'Which?', parent: 'r', children: ['b'] },
          { id: 'b', convId: 'c1', type: 'text', role: 'assistant', content: 'An oak.', parent: 'a', children: [] },
        ],
      },
    ],
    dropped: [/^#\.#: /],
  },
  {
    format: 'copilot-chat',
    file: {
      responderUsername: 'GitHub Copilot',
      initialLocation: 'panel',
      requests: [
        {
          requestId: 'q1',
          responseId: 'a1',
          timestamp: 1_730_000_000_000,
          message: { text: 'Which?', parts: [{ kind: 'text', text: 'Which?' }] },
          response: [{ value: 'An oak.' }],
        },
      ],
    },
    dropped: [/responseId: object for a text$/],
  },
  {
    format: 'deepseek',
    file: [
      {
        id: 'd1',
        title: 'Trees',
        inserted_at: '2025-01-01T00:00:00.000000+00:00',
        mapping: {
          root: { id: 'root', parent: null, children: ['1'], message: null },
          1: {
            id: '1',
            parent: 'root',
            children: ['2'],
            message: { model: '', fragments: [{ type: 'REQUEST', content: 'Which?' }] },
          },
          2: {
            id: '2',
            parent: '1',
            children: [],
            message: { model: 'm', fragments: [{ type: 'RESPONSE', content: 'An oak.' }] },
          },
        },
      },
    ],
    // The root has no content, and the lists of children repeat the parents.
    dropped: [/mapping\.root/, /children/],
  },
  {
    format: 'ai-studio',
    file: {
      runSettings: { model: 'models/gemini-x' },
      systemInstruction: { text: 'Be brief.' },
      chunkedPrompt: {
        chunks: [
          { role: 'user', text: 'Which?' },
          { role: 'model', text: 'An oak.', finishReason: 'STOP' },
        ],
        pendingInputs: [],
      },
    },
  },
  {
    format: 'gemini-cli',
    file: {
      sessionId: 'g1',
      projectHash: 'h',
      startTime: '2025-01-01T00:00:00.000Z',
      lastUpdated: '2025-01-01T00:00:01.000Z',
      messages: [
        { id: 'a', timestamp: '2025-01-01T00:00:00.000Z', type: 'user', content: 'Which?' },
        {
          id: 'b',
          timestamp: '2025-01-01T00:00:01.000Z',
          type: 'gemini',
          content: 'An oak.',
          thoughts: [{ subject: 'Trees', description: 'Which are there?', timestamp: '2025-01-01T00:00:00.500Z' }],
          toolCalls: [{ id: 'c', name: 'look', args: { at: 'a' }, status: 'success', result: [{ text: 'oak' }] }],
        },
      ],
    },
  },
  {
    format: 'opencode',
    file: {
      info: { id: 'ses_1', title: 'Trees', directory: '/w', time: { created: 1_730_000_000_000 } },
      messages: [
        {
          info: { id: 'msg_1', role: 'user', sessionID: 'ses_1' },
          parts: [{ id: 'prt_1', type: 'text', text: 'Which?' }],
        },
        {
          info: { id: 'msg_2', role: 'assistant', sessionID: 'ses_1', modelID: 'm' },
          parts: [
            { id: 'prt_2', type: 'text', text: 'An oak.' },
            {
              id: 'prt_3',
              type: 'tool',
              callID: 'c',
              tool: 'look',
              state: { status: 'completed', input: {}, output: 'oak' },
            },
          ],
        },
      ],
    },
    dropped: [/^#: /, /^#\.messages\.#: one more field$/],
  },
  {
    format: 'cline',
    file: [
      said('user', [{ type: 'text', text: '<task>\nWhich?\n</task>' }], { ts: 1_730_000_000_000 }),
      said('assistant', [
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'c', name: 'look', input: { at: 'a' } },
      ]),
      said('user', [{ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 'oak' }] }]),
    ],
  },
];

describe('a value at any place of a file', () => {
  it.each([...files])('[I247] comes in or is reported: $format', async ({ format, file, dropped = [] }) => {
    const read = formats.find(({ name }) => name === format);
    if (read === undefined) throw new Error(`There is no format ${format}.`);
    const found = await findDroppedValues({ 'file.json': JSON.stringify(file) }, read);
    expect(found.filter((place) => !dropped.some((pattern) => pattern.test(place)))).toEqual([]);
    // A pattern that matches nothing is outdated.
    expect(dropped.filter((pattern) => !found.some((place) => pattern.test(place)))).toEqual([]);
  });
});
