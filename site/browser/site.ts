/** The scripts of every page: light and dark colours, the menu on a phone, and the search. */

const root = document.documentElement;
const themeName = 'coppice.site.theme';

function readTheme(): string | null {
  try {
    return localStorage.getItem(themeName);
  } catch {
    return null;
  }
}

const chosen = readTheme();
if (chosen !== null) root.dataset['theme'] = chosen;

document.querySelector('.theme')?.addEventListener('click', () => {
  const dark =
    root.dataset['theme'] === 'dark' ||
    (root.dataset['theme'] === undefined && matchMedia('(prefers-color-scheme: dark)').matches);
  root.dataset['theme'] = dark ? 'light' : 'dark';
  try {
    localStorage.setItem(themeName, root.dataset['theme']);
  } catch {
    // If storage is blocked, the choice is lost when the page is closed.
  }
});

const menu = document.querySelector<HTMLButtonElement>('.menu');
menu?.addEventListener('click', () => {
  const open = menu.getAttribute('aria-expanded') !== 'true';
  menu.setAttribute('aria-expanded', String(open));
  document.body.classList.toggle('menu-open', open);
});

const dialog = document.querySelector<HTMLDialogElement>('dialog.search');
const field = document.querySelector<HTMLInputElement>('#search-words');
const list = document.querySelector<HTMLOListElement>('#search-hits');

/** Loads the search when it is first opened. */
function loadSearch() {
  return import('./search.ts').then(({ openSearch }) => openSearch(root.dataset['root'] ?? './'));
}

let search: ReturnType<typeof loadSearch> | null = null;

function openDialog(): void {
  search ??= loadSearch();
  dialog?.showModal();
  field?.select();
}

async function showHits(): Promise<void> {
  if (field === null || list === null || search === null) return;
  const words = field.value;
  const find = await search;
  if (words !== field.value) return;
  const items = find(words).map(({ href, title, text }) => {
    const item = document.createElement('li');
    const link = document.createElement('a');
    link.href = href;
    const name = document.createElement('strong');
    name.textContent = title;
    const about = document.createElement('span');
    about.textContent = text;
    link.append(name, about);
    item.append(link);
    return item;
  });
  if (items.length === 0 && words.trim() !== '') {
    const none = document.createElement('li');
    none.textContent = 'Nothing found. Try other words.';
    items.push(none);
  }
  list.replaceChildren(...items);
}

document.querySelector('.search-button')?.addEventListener('click', openDialog);
field?.addEventListener('input', () => void showHits());
field?.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown' || event.key === 'Enter') {
    const first = list?.querySelector('a');
    if (first === null || first === undefined) return;
    event.preventDefault();
    if (event.key === 'Enter') first.click();
    else first.focus();
  }
});
list?.addEventListener('keydown', (event) => {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const links = [...list.querySelectorAll('a')];
  const at = links.findIndex((link) => link.matches(':focus')) + (event.key === 'ArrowDown' ? 1 : -1);
  event.preventDefault();
  if (at < 0) field?.focus();
  else links[at]?.focus();
});
// A result on the current page changes only the fragment, so the dialog must be closed here.
list?.addEventListener('click', () => dialog?.close());
addEventListener('keydown', (event) => {
  const typing = event.target instanceof Element && event.target.closest('input, textarea, [contenteditable]') !== null;
  if (typing || event.ctrlKey || event.metaKey || event.altKey || event.key !== '/') return;
  event.preventDefault();
  openDialog();
});
