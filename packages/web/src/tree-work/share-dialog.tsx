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

/** Whether a host name means the user's own computer; a link to it does not work elsewhere. */
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
  const { shares, load } = useShares();
  const [link, setLink] = useState<string | null>(null);
  return (
    <Dialog title={t('shareBranch')} onClose={onClose}>
      <SharedContent nodeId={nodeId} />
      {link === null ? (
        <NewLink
          nodeId={nodeId}
          onCancel={onClose}
          onMade={(url) => {
            setLink(url);
            load();
          }}
        />
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
      {shares.length === 0 ? null : <ShareList shares={shares} onRevoked={load} />}
    </Dialog>
  );
}

/** The links of the open tree that are not revoked. */
function useShares(): { readonly shares: readonly ShareView[]; readonly load: () => void } {
  const session = useSession();
  const [shares, setShares] = useState<readonly ShareView[]>([]);
  const load = useCallback(() => {
    api
      .shares(session.treeId)
      .then(({ items }) => setShares(items.filter((share) => share.revokedAt === null)))
      .catch(() => undefined);
  }, [session]);
  useEffect(load, [load]);
  return { shares, load };
}

/** What a link shows and hides, and who can open it. */
function SharedContent({ nodeId }: { readonly nodeId: NodeId }): ReactElement {
  const part = useTree((state) => state.part);
  const me = useSignedIn();
  const path = part === null ? [] : loadedPath(part);
  const end = path.findIndex((node) => node.id === nodeId);
  const seen = end < 0 ? path : path.slice(0, end + 1);
  return (
    <>
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
    </>
  );
}

interface NewLinkProps {
  readonly nodeId: NodeId;
  readonly onCancel: () => void;
  readonly onMade: (link: string) => void;
}

/** Makes a link that expires after the chosen number of days. */
function NewLink({ nodeId, onCancel, onMade }: NewLinkProps): ReactElement {
  const session = useSession();
  const [days, setDays] = useState<number>(7);
  const share = async () => {
    try {
      const expiry = days === 0 ? {} : { expiresAt: Date.now() + days * day };
      const { url } = await api.share(session.treeId, { nodeId, ...expiry });
      onMade(new URL(url, location.origin).href);
    } catch (thrown) {
      showError(toHttpProblem(thrown));
    }
  };
  return (
    <>
      <fieldset className="seg" aria-label={t('expires')}>
        {expiries.map((each) => (
          <button key={each.days} type="button" aria-pressed={each.days === days} onClick={() => setDays(each.days)}>
            {t(each.label)}
          </button>
        ))}
      </fieldset>
      <div className="row foot-row">
        <Button onClick={onCancel}>{t('cancel')}</Button>
        <Button look="primary" icon="share" onClick={() => void share()}>
          {t('makeLink')}
        </Button>
      </div>
    </>
  );
}

interface ShareListProps {
  readonly shares: readonly ShareView[];
  readonly onRevoked: () => void;
}

/** The existing links with a button that revokes each. */
function ShareList({ shares, onRevoked }: ShareListProps): ReactElement {
  const revoke = async (id: string) => {
    try {
      await api.unshare(id);
      showToast({ icon: 'share', text: t('revoked') });
      onRevoked();
    } catch (thrown) {
      showError(toHttpProblem(thrown));
    }
  };
  return (
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
  );
}
