import type { Node } from '@coppice/core';
import { Fragment, type ReactElement } from 'react';
import { t } from '../i18n/index.ts';
import { ModelMenu } from '../models/model-menu.tsx';
import { useReadAloud } from '../state/read-aloud.ts';
import { useSession } from '../state/use-session.ts';
import { IconButton } from '../ui/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { findOfferedAction, listOfferedActions, messageMenuSections, regenerateWithModels } from './message-acts.ts';

/** The actions of a message; shown on hover or tap. */
export function MessageActions({ node }: { readonly node: Node }): ReactElement {
  const session = useSession();
  // The label changes while the message is read aloud.
  useReadAloud((reading) => reading.id === node.id);
  return (
    <span className="acts">
      {listOfferedActions(session, node, 'row').map((act) =>
        act.id === 'again' ? (
          <Regenerate key={act.id} node={node} />
        ) : (
          <IconButton
            key={act.id}
            icon={act.icon}
            label={act.keys === undefined ? act.label : `${act.label} (${act.keys})`}
            {...(act.pressed === undefined ? {} : { 'aria-pressed': act.pressed })}
            onClick={act.run}
          />
        ),
      )}
      <Menu trigger={<IconButton icon="more" label={t('more')} />}>
        {messageMenuSections.map((place, index) => (
          <Fragment key={place}>
            {index === 0 ? null : <MenuSeparator />}
            {listOfferedActions(session, node, place).map((act) => (
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

/** A button that generates another reply, and a menu with every ready model. */
function Regenerate({ node }: { readonly node: Node }): ReactElement {
  const session = useSession();
  const again = findOfferedAction(session, node, 'again');
  const three = findOfferedAction(session, node, 'three');
  const label = again?.keys === undefined ? t('regenerate') : `${again.label} (${again.keys})`;
  return (
    <>
      <IconButton icon="again" label={label} onClick={() => again?.run()} />
      <ModelMenu
        chosen={null}
        onPick={(id) => regenerateWithModels(session, node, [id])}
        also={three === undefined ? undefined : { icon: three.icon, label: three.label, run: three.run }}
        trigger={<IconButton className="narrow" icon="down" label={t('regenerateWith')} />}
      />
    </>
  );
}
