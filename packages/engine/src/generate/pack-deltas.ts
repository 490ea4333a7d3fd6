import type { EventPacking } from './broadcast.ts';
import type { TurnEvent } from './contract.ts';

/** Packs consecutive text deltas of one reply as strings, which need less memory than event objects. */
export const deltaPacking: EventPacking<TurnEvent> = {
  pack(before, event) {
    if (event.type !== 'text-delta' || before.type !== 'text-delta' || event.nodeId !== before.nodeId) return null;
    return event.offset === before.offset + before.text.length ? event.text : null;
  },
  unpack(before, text) {
    if (before.type !== 'text-delta') throw new TypeError(`A text does not go on from ${before.type}.`);
    return { type: 'text-delta', nodeId: before.nodeId, offset: before.offset + before.text.length, text };
  },
};
