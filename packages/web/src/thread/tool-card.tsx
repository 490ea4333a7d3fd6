import { isKnownBlock } from '@coppice/content';
import { type Block, isText, type Message } from '@coppice/core';
import { type ReactElement, type ReactNode, useState } from 'react';
import { t } from '../i18n/index.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { useScrollable } from '../ui/use-scrollable.ts';

interface ToolCardProps {
  readonly name: string;
  readonly parameters: unknown;
  readonly result: Message | null;
  /** The images and files of the result, which are shown below its text. */
  readonly attached?: ReactNode;
  readonly failed?: boolean;
  readonly open?: boolean;
  readonly state?: 'running' | 'waiting' | 'none';
  readonly onDecide?: (approve: boolean, remember: boolean) => void;
}

const longest = 20_000;

/** Formats arguments: as one line if there is a single text, else as JSON. */
function argumentsText(parameters: unknown): string {
  if (typeof parameters !== 'object' || parameters === null) return String(parameters ?? '');
  const values = Object.values(parameters);
  if (values.length === 0) return '';
  if (values.length === 1 && typeof values[0] === 'string') return values[0];
  return JSON.stringify(parameters, null, 2) ?? '';
}

function toolResultText(message: Message, isAttached: boolean): string {
  const parts: string[] = [];
  for (const block of message.content) {
    if (isText(block)) parts.push(block.text);
    else if (!isAttached || !isAttachmentBlock(block)) parts.push(`[${block.type}]`);
  }
  return parts.join('\n');
}

/** Whether a block of a tool result is an image or a file, not text. */
export function isAttachmentBlock(block: Block): boolean {
  return isKnownBlock(block) && (block.type === 'image' || block.type === 'file');
}

function shortenText(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}\n…` : text;
}

/** A tool call: its name, arguments and result, and buttons while it waits for approval. */
export function ToolCard({
  name,
  parameters,
  result,
  attached = null,
  failed = false,
  open = false,
  state = 'none',
  onDecide,
}: ToolCardProps): ReactElement {
  const [shown, setShown] = useState(open);
  const inScrolls = useScrollable<HTMLPreElement>();
  const outScrolls = useScrollable<HTMLPreElement>();
  const given = argumentsText(parameters);
  const visible = shown || state === 'waiting';
  const returned = result === null ? '' : toolResultText(result, attached !== null);
  return (
    <section className="tool" aria-label={t('toolCall', { name })}>
      <header>
        <Icon name="tool" />
        <span className="name">{name}</span>
        <ToolOutcome state={state} done={result !== null} failed={failed} />
        <IconButton
          icon={visible ? 'down' : 'right'}
          label={visible ? t('fold') : t('unfold')}
          aria-expanded={visible}
          onClick={() => setShown(!shown)}
        />
      </header>
      {visible && given !== '' ? <pre ref={inScrolls}>{shortenText(given)}</pre> : null}
      {visible && (returned !== '' || (result !== null && attached === null)) ? (
        <pre ref={outScrolls}>{shortenText(returned)}</pre>
      ) : null}
      {visible && attached !== null ? <div className="tool-files">{attached}</div> : null}
      {state === 'waiting' && onDecide !== undefined ? (
        <div className="row ask-row">
          <span className="grow dim">{t('toolAsks')}</span>
          <Button small look="quiet" onClick={() => onDecide(false, false)}>
            {t('refuse')}
          </Button>
          <Button small onClick={() => onDecide(true, true)}>
            {t('allowAlways')}
          </Button>
          <Button small look="primary" onClick={() => onDecide(true, false)}>
            {t('allowOnce')}
          </Button>
        </div>
      ) : null}
    </section>
  );
}

function ToolOutcome({
  state,
  done,
  failed,
}: {
  readonly state: 'running' | 'waiting' | 'none';
  readonly done: boolean;
  readonly failed: boolean;
}): ReactElement {
  if (state === 'waiting')
    return (
      <span className="grow">
        <span className="chip warm">{t('changesThings')}</span>
      </span>
    );
  if (failed)
    return (
      <span className="ok bad grow">
        <Icon name="x" />
        {t('toolFailed')}
      </span>
    );
  if (done)
    return (
      <span className="ok grow">
        <Icon name="check" />
        {t('toolDone')}
      </span>
    );
  return <span className="grow dim">{state === 'running' ? t('toolRunning') : t('toolUnanswered')}</span>;
}
