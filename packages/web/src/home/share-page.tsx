import { type HttpProblem, type SharedChatAnswer, sharedAttachmentsApiPath, toHttpProblem } from '@coppice/client';
import { type ReactElement, useEffect, useState } from 'react';
import { formatDateTime, t } from '../i18n/index.ts';
import { api } from '../state/page-client.ts';
import { AttachmentsContext } from '../thread/blocks.tsx';
import { PastMessage } from '../tree-work/past-message.tsx';
import { LogoMark } from '../ui/logo.tsx';

/** The page of a share link: one branch as it was when it was shared, and nothing else. */
export function SharePage({ token }: { readonly token: string }): ReactElement {
  const [shared, setShared] = useState<SharedChatAnswer | null>(null);
  const [problem, setProblem] = useState<HttpProblem | null>(null);
  useEffect(() => {
    api.shared(token).then(setShared, (thrown) => setProblem(toHttpProblem(thrown)));
  }, [token]);
  return (
    <main className="main alone shared" aria-busy={shared === null && problem === null}>
      <div className="bar">
        <span className="logo">
          <LogoMark />
          Coppice
        </span>
        <span className="grow" />
        {shared === null ? null : (
          <span className="dim">
            {shared.by === undefined ? null : `${t('sharedBy', { name: shared.by })} · `}
            {t('sharedOn', { when: formatDateTime(shared.createdAt) })}
          </span>
        )}
      </div>
      <div className="scroll">
        <div className="past">
          {problem === null ? null : (
            <div className="empty">
              <h1>{problem.status === 0 ? t('serverAway') : t('linkGone')}</h1>
              {problem.status === 0 ? null : <p>{t('linkGoneWhy')}</p>}
            </div>
          )}
          {shared === null ? null : <h1 className="shared-title">{shared.title ?? t('sharedBranch')}</h1>}
          <AttachmentsContext value={sharedAttachmentsApiPath(token)}>
            {shared?.messages.map(({ id, role, content, model }) => (
              <PastMessage
                key={id}
                node={{
                  id,
                  role,
                  message: { role, content },
                  meta: model === undefined ? {} : { source: { model_name: model } },
                }}
              />
            ))}
          </AttachmentsContext>
        </div>
      </div>
    </main>
  );
}
