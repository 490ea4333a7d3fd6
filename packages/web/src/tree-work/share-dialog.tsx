import { loadedPath, type ShareView, toHttpProblem } from '@coppice/client';
import type { NodeId } from '@coppice/core';
import { type ReactElement, useCallback, useEffect, useState } from 'react';
import { formatTime, t, tn } from '../i18n/index.ts';
import { useSignedIn } from '../settings/use-signed-in.ts';
import { api } from '../state/page-client.ts';
import { showToast } from '../state/toasts.ts';
import { showError } from '../state/tree-actions.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';

const expiries = [
  { days: 1, label: 'oneDay' },
  { days: 7, label: 'oneWeek' },
  { days: 30, label: 'oneMonth' },
  { days: 0, label: 'never' },
] as const;

const day = 86_400_000;

/** Whether a host name is this computer, so that a link to it does not work elsewhere. */
function isLoopbackHost(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127\./.test(name);
}

/** Shares one branch: shows what will be visible, for how long, and the existing links, which can be revoked. */
export function ShareDialog({
  nodeId,
  onClose,
}: {
  readonly nodeId: NodeId;
  readonly onClose: () => void;
}): ReactElement {
  const session = useSession();
  const part = useTree((state) => state.part);
  const me = useSignedIn();
  const [days, setDays] = useState<number>(7);
  const [link, setLink] = useState<string | null>(null);
  const [shares, setShares] = useState<readonly ShareView[]>([]);
  const path = part === null ? [] : loadedPath(part);
  const end = path.findIndex((node) => node.id === nodeId);
  const seen = end < 0 ? path : path.slice(0, end + 1);
  const load = useCallback(() => {
    api
      .shares(session.treeId)
      .then(({ items }) => setShares(items.filter((share) => share.revokedAt === null)))
      .catch(() => undefined);
  }, [session]);
  useEffect(load, [load]);
  const share = async () => {
    try {
      const made = await api.share(session.treeId, {
        nodeId,
        ...(days === 0 ? {} : { expiresAt: Date.now() + days * day }),
      });
      setLink(new URL(made.url, location.origin).href);
      load();
    } catch (thrown) {
      showError(toHttpProblem(thrown));
    }
  };
  const revoke = async (id: string) => {
    try {
      await api.unshare(id);
      showToast({ icon: 'share', text: t('revoked') });
      load();
    } catch (thrown) {
      showError(toHttpProblem(thrown));
    }
  };
  return (
    <Dialog title={t('shareBranch')} onClose={onClose}>
      <p className="hint">
        {tn('shareShows', seen.length)} {part?.before !== null ? t('andAbove') : ''} {t('shareHides')}
      </p>
      <p className="hint">
        {t('shareWho')} {me?.mode === 'users' ? t('shareNamesYou', { name: me.name }) : null}
      </p>
      {isLoopbackHost(location.hostname) ? (
        <p className="hint row">
          <Icon name="info" />
          <span>{t('shareOnlyHere')}</span>
        </p>
      ) : null}
      {link === null ? (
        <>
          <fieldset className="seg" aria-label={t('expires')}>
            {expiries.map((each) => (
              <button
                key={each.days}
                type="button"
                aria-pressed={each.days === days}
                onClick={() => setDays(each.days)}
              >
                {t(each.label)}
              </button>
            ))}
          </fieldset>
          <div className="row foot-row">
            <Button onClick={onClose}>{t('cancel')}</Button>
            <Button look="primary" icon="share" onClick={() => void share()}>
              {t('makeLink')}
            </Button>
          </div>
        </>
      ) : (
        <div className="row link-row">
          <input
            className="field grow mono"
            readOnly
            value={link}
            aria-label={t('link')}
            onFocus={(event) => event.target.select()}
          />
          <CopyButton text={link} label={t('copyLink')} />
        </div>
      )}
      {shares.length === 0 ? null : (
        <ul className="share-list" aria-label={t('sharesName')}>
          {shares.map((each) => (
            <li key={each.id} className="row">
              <span className="grow">
                {tn('messages', each.nodeIds.length)}, {formatTime(each.createdAt)}
                {each.expiresAt === null
                  ? ''
                  : `, ${t('until', { when: formatTime(each.expiresAt, each.expiresAt - 30 * day) })}`}
              </span>
              <Button small onClick={() => void revoke(each.id)}>
                {t('revoke')}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
