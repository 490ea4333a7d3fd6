/** Replaces configured keys in what a model says before anything of it is stored or shown. */
import { createKeyFilter, replaceKeys, replaceKeysIn } from '../config/mask-keys.ts';
import type { ProviderEvent } from '../providers/contract.ts';

/** Turns each event into those that may be passed on; text that may be the beginning of a key waits for the next one. */
export type ReplyMask = (event: ProviderEvent) => readonly ProviderEvent[];

/** Makes a mask for one reply; null where there is no key to replace. */
export function createReplyMask(keys: readonly string[]): ReplyMask | null {
  if (keys.length === 0) return null;
  const [text, thinking] = [createKeyFilter(keys), createKeyFilter(keys)];
  const calls = new Map<number, string>();
  let [received, passed] = ['', ''];
  const flushText = (out: ProviderEvent[]) => {
    const rest = text.end();
    if (rest !== '') out.push({ type: 'text-delta', text: rest });
  };
  const think = (piece: string, out: ProviderEvent[]) => {
    passed += piece;
    if (piece !== '') out.push({ type: 'thinking-delta', text: piece });
  };
  const endCall = (index: number, out: ProviderEvent[]) => {
    const json = replaceKeys(calls.get(index) ?? '', keys);
    calls.delete(index);
    if (json !== '') out.push({ type: 'tool-use-delta', index, json });
  };
  return (event) => {
    const out: ProviderEvent[] = [];
    if (event.type !== 'text-delta') flushText(out);
    if (event.type !== 'thinking-delta') think(thinking.end(), out);
    switch (event.type) {
      case 'text-delta': {
        const piece = text.push(event.text);
        if (piece !== '') out.push({ type: 'text-delta', text: piece });
        break;
      }
      case 'thinking-delta':
        received += event.text;
        think(thinking.push(event.text), out);
        break;
      case 'thinking-end': {
        // A signature proves the text as it was, so one of a changed text would only be refused.
        out.push(received === passed ? event : { type: 'thinking-end' });
        [received, passed] = ['', ''];
        break;
      }
      case 'tool-use-start':
        out.push({ ...event, name: replaceKeys(event.name, keys) });
        break;
      case 'tool-use-delta':
        // Arguments are used as a whole only: as one piece, no key in them is cut.
        calls.set(event.index, (calls.get(event.index) ?? '') + event.json);
        break;
      case 'tool-use-end':
        endCall(event.index, out);
        out.push({ ...event, parameters: replaceKeysIn(event.parameters, keys) });
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
