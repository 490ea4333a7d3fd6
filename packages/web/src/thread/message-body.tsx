/** The content of a message: its blocks, or its reply while the model generates it. */
import type { LiveReply, LiveRetry } from '@coppice/client';
import type { Node } from '@coppice/core';
import { MessageContent } from '@coppice/react';
import { type ReactElement, useEffect, useState } from 'react';
import { t } from '../i18n/index.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { PlainText } from '../markdown/plain.tsx';
import { PreviewContext } from '../markdown/preview-context.ts';
import { useUi } from '../state/ui.ts';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { BlockView, ThinkingView } from './blocks.tsx';
import { plainTextOf, type ThreadRow } from './rows.ts';
import { SourceLetters } from './source-chips.tsx';

interface MessageBodyProps {
  readonly row: ThreadRow;
  readonly live: LiveReply | null;
  /** Whether tool results are unfolded initially. */
  readonly open: boolean;
}

/** The content of a row. Blocks that cannot be rendered are replaced by the plain text of the message. */
export function MessageBody({ row, live, open }: MessageBodyProps): ReactElement {
  const { node, results } = row;
  return (
    <ErrorBoundary of={node.message} fallback={<PlainBody text={node.text} />}>
      <PreviewContext value={(code) => void showPreview(node, code)}>
        <SourceLetters node={node}>
          <MessageContent
            className="body"
            node={node}
            reply={node.status === 'pending' ? live : null}
            renderBlock={(block) => <BlockView block={block} results={results} open={open} />}
            renderReply={(reply) => <ReplyInProgress node={node} reply={reply} />}
          />
        </SourceLetters>
      </PreviewContext>
    </ErrorBoundary>
  );
}

function PlainBody({ text }: { readonly text: string }): ReactElement {
  return (
    <div className="body">
      <PlainText text={text} />
    </div>
  );
}

async function showPreview(node: Node, code: string): Promise<void> {
  const { findPreviewableCode } = await import('../preview/previewable.ts');
  const index = findPreviewableCode(node.message).findIndex((block) => block.code === code);
  useUi.setState({ preview: { nodeId: node.id, index: Math.max(0, index) } });
}

/** The text of a reply so far. A continued reply has text already, and new text is appended to it. */
function ReplyInProgress({ node, reply }: { readonly node: Node; readonly reply: LiveReply | null }): ReactElement {
  const before = plainTextOf(node.message);
  const text = reply === null ? before : reply.text.startsWith(before) ? reply.text : before + reply.text;
  return (
    <>
      {reply !== null && reply.thinking !== '' ? <ThinkingView text={reply.thinking} live={text === ''} /> : null}
      {reply?.retry === undefined ? null : <RetryLine retry={reply.retry} />}
      <Markdown text={text} growing />
      <span className="caret" role="presentation" />
    </>
  );
}

/** Shows why a reply waits: the provider's error, the time of the next attempt, and the number of attempts. */
function RetryLine({ retry }: { readonly retry: LiveRetry }): ReactElement {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const { code, attempt, retries, at } = retry;
  const reason =
    code === 'provider/rate-limited'
      ? t('retryRateLimited')
      : code === 'provider/overloaded'
        ? t('retryOverloaded')
        : t('retryFailed');
  const left = Math.max(0, Math.ceil((at - now) / 1000));
  return (
    <p className="retry-line" title={retry.message}>
      {reason} {t('retryWhen', { n: left, attempt, retries })}
    </p>
  );
}
