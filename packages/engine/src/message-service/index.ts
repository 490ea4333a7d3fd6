/** The public names of the message service. */

export { type CreateMessage, type CreateReplies, MessageService } from './message-service.ts';
export * from './shapes.ts';
export { TemporaryChatService, type TemporaryTreeKeeper } from './temporary-chat-service.ts';
export { type DuplicateTopic, TopicService } from './topic-service.ts';
