/** Masks configured keys in a model's output before any of it is stored or shown. */
import { createKeyMasker, maskKeys, maskKeysInJson, maskPartialKey } from '../config/mask-keys.ts';
import type { ProviderEvent } from '../providers/contract.ts';

/** Converts an event to the events to pass on; retains text that may be the beginning of a key. */
export type ReplyMask = (event: ProviderEvent) => readonly ProviderEvent[];

const typesThatEndText: ReadonlySet<ProviderEvent['type']> = new Set([
  'thinking-delta',
  'tool-use-start',
  'tool-use-delta',
  'tool-use-end',
  'end',
  'error',
]);

/** Creates a mask for one reply; null if no keys are configured. */
export function createReplyMask(keys: readonly string[]): ReplyMask | null {
  if (keys.length === 0) return null;
  const [text, thinking] = [createKeyMasker(keys), createKeyMasker(keys)];
  const calls = new Map<number, string>();
  let [received, passed] = ['', ''];
  const flushText = (out: ProviderEvent[]) => {
    const rest = text.end();
    if (rest !== '') out.push({ type: 'text-delta', text: rest });
  };
  const pushThinking = (piece: string, out: ProviderEvent[]) => {
    passed += piece;
    if (piece !== '') out.push({ type: 'thinking-delta', text: piece });
  };
  const endCall = (index: number, out: ProviderEvent[]) => {
    const json = maskPartialKey(maskKeys(calls.get(index) ?? '', keys), keys);
    calls.delete(index);
    if (json !== '') out.push({ type: 'tool-use-delta', index, json });
  };
  return (event) => {
    const out: ProviderEvent[] = [];
    // Usage and other events do not end the text, so the retained text stays retained.
    if (typesThatEndText.has(event.type)) flushText(out);
    if (event.type !== 'thinking-delta') pushThinking(thinking.end(), out);
    switch (event.type) {
      case 'text-delta': {
        const piece = text.push(event.text);
        if (piece !== '') out.push({ type: 'text-delta', text: piece });
        break;
      }
      case 'thinking-delta':
        received += event.text;
        pushThinking(thinking.push(event.text), out);
        break;
      case 'thinking-end': {
        // A signature is only valid for the original text; the provider would reject it for a masked one.
        const isOriginal = received === passed && maskKeysInJson(event, keys) === event;
        out.push(isOriginal ? event : { type: 'thinking-end' });
        [received, passed] = ['', ''];
        break;
      }
      case 'tool-use-start':
        out.push(maskKeysInJson(event, keys));
        break;
      case 'tool-use-delta':
        // Arguments are collected and passed on at once, so that a key in them is not split.
        calls.set(event.index, (calls.get(event.index) ?? '') + event.json);
        break;
      case 'tool-use-end':
        endCall(event.index, out);
        // The sentence about malformed arguments may quote them.
        out.push(maskKeysInJson(event, keys));
        break;
      case 'end':
      case 'error':
        for (const index of [...calls.keys()]) endCall(index, out);
        out.push(event);
        break;
      default:
        out.push(event);
    }
    return out;
  };
}
