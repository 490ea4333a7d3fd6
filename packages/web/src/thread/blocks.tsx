/** The blocks of a message: text, thinking, tool cards, images, files, and unknown ones. */

import { type LiveToolCall, toHttpProblem } from '@coppice/client';
import { blockDefinitionOf, type FileBlock, type ImageBlock, isKnownBlock } from '@coppice/content';
import { type Block, isText, isToolUse, type Message, type Node, type ToolUseBlock } from '@coppice/core';
import { createContext, type ReactElement, useContext, useState, useSyncExternalStore } from 'react';
import { formatBytes, t } from '../i18n/index.ts';
import { toExcerpt } from '../markdown/excerpt.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { api } from '../state/page-client.ts';
import { showError } from '../state/tree-actions.ts';
import { useOptionalSession } from '../state/use-session.ts';
import { Icon } from '../ui/icon.tsx';
import { formatFileKind } from './file-kind.ts';
import { isAttachmentBlock, ToolCard } from './tool-card.tsx';

interface BlockViewProps {
  readonly block: Block;
  /** The results of the message's tool calls, by call. */
  readonly results?: ReadonlyMap<string, Node>;
  /** Whether tool results are unfolded initially. */
  readonly open?: boolean;
}

/** The blocks of a message without an element around them: a column of the comparison joins several messages. */
export function MessageBlocks({
  message,
  results,
}: {
  readonly message: Message;
  readonly results: ReadonlyMap<string, Node>;
}): ReactElement {
  const blocks = message.content.map((block, index) => ({ block, index }));
  return (
    <>
      {blocks.map(({ block, index }) => (
        <BlockView key={index} block={block} results={results} />
      ))}
    </>
  );
}

/** One block of a message. A block of an unknown type is shown as a chip with its text. */
export function BlockView({ block, results, open = false }: BlockViewProps): ReactElement | null {
  if (isText(block)) return block.text.trim() === '' ? null : <Markdown text={block.text} />;
  if (isToolUse(block)) return <ToolCallView block={block} result={results?.get(block.id)} open={open} />;
  if (isKnownBlock(block)) {
    if (block.type === 'thinking') return <ThinkingView text={block.thinking} />;
    if (block.type === 'image') return <ImageView block={block} />;
    if (block.type === 'file') return <FileView block={block} />;
  }
  return (
    <p className="chip unknown-block">
      <Icon name="layers" />
      {t('unknownBlock', { type: block.type })} {blockDefinitionOf(block).toText(block).slice(0, 200)}
    </p>
  );
}

function isFailed(node: Node | undefined): boolean {
  const source = node?.meta.source;
  if (source === undefined) return false;
  // Coppice stores the code of the error; imports keep the field of their program.
  return (
    typeof source.error === 'string' ||
    source.isError === true ||
    source.is_error === true ||
    source.outcome === 'error'
  );
}

const noCalls: ReadonlyMap<string, LiveToolCall> = new Map();
const nothingChanges = () => () => undefined;

/** A tool call with its state: in an open tree it may be running or waiting for approval. */
function ToolCallView({
  block,
  result,
  open,
}: {
  readonly block: ToolUseBlock;
  readonly result: Node | undefined;
  readonly open: boolean;
}): ReactElement {
  // A shared branch has tool cards too, but no open tree.
  const session = useOptionalSession();
  const store = session?.store;
  const calls = useSyncExternalStore(store?.subscribe ?? nothingChanges, () => store?.getState().calls ?? noCalls);
  const call = result === undefined ? calls.get(block.id) : undefined;
  const returned = result?.message?.content ?? [];
  const attached = returned.map((item, at) => ({ item, at })).filter(({ item }) => isAttachmentBlock(item));
  return (
    <ToolCard
      name={block.name}
      parameters={block.parameters}
      result={result?.message ?? null}
      attached={attached.length === 0 ? null : attached.map(({ item, at }) => <BlockView key={at} block={item} />)}
      failed={isFailed(result)}
      open={open}
      state={call?.state ?? 'none'}
      onDecide={(approve, remember) => {
        if (call === undefined || session === null) return;
        session.replies.setCall(block.id, { ...call, state: 'running' });
        api.approve(call.actId, block.id, approve, remember).catch((thrown) => showError(toHttpProblem(thrown)));
      }}
    />
  );
}

/** The thinking of a model, folded to its first words. */
export function ThinkingView({
  text,
  live = false,
}: {
  readonly text: string;
  readonly live?: boolean;
}): ReactElement | null {
  const [open, setOpen] = useState(false);
  if (text.trim() === '' && !live) return null;
  return (
    <div className="thinking">
      <button type="button" className="fold" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="think" />
        <b>{live ? t('thinkingNow') : t('thought')}</b>
        <span className="peek grow">{open ? '' : toExcerpt(text, 160)}</span>
        <Icon name={open ? 'down' : 'right'} />
      </button>
      {open ? (
        <div className="thought">
          <Markdown text={text} growing={live} />
        </div>
      ) : null}
    </div>
  );
}

/** The base URL of attachments; on a share page it is below the link. */
export const AttachmentsContext = createContext('/api/attachments');

function useAttachment(source: ImageBlock['source'] | FileBlock['source']): string | null {
  const place = useContext(AttachmentsContext);
  return source.type === 'blob' && /^[0-9a-f]{64}$/.test(source.hash) ? `${place}/${source.hash}` : null;
}

const shownImages = /^image\/(?:png|jpeg|gif|webp|avif)$/i;

function ImageView({ block }: { readonly block: ImageBlock }): ReactElement {
  const own = useAttachment(block.source);
  const type = block.mediaType ?? '';
  if (own !== null && shownImages.test(type)) return <Picture address={own} />;
  if (block.source.type === 'base64' && shownImages.test(type))
    return <Picture address={`data:${type.toLowerCase()};base64,${block.source.data}`} />;
  return (
    <Markdown
      text={block.source.type === 'url' ? `![](<${block.source.url.replace(/[<>\n]/g, '')}>)` : t('imageElsewhere')}
    />
  );
}

/** An image as a thumbnail, which a click enlarges. */
function Picture({ address }: { readonly address: string }): ReactElement {
  const [isLarge, setLarge] = useState(false);
  return (
    <button
      type="button"
      className={isLarge ? 'picture-button large' : 'picture-button'}
      aria-expanded={isLarge}
      aria-label={t(isLarge ? 'shrinkImage' : 'enlargeImage')}
      onClick={() => setLarge(!isLarge)}
    >
      <img className="picture" src={address} alt={t('attachedImage')} loading="lazy" />
    </button>
  );
}

function FileView({ block }: { readonly block: FileBlock }): ReactElement {
  const own = useAttachment(block.source);
  const size = block.source.type === 'blob' && block.source.size !== undefined ? formatBytes(block.source.size) : '';
  const inside = (
    <>
      <Icon name="clip" />
      <span className="clip">{block.name}</span>
      <span className="dim num">
        {formatFileKind(block.name, block.mediaType)}
        {size === '' ? '' : `, ${size}`}
      </span>
    </>
  );
  if (own === null) return <span className="file-chip">{inside}</span>;
  return (
    <a className="file-chip" href={own} download={block.name}>
      {inside}
    </a>
  );
}
