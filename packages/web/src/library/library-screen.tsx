import { fieldsOrEmpty } from '@coppice/core/decode';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { HomeSidebar } from '../home/home-sidebar.tsx';
import { DrawerButton } from '../home/sidebar.tsx';
import { formatList, t, tn } from '../i18n/index.ts';
import {
  deleteLibraryEntry,
  emptyLibraryEntry,
  type LibraryItem,
  libraryEntryToJson,
  loadLibrary,
  parseLibraryEntry,
  saveLibraryEntry,
  splitPromptVariables,
  useLibrary,
} from '../state/library.ts';
import { loadFolders, useProjects } from '../state/projects.ts';
import { showToast } from '../state/toasts.ts';
import { openDialog } from '../state/ui.ts';
import { slashNameOfPrompt } from '../thread/slash-menu.tsx';
import { useDraft } from '../thread/use-draft.ts';
import { Button } from '../ui/button.tsx';
import { downloadText } from '../ui/download-file.ts';
import { nameOfModel } from '../ui/model-name.tsx';
import { countInstructionTokens } from './instruction-tokens.ts';
import { PresetEditor } from './preset-editor.tsx';
import { useLibraryEntryDraft } from './use-library-entry-draft.ts';

/** Custom instructions, presets and prompts: written once, used in every new chat. */
export function LibraryScreen(): ReactElement {
  const items = useLibrary((library) => library.items);
  const known = useLibrary((library) => library.known);
  useEffect(() => {
    void loadLibrary();
  }, []);
  return (
    <div className="app two">
      <HomeSidebar />
      <main className="main">
        <div className="home one">
          <div className="column-main settings library">
            <div className="row home-head">
              <DrawerButton />
              <h1 className="grow">{t('library')}</h1>
              <ImportExport items={items} />
            </div>
            <p className="hint">{t('libraryHint')}</p>
            {known ? (
              <>
                <Instructions items={items.filter((item) => item.kind === 'instructions')} />
                <Presets items={items.filter((item) => item.kind === 'preset')} />
                <Prompts items={items.filter((item) => item.kind === 'prompt')} />
              </>
            ) : null}
          </div>
        </div>
      </main>
    </div>
  );
}

function ImportExport({ items }: { readonly items: readonly LibraryItem[] }): ReactElement {
  const input = useRef<HTMLInputElement>(null);
  const read = async (file: File) => {
    let list: unknown;
    try {
      list = JSON.parse(await file.text());
    } catch {
      list = null;
    }
    const given = fieldsOrEmpty(list).items ?? list;
    const entries = (Array.isArray(given) ? given : []).map(parseLibraryEntry).filter((entry) => entry !== null);
    let stored = 0;
    for (const entry of entries) {
      const same = items.find(
        (item) => item.kind === entry.kind && item.name === entry.name && item.folder === entry.folder,
      );
      if (await saveLibraryEntry(entry, same?.id ?? null)) stored++;
    }
    showToast({
      icon: 'import',
      text: stored === 0 ? t('nothingInFile') : tn('entriesImported', stored),
      bad: stored === 0,
    });
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        hidden
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          if (file !== undefined) void read(file);
          event.target.value = '';
        }}
      />
      <Button icon="import" onClick={() => input.current?.click()}>
        {t('importWord')}
      </Button>
      <Button
        icon="export"
        onClick={() =>
          downloadText(
            `${JSON.stringify({ format: 'coppice-library', items: items.map(libraryEntryToJson) }, null, 2)}\n`,
            'coppice-library.json',
            'application/json',
          )
        }
      >
        {t('exportWord')}
      </Button>
    </>
  );
}

/** The instructions for every chat, and the projects, which have their own. */
function Instructions({ items }: { readonly items: readonly LibraryItem[] }): ReactElement {
  const projects = useProjects();
  useEffect(() => void loadFolders(), []);
  const item = items.find((each) => each.folder === null) ?? null;
  return (
    <section className="card">
      <h2>{t('customInstructions')}</h2>
      <InstructionText key={item?.id ?? ''} item={item} />
      <p className="hint">{t('instructionsHint')}</p>
      <div className="row project-row">
        <span className="dim">{t('projects')}</span>
        {projects.map(({ name }) => (
          <Button key={name} small icon="folder" onClick={() => openDialog({ name: 'project', project: name })}>
            {name}
          </Button>
        ))}
        <Button small look="quiet" icon="plus" onClick={() => openDialog({ name: 'project', project: null })}>
          {t('newProject')}
        </Button>
      </div>
    </section>
  );
}

function InstructionText({ item }: { readonly item: LibraryItem | null }): ReactElement {
  // Text that is not saved is kept as a draft.
  const { text, set: setText } = useDraft('instructions', item?.text ?? '');
  const changed = text !== (item?.text ?? '');
  const save = () => saveLibraryEntry({ ...emptyLibraryEntry, kind: 'instructions', text }, item?.id ?? null);
  return (
    <>
      <textarea
        className="field area"
        rows={4}
        aria-label={t('customInstructions')}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="row">
        <span className="grow dim num">{tn('tokensInEveryChat', countInstructionTokens(text))}</span>
        <Button look="primary" disabled={!changed} onClick={() => void save()}>
          {t('save')}
        </Button>
      </div>
    </>
  );
}

