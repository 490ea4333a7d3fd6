/** A small app with the hooks and components, for tests in a real browser. */
import { createClient, toHttpProblem } from '@coppice/client';
import { treeId } from '@coppice/core';
import {
  Composer,
  CoppiceProvider,
  Outline,
  Thread,
  TreeMap,
  TreeProvider,
  useContextUsage,
  useSearch,
  useTree,
  useTreeList,
  useUndo,
} from '@coppice/react';
import * as React from 'react';
import { type ReactElement, type ReactNode, StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';

const client = createClient();

function TreeTools(): ReactElement {
  const { title } = useTree();
  const { undo, redo, problem } = useUndo();
  const { tokens } = useContextUsage();
  const [words, setWords] = useState('');
  const { hits } = useSearch(words);
  return (
    <header>
      <h1>{title ?? 'Untitled'}</h1>
      <button type="button" onClick={() => void undo()}>
        Undo
      </button>
      <button type="button" onClick={() => void redo()}>
        Redo
      </button>
      <output>{problem?.code ?? ''}</output>
      <meter value={tokens} max={100_000} aria-label="Tokens" />
      <input type="search" aria-label="Search" value={words} onChange={(event) => setWords(event.target.value)} />
      <ul id="hits">
        {hits.map((hit) => (
          <li key={hit.nodeId}>{hit.snippet}</li>
        ))}
      </ul>
    </header>
  );
}

function TreeLinks(): ReactElement {
  const { trees, isReady, problem } = useTreeList();
  return (
    <ul id="trees" data-ready={isReady}>
      {problem === null ? null : <li>{toHttpProblem(problem).message}</li>}
      {trees.map((tree) => (
        <li key={tree.id}>{tree.title ?? tree.autoTitle ?? tree.id}</li>
      ))}
    </ul>
  );
}

/** Hides its children and keeps their state; React 18 can only unmount them. */
function Hideable({ isHidden, children }: { readonly isHidden: boolean; readonly children: ReactNode }): ReactNode {
  const { Activity } = React;
  if (Activity === undefined) return isHidden ? null : children;
  return <Activity mode={isHidden ? 'hidden' : 'visible'}>{children}</Activity>;
}

function App(): ReactElement {
  const [isHidden, setHidden] = useState(false);
  const [id] = location.pathname.split('/').slice(2);
  const generation = { models: ['scripted/one'] };
  return (
    <CoppiceProvider client={client}>
      <TreeLinks />
      <button type="button" onClick={() => setHidden(!isHidden)}>
        {isHidden ? 'Show' : 'Hide'}
      </button>
      {id === undefined ? null : (
        <Hideable isHidden={isHidden}>
          <TreeProvider treeId={treeId(id)}>
            <TreeTools />
            <Thread generation={generation} empty={<p>Nothing here yet.</p>} />
            <Composer generation={generation} />
            <Outline />
            <TreeMap />
          </TreeProvider>
        </Hideable>
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
