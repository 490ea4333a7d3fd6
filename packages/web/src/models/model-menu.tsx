import type { ModelView } from '@coppice/client';
import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react';
import { formatCompact, formatNumber, t } from '../i18n/index.ts';
import { toggleFavourite, useAppData } from '../state/app-data.ts';
import { loadConnections, openConnectionForm, useConnections } from '../state/connections.ts';
import { Button } from '../ui/button.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { isInputMethodKey } from '../ui/input-method.ts';
import { ModelName } from '../ui/model-name.tsx';
import { Popover } from '../ui/popover.tsx';
import { useArrowKeys } from '../ui/use-arrow-keys.ts';
import { groupModels } from './model-groups.ts';

interface ModelMenuProps {
  readonly trigger: ReactElement;
  /** The selected model; null in a menu that adds a model. */
  readonly chosen: string | null;
  readonly onPick: (id: string) => void;
  /** A further button above the models; using it closes the menu. */
  readonly also?: { readonly icon: IconName; readonly label: string; run(): void } | undefined;
  /** Models that the menu leaves out. */
  readonly without?: readonly string[];
}

/** The menu of models: a filter, favourites, ready models with window and price, and providers that need a key. */
export function ModelMenu({ trigger, chosen, onPick, also, without = [] }: ModelMenuProps): ReactElement {
  const [open, setOpen] = useState(false);
  return (
    <Popover trigger={trigger} label={t('models')} open={open} onOpenChange={setOpen} className="model-menu">
      {also === undefined ? null : (
        <Button
          small
          look="quiet"
          icon={also.icon}
          className="menu-also"
          onClick={() => {
            setOpen(false);
            also.run();
          }}
        >
          {also.label}
        </Button>
      )}
      <ModelList
        chosen={chosen}
        without={without}
        onPick={(id) => {
          setOpen(false);
          onPick(id);
        }}
      />
    </Popover>
  );
}

function ModelList({
  chosen,
  without,
  onPick,
}: {
  readonly chosen: string | null;
  readonly without: readonly string[];
  readonly onPick: (id: string) => void;
}): ReactElement {
  const models = useAppData((lists) => lists.models);
  const favourites = useAppData((lists) => lists.favourites);
  const [filter, setFilter] = useState('');
  const list = useRef<HTMLDivElement>(null);
  useArrowKeys(list, 'input, .model-row', { around: true });
  const groups = useMemo(
    () =>
      groupModels(
        models.filter((model) => !without.includes(model.id)),
        favourites,
        filter,
      ),
    [models, without, favourites, filter],
  );
  const first = groups[0]?.models[0];
  return (
    <div ref={list}>
      <ModelFilter
        text={filter}
        onChange={setFilter}
        onEnter={() => (first === undefined ? undefined : onPick(first.id))}
      />
      <div className="model-list">
        {groups.map((group, index) => (
          <section key={group.provider ?? ''} aria-label={group.provider === null ? t('favourites') : group.label}>
            <h3 className="model-head">
              <span className="grow">{group.provider === null ? t('favourites') : group.label}</span>
              {index === 0 ? <span>{t('windowAndPrice')}</span> : null}
            </h3>
            {group.models.map((model) => (
              <ModelRow
                key={model.id}
                model={model}
                current={model.id === chosen}
                favourite={favourites.includes(model.id)}
                onPick={() => onPick(model.id)}
              />
            ))}
          </section>
        ))}
        {groups.length === 0 ? <p className="dim model-none">{t('noModelReady')}</p> : null}
        <ProvidersWithoutKey />
      </div>
    </div>
  );
}

interface ModelFilterProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onEnter: () => void;
}

function ModelFilter({ text, onChange, onEnter }: ModelFilterProps): ReactElement {
  const ready = useAppData((lists) => lists.models.filter((model) => model.ready).length);
  const label = t('filterModels', { n: ready });
  return (
    <div className="model-filter">
      <Icon name="search" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !isInputMethodKey(event)) onEnter();
        }}
      />
    </div>
  );
}

/** The providers that would offer models if they had a key. */
function ProvidersWithoutKey(): ReactElement | null {
  const connections = useConnections(({ items }) => items) ?? [];
  useEffect(() => void loadConnections(), []);
  const missing = connections.filter(({ ready, editable, local }) => !ready && editable && !local);
  if (missing.length === 0) return null;
  return (
    <section aria-label={t('needsKey')}>
      <h3 className="model-head">{t('needsKey')}</h3>
      {missing.map(({ name, label }) => (
        <div key={name} className="model-missing">
          <span className="grow">{label}</span>
          <Button small aria-label={t('addKeyNamed', { name: label })} onClick={() => openConnectionForm(name)}>
            {t('addKey')}
          </Button>
        </div>
      ))}
    </section>
  );
}

function priceOf({ price }: ModelView): string {
  if (price === null) return '';
  if (price.input === 0 && price.output === 0) return t('free');
  return `${formatNumber(price.input)} / ${formatNumber(price.output)}`;
}

function ModelRow({
  model,
  current,
  favourite,
  onPick,
}: {
  readonly model: ModelView;
  readonly current: boolean;
  readonly favourite: boolean;
  readonly onPick: () => void;
}): ReactElement {
  return (
    <div className={current ? 'model-line current' : 'model-line'}>
      <button type="button" className="model-row" aria-current={current ? 'true' : undefined} onClick={onPick}>
        <span className="grow clip">
          <ModelName model={model.id} />
        </span>
        <span className="num">{model.windowKnown ? formatCompact(model.window) : ''}</span>
        <span className="num">{priceOf(model)}</span>
      </button>
      <button
        type="button"
        className="ib"
        aria-pressed={favourite}
        aria-label={t('favourite', { name: model.label })}
        title={t('favourite', { name: model.label })}
        onClick={() => toggleFavourite(model.id)}
      >
        <Icon name={favourite ? 'staron' : 'star'} />
      </button>
    </div>
  );
}
