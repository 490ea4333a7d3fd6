import type { Node } from '@coppice/core';
import { Fragment, type ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import { modelsNow, useAppData } from '../state/app-data.ts';
import { useSession } from '../state/use-session.ts';
import { IconButton } from '../ui/button.tsx';
import { Menu, MenuItem, MenuLine } from '../ui/menu.tsx';
import { ModelName } from '../ui/model-name.tsx';
import { menuPlaces, offeredAction, offeredActions, regenerateWith } from './message-acts.ts';

/** The actions of a message; shown on hover or tap. */
export function MessageActions({
  node,
  marked,
}: {
  readonly node: Node;
  readonly marked: string | null;
}): ReactElement {
  const session = useSession();
  return (
    <span className="acts">
      {offeredActions(session, node, 'row').map((act) =>
        act.id === 'again' ? (
          <Regenerate key={act.id} node={node} />
        ) : (
          <IconButton
            key={act.id}
            icon={act.icon}
            label={act.keys === undefined ? act.label : `${act.label} (${act.keys})`}
            {...(act.id === 'mark' ? { 'aria-pressed': marked !== null } : {})}
            onClick={act.run}
          />
        ),
      )}
      <Menu trigger={<IconButton icon="more" label={t('more')} />}>
        {menuPlaces.map((place, index) => (
          <Fragment key={place}>
            {index === 0 ? null : <MenuLine />}
            {offeredActions(session, node, place).map((act) => (
              <MenuItem
                key={act.id}
                icon={act.icon}
                onSelect={act.run}
                {...(act.keys === undefined ? {} : { keys: act.keys })}
                {...(act.danger === undefined ? {} : { danger: act.danger })}
              >
                {act.label}
              </MenuItem>
            ))}
          </Fragment>
        ))}
      </Menu>
    </span>
  );
}

function Regenerate({ node }: { readonly node: Node }): ReactElement {
  const session = useSession();
  const models = useAppData((lists) => lists.models);
  const chosen = useAppData((lists) => lists.chosen);
  const now = modelsNow({ models, chosen, defaultModel: useAppData((lists) => lists.defaultModel) });
  const again = offeredAction(session, node, 'again');
  const label = again?.keys === undefined ? t('regenerate') : `${again.label} (${again.keys})`;
  const others = models.filter((model) => !now.includes(model.id)).slice(0, 6);
  return (
    <Menu trigger={<IconButton icon="again" label={label} />}>
      {['again', 'three'].map((id) => {
        const act = offeredAction(session, node, id);
        return act === undefined ? null : (
          <MenuItem key={id} icon={act.icon} onSelect={act.run} {...(act.keys === undefined ? {} : { keys: act.keys })}>
            {id === 'again' ? t('regenerateWith') : act.label}{' '}
            {id === 'again' && now.length === 1 && now[0] !== undefined ? <ModelName model={now[0]} /> : null}
          </MenuItem>
        );
      })}
      {others.length === 0 ? null : <MenuLine />}
      {others.map((model) => (
        <MenuItem key={model.id} icon="compare" onSelect={() => regenerateWith(session, node, [model.id])}>
          {t('with')} <ModelName model={model.id} />
        </MenuItem>
      ))}
    </Menu>
  );
}
