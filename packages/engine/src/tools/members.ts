export { currentDate } from './current-date/index.ts';
export { introspect } from './introspect/index.ts';
