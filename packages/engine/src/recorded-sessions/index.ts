export {
  addCallTotals,
  type CallTotals,
  type RecordedSession,
  type RecordedSessionPage,
  type RecordedSessionQuery,
  RecordedSessionReader,
  recordedTag,
  sideCallsFormat,
  sumSessionTotals,
  zeroCallTotals,
} from './recorded-sessions.ts';
