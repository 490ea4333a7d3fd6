import { type ReactElement, useRef } from 'react';
import { useContextAnswer } from '../context/use-context-answer.ts';
import { formatCompact, t, tn } from '../i18n/index.ts';
import { chooseModels, modelsNow, switchTools, useAppData } from '../state/app-data.ts';
import { pathToNode } from '../state/loaded-branch.ts';
import { navigateTo, treePlace } from '../state/router.ts';
import { useUi } from '../state/ui.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu, MenuItem, MenuLine } from '../ui/menu.tsx';
import { ModelName } from '../ui/model-name.tsx';

/** What stands below the text: models, how many, how warm, how full the window is, files. */
export function ComposerTray({
  draftTokens,
  onFiles,
}: {
  /** What the message in the composer takes, with its files. */
  readonly draftTokens: number;
  readonly onFiles: (files: Iterable<File>) => void;
}): ReactElement {
  const models = useAppData((lists) => lists.models);
  const chosen = useAppData((lists) => lists.chosen);
  const defaultModel = useAppData((lists) => lists.defaultModel);
  const n = useAppData((lists) => lists.n);
  const temperature = useAppData((lists) => lists.temperature);
  const tools = useAppData((lists) => lists.tools.length);
  const toolsOn = useAppData((lists) => lists.toolsOn);
  const now = modelsNow({ models, chosen, defaultModel });
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      {now.map((id) => (
        <Menu
          key={id}
          align="start"
          trigger={
            <button type="button" className="pill" aria-label={t('modelIs', { name: id })}>
              <ModelName model={id} />
              <Icon name="down" size={13} />
            </button>
          }
        >
          {models.map((model) => (
            <MenuItem
              key={model.id}
              checked={model.id === id}
              onSelect={() => chooseModels(now.map((each) => (each === id ? model.id : each)))}
            >
              <ModelName model={model.id} /> <span className="dim">{model.provider}</span>
            </MenuItem>
          ))}
          {now.length > 1 ? (
            <>
              <MenuLine />
              <MenuItem icon="x" onSelect={() => chooseModels(now.filter((each) => each !== id))}>
                {t('removeModel')}
              </MenuItem>
            </>
          ) : null}
        </Menu>
      ))}
      <Menu
        align="start"
        trigger={
          <button type="button" className="pill desk-only">
            <Icon name="plus" />
            {t('addModel')}
          </button>
        }
      >
        {models
          .filter((model) => !now.includes(model.id))
          .map((model) => (
            <MenuItem key={model.id} onSelect={() => chooseModels([...now, model.id])}>
              <ModelName model={model.id} /> <span className="dim">{model.provider}</span>
            </MenuItem>
          ))}
      </Menu>
      <Menu
        align="start"
        trigger={
          <button type="button" className="pill desk-only">
            <Icon name="sliders" />
            {n > 1 ? tn('howMany', n) : t('options')}
          </button>
        }
      >
        {[1, 2, 3, 4, 5].map((count) => (
          <MenuItem key={count} checked={count === n} onSelect={() => useAppData.setState({ n: count })}>
            {t('replies', { n: count })}
          </MenuItem>
        ))}
        <MenuLine />
        {[null, 0, 0.3, 0.7, 1, 1.3].map((warmth) => (
          <MenuItem
            key={String(warmth)}
            checked={warmth === temperature}
            onSelect={() => useAppData.setState({ temperature: warmth })}
          >
            {warmth === null ? t('temperatureDefault') : t('temperatureIs', { value: String(warmth) })}
          </MenuItem>
        ))}
        {tools > 0 ? (
          <>
            <MenuLine />
            <MenuItem icon="tool" checked={toolsOn} onSelect={() => switchTools(!toolsOn)}>
              {t('toolsOn')}
            </MenuItem>
          </>
        ) : null}
      </Menu>
      <span className="grow" />
      <ContextGauge model={now[0] ?? null} draftTokens={draftTokens} />
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
      <IconButton icon="clip" label={t('attach')} onClick={() => input.current?.click()} />
    </>
  );
}

/**
 * How much of the window the branch and the message in the composer take: as the server weighs the branch, and until then
 * by what is loaded of it.
 */
function ContextGauge({
  model,
  draftTokens,
}: {
  readonly model: string | null;
  readonly draftTokens: number;
}): ReactElement | null {
  const session = useSession();
  const window = useAppData((lists) => {
    const chosen = lists.models.find((each) => each.id === model);
    return chosen?.windowKnown === true ? chosen.window : null;
  });
  // The panel asks for the same: a long branch is weighed once.
  const reported = useUi((ui) => ui.panelShown && ui.panel !== 'history');
  const onBranch = useTree((state) => {
    if (state.weight !== null) return state.weight;
    if (state.part === null) return 0;
    let tokens = 0;
    for (const node of pathToNode(state.part)) if (node.meta.excluded !== true) tokens += node.tokens;
    return tokens;
  });
  const used = onBranch + draftTokens;
  // Without a known window there is no bar to fill, but how much is sent can still be said.
  const known = window !== null && window > 0;
  const full = known && used > window;
  return (
    <>
      {reported ? null : <Weighing />}{' '}
      <button
        type="button"
        className={full ? 'pill num desk-only full' : 'pill num desk-only'}
        title={full ? t('windowFull', { used, window }) : t('whatModelSees')}
        onClick={() => navigateTo(treePlace(session.treeId, { screen: 'context' }))}
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
    </>
  );
}

/** Has the branch weighed where nothing else on the screen does. */
function Weighing(): null {
  useContextAnswer(0);
  return null;
}
