/** Routes of the page: parses URLs, writes them, and navigates. */
import { type NodeId, nodeId, type TreeId, treeId } from '@coppice/core';
import { fieldsOrEmpty, getText } from '@coppice/core/decode';
import { create } from 'zustand';
import { pageHost } from './page-host.ts';

/** The screens of a tree. */
type TreeScreenName = 'thread' | 'map' | 'context' | 'compare' | 'history';

/** A route of the page: the name of a screen and its parameters. */
export type PageRoute =
  | { readonly name: 'home'; readonly search: string; readonly filter: string }
  | {
      readonly name: 'tree';
      readonly treeId: TreeId;
      readonly nodeId: NodeId | null;
      readonly screen: TreeScreenName;
      readonly a: NodeId | null;
      readonly b: NodeId | null;
    }
  | { readonly name: 'share'; readonly token: string }
  | {
      readonly name: 'settings';
      readonly section?: string | undefined;
      /** The connection whose form is open; empty for a new address. */
      readonly connect?: string | undefined;
    }
  | { readonly name: 'library' }
  | { readonly name: 'agents' }
  | { readonly name: 'trash' };

const screens: readonly TreeScreenName[] = ['thread', 'map', 'context', 'compare', 'history'];

/** Decodes a URL segment. An invalid segment is returned unchanged, and matches no id. */
function decodeSegment(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Parses a URL; anything unknown is home. */
function parseRoute(path: string, query: string): PageRoute {
  const [first, second, third] = path.split('/').filter(Boolean).map(decodeSegment);
  const search = new URLSearchParams(query);
  if (first === 't' && second !== undefined) {
    const screen = screens.find((each) => each === search.get('view')) ?? 'thread';
    const node = (text: string | null | undefined) =>
      text === null || text === undefined || text === '' ? null : nodeId(text);
    return {
      name: 'tree',
      treeId: treeId(second),
      nodeId: node(third),
      screen,
      a: node(search.get('a')),
      b: node(search.get('b')),
    };
  }
  if (first === 's' && second !== undefined) return { name: 'share', token: second };
  if (first === 'settings') return { name: 'settings', section: second, connect: search.get('connect') ?? undefined };
  if (first === 'library') return { name: 'library' };
  if (first === 'agents') return { name: 'agents' };
  if (first === 'trash') return { name: 'trash' };
  return { name: 'home', search: search.get('q') ?? '', filter: search.get('in') ?? '' };
}

/** Builds the URL of a route, with the address prefix of the host page. */
export function urlOfRoute(place: PageRoute): string {
  return pageHost.addressPrefix + pathFor(place);
}

function pathFor(place: PageRoute): string {
  switch (place.name) {
    case 'tree': {
      const query = new URLSearchParams();
      if (place.screen !== 'thread') query.set('view', place.screen);
      if (place.a !== null) query.set('a', place.a);
      if (place.b !== null) query.set('b', place.b);
      const text = query.toString();
      const segments = [place.treeId, place.nodeId].filter((id) => id !== null).map(encodeURIComponent);
      return `/t/${segments.join('/')}${text === '' ? '' : `?${text}`}`;
    }
    case 'share':
      return `/s/${encodeURIComponent(place.token)}`;
    case 'settings':
      return [
        place.section === undefined ? '/settings' : `/settings/${encodeURIComponent(place.section)}`,
        place.connect === undefined ? '' : `?${new URLSearchParams({ connect: place.connect })}`,
      ].join('');
    case 'library':
      return '/library';
    case 'agents':
      return '/agents';
    case 'trash':
      return '/trash';
    default: {
      const query = new URLSearchParams();
      if (place.search !== '') query.set('q', place.search);
      if (place.filter !== '') query.set('in', place.filter);
      const text = query.toString();
      return text === '' ? '/' : `/?${text}`;
    }
  }
}

/** Builds the route of a tree; by default its thread at the end of the active branch. */
export function treeRoute(
  tree: TreeId,
  set: Partial<Omit<Extract<PageRoute, { name: 'tree' }>, 'name' | 'treeId'>> = {},
): PageRoute {
  return { name: 'tree', treeId: tree, nodeId: null, screen: 'thread', a: null, b: null, ...set };
}

/** Builds the route of home. The filter is a name such as `pinned`, or `folder:` and `tag:` with a value. */
export function homeRoute(search = '', filter = ''): PageRoute {
  return { name: 'home', search, filter };
}

interface RouteState {
  readonly place: PageRoute;
  /** Increases with every navigation, so that opening the current route again has an effect. */
  readonly visit: number;
  /** The leaf of the view when the screen was left, for the browser's back button. */
  readonly leaf: NodeId | null;
}

/** The address in the address bar, with its prefix. */
function currentAddress(): string {
  const inFragment = pageHost.addressPrefix.endsWith('#');
  return location.pathname + location.search + (inFragment ? location.hash || '#' : '');
}

/** The route that the address bar names. */
function currentRoute(): PageRoute {
  const address = currentAddress();
  const { addressPrefix: prefix } = pageHost;
  const [path = '', query = ''] = (address.startsWith(prefix) ? address.slice(prefix.length) : '').split('?');
  return parseRoute(path, query);
}

/** The current route. It changes with navigation, and with the browser's back and forward buttons. */
export const useRoute = create<RouteState>(() => ({
  place: currentRoute(),
  visit: 0,
  leaf: null,
}));

const settingsPlaces: readonly PageRoute['name'][] = ['settings', 'library'];
let beforeSettings: PageRoute = homeRoute();

/** The route from which the settings or the library were opened. */
export function routeBeforeSettings(): PageRoute {
  return beforeSettings;
}

/** Opens a route. `replace` adds no history entry. */
export function navigateTo(place: PageRoute, options: { readonly replace?: boolean } = {}): void {
  const { place: left } = useRoute.getState();
  if (!settingsPlaces.includes(left.name)) beforeSettings = left;
  const address = urlOfRoute(place);
  if (options.replace === true) history.replaceState(null, '', address);
  else if (address !== currentAddress()) history.pushState(null, '', address);
  useRoute.setState((route) => ({ place, visit: route.visit + 1, leaf: null }));
}

/** Stores the view's leaf with the current history entry. */
export function saveLeafInBrowserHistory(leaf: NodeId | null): void {
  history.replaceState(leaf === null ? null : { leaf }, '');
}

function leafIn(state: unknown): NodeId | null {
  const leaf = getText(fieldsOrEmpty(state), 'leaf');
  return leaf === undefined ? null : nodeId(leaf);
}

addEventListener('popstate', (event) =>
  useRoute.setState((route) => ({
    place: currentRoute(),
    visit: route.visit + 1,
    leaf: leafIn(event.state),
  })),
);
