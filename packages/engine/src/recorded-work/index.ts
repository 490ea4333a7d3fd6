export {
  addFigures,
  noWork,
  type RecordedSession,
  RecordedWork,
  type RecordedWorkPage,
  type RecordedWorkQuery,
  recordedTag,
  sideCallsFormat,
  sumOfSession,
  type WorkFigures,
} from './recorded-work.ts';
