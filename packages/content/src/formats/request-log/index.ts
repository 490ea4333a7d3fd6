// Logs of calls to OpenAI- and Anthropic-compatible services. Every call sends the whole history again, or names the
// response that it continues. The id of each message is a hash of its path, so that calls with the same history become
// one tree.
import { defineFormat } from '../contract.ts';
import type { InputSample } from '../input.ts';
import { findLoggedCall, findStreamEvent, isResponseRecord } from './calls.ts';
import { isCallRecord, read } from './read.ts';

function detect(sample: InputSample): number {
  const [file] = sample.files;
  if (file === undefined || sample.files.length > 1) return 0;
  const { json } = file;
  const first = file.lines.length > 1 ? file.lines[0] : Array.isArray(json) ? json[0] : json;
  if (!isCallRecord(first)) return 0;
  if (findStreamEvent(first) !== undefined || isResponseRecord(first)) return 0.8;
  return findLoggedCall(first)?.response === undefined ? 0.6 : 0.8;
}

/** Imports logs of chat completions, of Responses and of Anthropic messages, whole or streamed. */
export const requestLog = defineFormat({
  name: 'request-log',
  label: 'OpenAI and Anthropic request logs',
  summary:
    'Logged calls of chat completions, responses and Anthropic messages, whole or streamed, folded into trees by their longest common beginning.',
  keeps: ['branches', 'system prompts', 'models', 'times', 'reasoning', 'tools', 'usage'],
  reader: { detect, read },
});