function Presets({ items }: { readonly items: readonly LibraryItem[] }): ReactElement {
  const [chosen, setChosen] = useState<string | null>(null);
  const isNew = chosen === 'new';
  const shown = isNew ? null : (items.find((item) => item.id === chosen) ?? items[0] ?? null);
  return (
    <section>
      <div className="row home-head">
        <h2 className="grow">{t('presets')}</h2>
        <Button small icon="plus" onClick={() => setChosen('new')}>
          {t('newPreset')}
        </Button>
      </div>
      {shown === null && !isNew ? (
        <p className="hint">{t('noPresets')}</p>
      ) : (
        <div className="card preset-card">
          <ul className="preset-list">
            {items.map((item) => (
              <li key={item.id}>
                <button type="button" aria-pressed={item.id === shown?.id} onClick={() => setChosen(item.id)}>
                  <b>{item.name}</b>
                  <small>{modelsOfPreset(item)}</small>
                </button>
              </li>
            ))}
          </ul>
          <PresetEditor key={shown?.id ?? 'new'} item={shown} onDone={() => setChosen(null)} />
        </div>
      )}
    </section>
  );
}

/** The names of a preset's models, without their providers. */
function modelsOfPreset({ options: { models = [] } }: LibraryItem): string {
  return models.length === 0 ? t('anyModel') : formatList(models.map(nameOfModel));
}

function Prompts({ items }: { readonly items: readonly LibraryItem[] }): ReactElement {
  const [editing, setEditing] = useState<string | null>(null);
  return (
    <section>
      <div className="row home-head">
        <h2 className="grow">
          {t('prompts')} <span className="dim">{t('promptsHint')}</span>
        </h2>
        <Button small icon="plus" onClick={() => setEditing('new')}>
          {t('newPrompt')}
        </Button>
      </div>
      {items.length === 0 && editing !== 'new' ? (
        <p className="hint">{t('noPrompts')}</p>
      ) : (
        <ul className="rows" aria-label={t('prompts')}>
          {editing === 'new' ? (
            <li className="row-item open">
              <PromptEditor item={null} onDone={() => setEditing(null)} />
            </li>
          ) : null}
          {items.map((item) => (
            <SystemPromptRow
              key={item.id}
              item={item}
              isOpen={editing === item.id}
              onOpen={(isOpen) => setEditing(isOpen ? item.id : null)}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

interface PromptRowProps {
  readonly item: LibraryItem;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
}

// The row has one line, also for a prompt of many pages.
const mostShown = 200;

/** A prompt: the name by which it is typed, and its beginning with its variables. The editor opens below it. */
function SystemPromptRow({ item, isOpen, onOpen }: PromptRowProps): ReactElement {
  return (
    <li className={isOpen ? 'row-item open' : 'row-item'}>
      <div className="row-line">
        <div className="row-name">
          <b className="mono">/{slashNameOfPrompt(item.name)}</b>
          <span className="row-detail" dir="auto">
            {splitPromptVariables(item.text.slice(0, mostShown)).map(({ at, text, isVariable }) =>
              isVariable ? <code key={at}>{text}</code> : <span key={at}>{text}</span>,
            )}
          </span>
        </div>
        <div className="row-end">
          <Button small icon="edit" aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
            {t('edit')}
          </Button>
          <Button small look="quiet" icon="trash" onClick={() => void deleteLibraryEntry(item)}>
            {t('delete')}
          </Button>
        </div>
      </div>
      {isOpen ? <PromptEditor item={item} onDone={() => onOpen(false)} /> : null}
    </li>
  );
}

function PromptEditor({
  item,
  onDone,
}: {
  readonly item: LibraryItem | null;
  readonly onDone: () => void;
}): ReactElement {
  const draft = useLibraryEntryDraft('prompt', item);
  const { name, text } = draft.fields;
  const save = async () => {
    const entry = { ...emptyLibraryEntry, kind: 'prompt' as const, name: name.trim(), text };
    if (!(await saveLibraryEntry(entry, item?.id ?? null))) return;
    draft.accept(entry);
    onDone();
  };
  return (
    <div className="form">
      <label className="form-field">
        <span>{t('nameWord')}</span>
        <input className="field" value={name} onChange={(event) => draft.change({ name: event.target.value })} />
      </label>
      <label className="form-field">
        <span>{t('promptText')}</span>
        <textarea
          className="field area"
          rows={4}
          value={text}
          onChange={(event) => draft.change({ text: event.target.value })}
        />
      </label>
      <div className="row foot-row">
        <Button
          onClick={() => {
            draft.discard();
            onDone();
          }}
        >
          {t('cancel')}
        </Button>
        <Button
          look="primary"
          disabled={slashNameOfPrompt(name) === '' || text.trim() === ''}
          onClick={() => void save()}
        >
          {t('save')}
        </Button>
      </div>
    </div>
  );
}
