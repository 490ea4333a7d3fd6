import { type LoadedBranch, shownPath } from '@coppice/client';
import type { Node, NodeId } from '@coppice/core';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { t } from '../i18n/index.ts';
import { CodeText } from '../markdown/code.tsx';
import { nameOfCodeLanguage, suggestCodeFileName } from '../markdown/code-names.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { pageHost } from '../state/page-host.ts';
import { closePreview, useUi } from '../state/ui.ts';
import { useTree } from '../state/use-session.ts';
import { VariantSwitch } from '../thread/variant-switch.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { downloadText } from '../ui/download-file.ts';
import { Icon } from '../ui/icon.tsx';
import { buildPreviewDocument, findPreviewableCode, type PreviewableCode, previewTitleOf } from './previewable.ts';

/** Finds the message on the shown branch that is a variant of the given one, or the given one itself. */
function shownVersion(part: LoadedBranch, id: NodeId): Node | null {
  const path = shownPath(part);
  const parent = part.nodes.get(id)?.parentId ?? null;
  return (
    path.find((node) => node.id === id) ?? path.find((node) => parent !== null && node.parentId === parent) ?? null
  );
}

type PreviewMode = 'preview' | 'code';

/** The preview of a code block next to the thread. It follows the variants of its message. */
export function PreviewPane(): ReactElement | null {
  const preview = useUi((ui) => ui.preview);
  const part = useTree((state) => state.part);
  const [mode, setMode] = useState<PreviewMode>('preview');
  const [reloads, setReloads] = useState(0);
  const node = preview === null || part === null ? null : shownVersion(part, preview.nodeId);
  const blocks = node === null || node.status === 'pending' ? [] : findPreviewableCode(node.message);
  const shown = preview === null ? undefined : (blocks[preview.index] ?? blocks.at(-1));
  const pane = useRef<HTMLElement>(null);
  const opened = preview !== null;
  useEffect(() => {
    if (opened) pane.current?.focus();
  }, [opened]);
  if (preview === null || part === null) return null;
  const title =
    (shown === undefined ? null : (previewTitleOf(shown) ?? nameOfCodeLanguage(shown.info.language))) ?? t('preview');
  return (
    <aside
      ref={pane}
      className="preview-pane"
      aria-label={t('preview')}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        closePreview();
      }}
    >
      <div className="bar">
        <h2 className="clip grow">{title}</h2>
        {node === null ? null : <VariantSwitch nodeId={node.id} />}
        <ModeSwitch mode={mode} onChange={setMode} />
        {shown === undefined ? null : (
          <>
            <CopyButton text={shown.code} label={t('copyCode')} />
            <IconButton
              icon="import"
              label={t('saveFile')}
              onClick={() => downloadText(shown.code, suggestCodeFileName(shown.info))}
            />
          </>
        )}
        <IconButton icon="x" label={`${t('closePreview')} (Esc)`} onClick={closePreview} />
      </div>
      <div className="preview-box">
        <PreviewedBlock shown={shown} mode={mode} title={title} reloads={reloads} />
      </div>
      <div className="preview-foot">
        <Icon name="info" />
        <span className="grow">{t('runsInSandbox')}</span>
        <Button small look="quiet" icon="again" onClick={() => setReloads(reloads + 1)}>
          {t('reloadPreview')}
        </Button>
      </div>
    </aside>
  );
}

function ModeSwitch({
  mode,
  onChange,
}: {
  readonly mode: PreviewMode;
  readonly onChange: (mode: PreviewMode) => void;
}): ReactElement {
  return (
    <div className="seg">
      <button type="button" aria-pressed={mode === 'preview'} onClick={() => onChange('preview')}>
        <Icon name="eye" />
        {t('preview')}
      </button>
      <button type="button" aria-pressed={mode === 'code'} onClick={() => onChange('code')}>
        <Icon name="code" />
        {t('code')}
      </button>
    </div>
  );
}

interface PreviewedBlockProps {
  readonly shown: PreviewableCode | undefined;
  readonly mode: PreviewMode;
  readonly title: string;
  /** Incremented to load the document again. */
  readonly reloads: number;
}

/** The code of a block, its rendered Markdown, or its document in a sandbox. */
function PreviewedBlock({ shown, mode, title, reloads }: PreviewedBlockProps): ReactElement {
  if (shown === undefined) return <p className="dim">{t('nothingToPreview')}</p>;
  if (mode === 'code')
    return (
      <div className="code">
        <CodeText code={shown.code} language={shown.info.language} wrapped />
      </div>
    );
  if (shown.kind === 'markdown')
    return (
      <div className="body preview-text">
        <Markdown text={shown.code} />
      </div>
    );
  return <SandboxFrame key={`${reloads} ${shown.code}`} of={shown} title={title} />;
}

/** A frame without an origin, network or access to the page; it gets its document after it has loaded. */
function SandboxFrame({ of, title }: { readonly of: PreviewableCode; readonly title: string }): ReactElement {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const send = (event: MessageEvent) => {
      const target = frame.current?.contentWindow;
      if (target === null || target === undefined || event.source !== target || event.data !== 'ready') return;
      target.postMessage({ html: buildPreviewDocument(of) }, '*');
    };
    addEventListener('message', send);
    return () => removeEventListener('message', send);
  }, [of]);
  return (
    <iframe
      ref={frame}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      src={`${pageHost.files}/frames/preview.html`}
      title={t('previewOf', { name: title })}
    />
  );
}
