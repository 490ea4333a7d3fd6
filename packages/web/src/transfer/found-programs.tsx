import { type ReactElement, useEffect, useState } from 'react';
import { formatBytes, formatTime, t, tn } from '../i18n/index.ts';
import { Button } from '../ui/button.tsx';
import { importSources, useImports } from './import-queue.ts';
import { nameOfFormat } from './localized-text.tsx';
import type { ImportSource } from './sources.ts';
import { type FoundProgram, transferApi } from './transfer-api.ts';

function sourceOf(program: FoundProgram): ImportSource {
  return { kind: 'found', name: program.label, format: program.format };
}

/** Conversations of other programs on this computer. Renders nothing if there are none, and on shared servers. */
export function FoundPrograms(): ReactElement | null {
  const [programs, setPrograms] = useState<readonly FoundProgram[]>([]);
  const items = useImports((queue) => queue.items);
  useEffect(() => {
    // Errors are ignored: this list is only an offer, and files can be chosen without it.
    transferApi.found().then(
      (found) => setPrograms(found.items),
      () => undefined,
    );
  }, []);
  if (programs.length === 0) return null;
  const isRunning = ({ format }: FoundProgram) =>
    items.some(({ source, phase }) => source?.kind === 'found' && source.format === format && phase !== 'over');
  const idle = programs.filter((program) => !isRunning(program));
  return (
    <section className="found-programs" aria-label={t('foundHere')}>
      <div className="row">
        <h3 className="paged-name grow">{t('foundHere')}</h3>
        {programs.length > 1 ? (
          <Button small disabled={idle.length === 0} onClick={() => importSources(idle.map(sourceOf))}>
            {t('importAllFound')}
          </Button>
        ) : null}
      </div>
      <ul className="rows">
        {programs.map((program) => {
          const name = nameOfFormat({ name: program.format, label: program.label });
          return (
            <li key={program.format} className="row-item">
              <div className="row-line">
                <div className="row-name">
                  <b>{name}</b>
                  <span className="row-detail" title={program.folders.join('\n')}>
                    {tn('foundSessions', program.sessions, {
                      size: formatBytes(program.bytes),
                      when: formatTime(program.changedAt),
                    })}
                  </span>
                </div>
                <Button
                  small
                  disabled={isRunning(program)}
                  aria-label={t('importFoundNamed', { name })}
                  onClick={() => importSources([sourceOf(program)])}
                >
                  {t('importFound')}
                </Button>
              </div>
            </li>
          );
        })}
      </ul>
      <p className="hint">{t('foundHint')}</p>
    </section>
  );
}
