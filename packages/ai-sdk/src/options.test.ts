import { isAppError, type Store } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createChatHandler, loadChat } from './index.ts';
import { useTreeChat } from './react.ts';
import { finishPart, StockChat, scriptedModel, textParts } from './testing/stock-chat.ts';

let store: Store;
beforeEach(async () => {
  store = await openStore('memory:');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await store.close();
});

const model = scriptedModel([...textParts('Yes.'), finishPart()]);

/** Calls a function with options that TypeScript would refuse. */
function call(run: (options: never) => unknown, options: object): unknown {
  return Reflect.apply(run, undefined, [options]);
}

function refusalOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (isAppError(error)) return error.message;
    throw error;
  }
  return 'no refusal';
}

describe('options that a caller without types passes', () => {
  it('[AS24] are refused when the handler is created, with what to pass', () => {
    const refusals = [
      {},
      { store: openStore('memory:'), model, user: 'ada' },
      { store, user: 'ada' },
      { store, model },
      { store, model, user: '' },
    ].map((options) => refusalOf(() => call(createChatHandler, options)));
    expect(refusals).toEqual([
      "createChatHandler needs a store, such as `await openStore('sqlite:chats.db')`.",
      "createChatHandler needs a store, such as `await openStore('sqlite:chats.db')`.",
      "createChatHandler needs a `model`, such as `openai('gpt-5')`, or a function that returns it.",
      'createChatHandler needs the `user` who owns the chats: a text, or a function of the request that returns it.',
      'createChatHandler needs the `user` who owns the chats: a text, or a function of the request that returns it.',
    ]);
  });

  it('[AS24] are refused if they are misspelt, with the nearest option', async () => {
    const misspelt = { store, model, user: 'ada', onDisconect: 'stop' };
    const message = 'has no option "onDisconect". Did you mean "onDisconnect"?';
    expect(() => call(createChatHandler, misspelt)).toThrow(`createChatHandler ${message}`);
    await expect(call((options) => loadChat(options, 'c'), misspelt)).rejects.toThrow(`loadChat ${message}`);
    // The options of a handler may be passed as they are.
    await expect(call((options) => loadChat(options, 'c'), { store, model, user: 'ada' })).resolves.toEqual([]);
  });

  it('[AS24] are refused by loadChat', async () => {
    await expect(call((options) => loadChat(options, 'c'), { store })).rejects.toThrow('loadChat needs the `user`');
    await expect(call((options) => loadChat(options, 'c'), {})).rejects.toThrow('loadChat needs a store');
  });

  it('[AS24] a user that a function does not find is not signed in', async () => {
    const handler = createChatHandler({ store, model, user: () => undefined });
    expect((await handler(new Request('http://app.test/api/chat/c'))).status).toBe(401);
  });
});

it('[AS9] logs an error of the model, and sends none of its details', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const secret = new Error('The key sk-123 is wrong.');
  const failing = scriptedModel([{ type: 'error', error: secret }, finishPart()]);
  const chat = new StockChat(createChatHandler({ store, model: failing, user: 'ada' }), { id: 'c' });
  await chat.sendMessage({ text: 'Dough?' });
  expect(chat.error?.message).toBe('The model could not answer.');
  expect(log.mock.calls).toEqual([[secret]]);
});

describe('useTreeChat', () => {
  function renderedWith(...options: readonly object[]): string {
    function Page() {
      const { id }: { readonly id: string } = Reflect.apply(useTreeChat, undefined, options);
      return createElement('p', null, id);
    }
    return renderToString(createElement(Page));
  }

  it('[AS25] creates a new chat without an id', () => {
    expect(renderedWith()).toMatch(/^<p>\w{8,}<\/p>$/);
    expect(renderedWith()).not.toBe(renderedWith());
    expect(renderedWith({ generateId: () => 'own', resume: true, experimental_throttle: 5 })).toBe('<p>own</p>');
  });

  it('[AS25] refuses an id that is not a text, and the transport of useChat', () => {
    expect(() => renderedWith({ id: '' })).toThrow('The `id` of useTreeChat must be a text.');
    expect(() => renderedWith({ id: 5 })).toThrow('The `id` of useTreeChat must be a text.');
    expect(() => renderedWith({ id: 'c', transport: {} })).toThrow('useTreeChat has no option `transport`: pass `api`');
    expect(() => renderedWith({ id: 'c', credential: 'omit' })).toThrow('Did you mean `credentials`?');
    expect(renderedWith({ id: 'c', optionOfALaterVersion: 1 })).toBe('<p>c</p>');
  });
});
