import { expect, test } from 'vitest';
import { isChatModel } from './list-models.ts';

test('[G224] models for other tasks than chats are not listed', () => {
  const others = [
    ...[
      'text-embedding-3-small',
      'text-embedding-ada-002',
      'nomic-embed-text:latest',
      'mxbai-embed-large',
      'whisper-1',
    ],
    ...['tts-1-hd', 'gpt-4o-mini-tts', 'gpt-4o-transcribe-diarize', 'dall-e-3', 'omni-moderation-latest'],
    ...['gpt-4o-realtime-preview', 'sora-2', 'jina/reranker-v2', 'org/qwen3-embedding-8b@q4'],
  ];
  const chats = [
    ...[
      'gpt-5',
      'gpt-5-mini',
      'o3',
      'chatgpt-4o-latest',
      'gpt-4o-audio-preview',
      'gemini-2.5-flash-image',
      'qwen3:30b',
    ],
    ...['claude-opus-4-1', 'llama3.2-vision', 'embedded-dev-7b', 'transcriber-chat', 'real-time-7b', 'attsimo'],
  ];
  expect(others.filter(isChatModel)).toEqual([]);
  expect(chats.filter((id) => !isChatModel(id))).toEqual([]);
});
