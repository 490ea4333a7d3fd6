export {
  addFigures,
  type RecordedSession,
  RecordedWork,
  type RecordedWorkPage,
  type RecordedWorkQuery,
  recordedTag,
  sideCallsFormat,
  sumSessionFigures,
  type WorkFigures,
  zeroFigures,
} from './recorded-work.ts';
