import { loadedPath } from '@coppice/client';
import { type ReactElement, type ReactNode, useRef, useState } from 'react';
import { useNextContext } from '../context/use-next-context.ts';
import { formatCompact, t } from '../i18n/index.ts';
import { PresetMenu } from '../library/preset-menu.tsx';
import { ModelMenu } from '../models/model-menu.tsx';
import { formatOptionsLabel, OptionsPanel } from '../models/options-panel.tsx';
import { SaveAsPreset } from '../models/save-as-preset.tsx';
import { chooseModels, currentModels, missingModels, useAppData } from '../state/app-data.ts';
import { navigateTo, treeRoute } from '../state/router.ts';
import { useUi } from '../state/ui.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { ModelName, nameOfModel } from '../ui/model-name.tsx';
import { Popover } from '../ui/popover.tsx';
import { DictateButton } from './dictate-button.tsx';

/** The controls below the text: models, preset, options, context gauge, files. */
export function ComposerTray({
  optionsKnown,
  onFiles,
  onDictated,
  children,
}: {
  readonly optionsKnown: boolean;
  readonly onFiles: (files: Iterable<File>) => void;
  /** Adds dictated words to the text. */
  readonly onDictated: (words: string) => void;
  /** Additional controls between options and files, such as the gauge of an open chat. */
  readonly children?: ReactNode;
}): ReactElement {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <ModelPill disabled={!optionsKnown} />
      <PresetMenu disabled={!optionsKnown} />
      <OptionsPill disabled={!optionsKnown} />
      <span className="grow" />
      {children}
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          if (event.target.files !== null) onFiles([...event.target.files]);
          event.target.value = '';
        }}
      />
      <DictateButton onText={onDictated} />
      <IconButton icon="clip" label={t('attach')} onClick={() => input.current?.click()} />
    </>
  );
}

/** The first model of the next reply. Choosing another model keeps the further models of the chat. */
function ModelPill({ disabled }: { readonly disabled: boolean }): ReactElement {
  const models = currentModels(useAppData());
  const [first] = models;
  const others = models.length > 1 ? ` +${models.length - 1}` : '';
  return (
    <ModelMenu
      chosen={first ?? null}
      onPick={(id) => chooseModels([id, ...models.slice(1).filter((each) => each !== id)])}
      trigger={
        <button
          type="button"
          className="pill"
          disabled={disabled}
          aria-label={first === undefined ? t('chooseModel') : `${t('modelIs', { name: first })}${others}`}
        >
          {first === undefined ? t('chooseModel') : <ModelName model={first} />}
          {others === '' ? null : <span className="num">{others}</span>}
          <Icon name="down" size={13} />
        </button>
      }
    />
  );
}

/** Says that a chosen model is gone, for example with its provider, and which model replies in its place. */
export function MissingModelNote(): ReactElement | null {
  const lists = useAppData();
  const [missing] = missingModels(lists);
  const [model] = currentModels(lists);
  if (missing === undefined || model === undefined) return null;
  return (
    <p className="option-warning" role="status">
      <Icon name="warn" />
      <span>{t('modelMissing', { name: nameOfModel(missing), model: nameOfModel(model) })}</span>
    </p>
  );
}

/** The button that opens the options; it shows how many of them are changed. */
function OptionsPill({ disabled }: { readonly disabled: boolean }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const label = formatOptionsLabel(useAppData());
  const named = label.startsWith(t('options')) ? label : `${t('options')}: ${label}`;
  return (
    <Popover
      label={t('chatOptions')}
      open={isOpen}
      onOpenChange={setOpen}
      className="options-box"
      trigger={
        <button type="button" className="pill" disabled={disabled} aria-label={named}>
          <Icon name="sliders" />
          <span className="desk-only">{label}</span>
        </button>
      }
    >
      <OptionsPanel onClose={() => setOpen(false)} foot={<SaveAsPreset />} />
    </Popover>
  );
}

interface ContextGaugeProps {
  /** The tokens of the message in the composer, with its files. */
  readonly draftTokens: number;
  /** On phones the gauge is above the text, where there is space. */
  readonly className: 'desk-only' | 'phone-only';
}

/**
 * Shows how much of the context window the branch and the draft use: by the server's count or, until that is loaded, by
 * the loaded messages.
 */
export function ContextGauge({ draftTokens, className }: ContextGaugeProps): ReactElement {
  const model = useAppData((lists) => currentModels(lists)[0] ?? null);
  const session = useSession();
  const window = useAppData((lists) => {
    const chosen = lists.models.find((each) => each.id === model);
    return chosen?.windowKnown === true ? chosen.window : null;
  });
  const onBranch = useTree((state) => {
    if (state.weight !== null) return state.weight;
    if (state.part === null) return 0;
    let tokens = 0;
    for (const node of loadedPath(state.part)) if (node.meta.excluded !== true) tokens += node.tokens;
    return tokens;
  });
  const used = onBranch + draftTokens;
  // If the context window is unknown, only the size is shown, without a bar.
  const known = window !== null && window > 0;
  const full = known && used > window;
  return (
    <button
      type="button"
      className={`pill num ${className}${full ? ' full' : ''}`}
      title={full ? t('windowFull', { used, window }) : t('whatModelSees')}
      onClick={() => navigateTo(treeRoute(session.treeId, { screen: 'context' }))}
    >
      {formatCompact(used)}
      {known ? (
        <>
          <span className="gauge">
            <i style={{ width: `${Math.max(2, Math.min(1, used / window) * 100)}%` }} />
          </span>
          {formatCompact(window)}
        </>
      ) : null}
    </button>
  );
}

/** Requests the size of the branch, unless the panel already does, so that a long branch is counted only once. */
export function ContextSizeLoader(): ReactElement | null {
  const reported = useUi((ui) => ui.panelShown && ui.panel !== 'history');
  return reported ? null : <BranchSizeRequest />;
}

function BranchSizeRequest(): null {
  useNextContext(0);
  return null;
}
