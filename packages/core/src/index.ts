export * from './errors.ts';
export * from './ids.ts';
export * from './message.ts';
export * from './node.ts';
