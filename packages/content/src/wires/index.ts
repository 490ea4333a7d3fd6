/** The wires of model providers, read and written without I/O. Whoever calls, records or imports calls uses these. */
export {
  EventTooLarge,
  type Framing,
  jsonOfEvent,
  lineFraming,
  readSse,
  sseFraming,
  type WireEvent,
} from './sse.ts';
