export { currentDateTool } from './current-date/index.ts';
export { introspectTool } from './introspect/index.ts';
