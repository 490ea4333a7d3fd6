import { type ReactElement, useState } from 'react';
import { t } from '../i18n/index.ts';
import { Icon } from '../ui/icon.tsx';
import { isOwnImageAddress, toSafeAddress } from './links.ts';

/**
 * An image in a text. An external image is shown only as a link, because loading it would tell its server when the user
 * reads the text. A click opens the URL, which is shown in full.
 */
export function MessagePicture({ address, words }: { readonly address: string; readonly words: string }): ReactElement {
  const [failed, setFailed] = useState(false);
  if (isOwnImageAddress(address) && !failed)
    return <img className="picture" src={address} alt={words} loading="lazy" onError={() => setFailed(true)} />;
  const safe = toSafeAddress(address);
  return (
    <span className="far-picture">
      <Icon name="eyeoff" />
      <span>{words === '' ? t('imageElsewhere') : words}</span>
      {safe === null ? (
        <span className="mono">{address.slice(0, 300)}</span>
      ) : (
        <a
          className="mono"
          href={safe}
          target="_blank"
          rel="noopener noreferrer nofollow"
          referrerPolicy="no-referrer"
          title={t('openImage')}
        >
          {safe}
        </a>
      )}
    </span>
  );
}
