import type { Node, NodeId } from '@coppice/core';
import type { ReactElement } from 'react';
import { t, tn } from '../i18n/index.ts';
import { goOn, regenerate } from '../state/generation.ts';
import { go, treePlace } from '../state/router.ts';
import { errorOf } from '../state/source.ts';
import { useSession } from '../state/use-session.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { plainText } from './rows.ts';
import { wishNow } from './wish.ts';

function words(text: string): number {
  return text.split(/\s+/).filter(Boolean).length;
}

/** The strip under a message that is cut short, failed, or was written beside another at the same time. */
export function Status({
  node,
  conflict,
}: {
  readonly node: Node;
  readonly conflict: NodeId | null;
}): ReactElement | null {
  const session = useSession();
  const again = () => void regenerate(session, node.id, wishNow({ n: 1 }));
  if (node.status === 'interrupted' || node.status === 'aborted')
    return (
      <div className="status cut" role="status">
        <Icon name="cut" />
        <p>
          <b>{node.status === 'aborted' ? t('stopped') : t('interrupted')}</b>{' '}
          {tn('afterWords', words(plainText(node.message)))}
        </p>
        <Button small icon="again" onClick={again}>
          {t('again')}
        </Button>
        <Button small look="primary" onClick={() => void goOn(session, node, wishNow())}>
          {t('continue')}
        </Button>
      </div>
    );
  if (node.status === 'error') {
    const error = errorOf(node);
    return (
      <div className="status err" role="alert">
        <Icon name="warn" />
        <p>
          <b>{t('noAnswer')}</b> {error?.message ?? ''} {t('messageSaved')}
        </p>
        <Button small icon="again" onClick={again}>
          {t('tryAgain')}
        </Button>
      </div>
    );
  }
  if (conflict === null) return null;
  return (
    <div className="status cut" role="status">
      <Icon name="fork" />
      <p>
        <b>{t('alsoEdited')}</b> {t('bothHere')}
      </p>
      <Button
        small
        icon="compare"
        onClick={() => go(treePlace(session.treeId, { screen: 'compare', a: conflict, b: node.id }))}
      >
        {t('compare')}
      </Button>
    </div>
  );
}
