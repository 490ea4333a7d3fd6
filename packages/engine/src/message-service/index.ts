/** The public names of the message service. */

export { type CreateMessageRequest, type CreateRepliesRequest, MessageService } from './message-service.ts';
export * from './shapes.ts';
export { TemporaryChatService, type TemporaryTreeStorage } from './temporary-chat-service.ts';
export { type DuplicateTopicRequest, TopicService } from './topic-service.ts';
