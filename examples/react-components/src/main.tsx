import '@coppice/react/styles.css';
import { createClient } from '@coppice/client';
import { treeId } from '@coppice/core';
import { Composer, CoppiceProvider, Outline, Thread, TreeProvider, useTreeList, useUndo } from '@coppice/react';
import { type ReactElement, StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';

const client = createClient();
const generation = { models: ['offline/guide'] };

function Chats({ show }: { readonly show: (id: string) => void }): ReactElement {
  const { trees, isReady } = useTreeList();
  const add = async () => show((await client.api.create({})).treeId);
  return (
    <nav aria-label="Chats" data-ready={isReady}>
      <button type="button" onClick={() => void add()}>
        New chat
      </button>
      {trees.map((tree) => (
        <button key={tree.id} type="button" onClick={() => show(tree.id)}>
          {tree.title ?? tree.autoTitle ?? 'Untitled'}
        </button>
      ))}
    </nav>
  );
}

function Tools(): ReactElement {
  const { undo, redo } = useUndo();
  return (
    <p>
      <button type="button" onClick={() => void undo()}>
        Undo
      </button>
      <button type="button" onClick={() => void redo()}>
        Redo
      </button>
    </p>
  );
}

function App(): ReactElement {
  const [id, setId] = useState(location.hash.slice(1));
  const show = (next: string) => {
    location.hash = next;
    setId(next);
  };
  return (
    <CoppiceProvider client={client}>
      <Chats show={show} />
      {id === '' ? null : (
        <TreeProvider key={id} treeId={treeId(id)}>
          <Tools />
          <Thread generation={generation} empty={<p>Ask something, for example: How do I undo?</p>} />
          <Composer generation={generation} />
          <Outline />
        </TreeProvider>
      )}
    </CoppiceProvider>
  );
}

const root = document.getElementById('root');
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
