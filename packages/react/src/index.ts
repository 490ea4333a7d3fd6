/// <reference lib="dom" />
/** React hooks and unstyled components for an open tree. */
export { Composer, type ComposerProps } from './components/composer.tsx';
export {
  MessageContent,
  type MessageContentNode,
  type MessageContentProps,
  type RenderBlock,
} from './components/message-content.tsx';
export { Outline, type OutlineListProps, type OutlineProps } from './components/outline.tsx';
export { Thread, ThreadMessage, type ThreadMessageProps, type ThreadProps } from './components/thread.tsx';
export { TreeMap, type TreeMapProps } from './components/tree-map.tsx';
export { type VariantButton, VariantSwitcher, type VariantSwitcherProps } from './components/variant-switcher.tsx';
export * from './hooks.ts';
export { englishLabels, type Labels, LabelsContext, useLabels } from './labels.ts';
export type { OutlineItem, OutlineOptions } from './outline-items.ts';
