import { expect, test } from 'vitest';
import { makeHome, startCliInTerminal } from '../testing/terminal.ts';
import { findPagerCommand } from './pager.ts';

test('[O93] the pager is the one that the user names, and none if none is wanted or installed', () => {
  const env = { PATH: process.env['PATH'] };
  expect(findPagerCommand({ ...env, PAGER: 'sed -n p' }, 'linux')).toBe('sed -n p');
  expect(findPagerCommand({ ...env, PAGER: 'sed -n p', COPPICE_PAGER: '' }, 'linux')).toBeNull();
  expect(findPagerCommand({ ...env, PAGER: 'no-such-pager -x' }, 'linux')).toBeNull();
  expect(findPagerCommand({ ...env, PAGER: 'sed', TERM: 'dumb' }, 'linux')).toBeNull();
  expect(findPagerCommand({ PATH: '' }, 'linux')).toBeNull();
  expect(findPagerCommand(env, 'win32')).toBeNull();
  const windows = { Path: 'C:\\bin;C:\\Git\\usr\\bin', PATHEXT: '.COM;.EXE', PAGER: 'less -R' };
  expect(findPagerCommand(windows, 'win32', (path) => path === 'C:\\Git\\usr\\bin\\less.EXE')).toBe('less -R');
  expect(findPagerCommand(windows, 'win32', () => false)).toBeNull();
});

test('[O93] on a terminal `show` is rendered and goes through the pager', { tags: ['terminal'] }, async () => {
  const { home, close } = makeHome();
  const begin = startCliInTerminal(['append', '--new', 'A **strong** word'], home);
  expect(await begin.ended()).toBe(0);
  const shown = startCliInTerminal(['show'], home, { columns: 80, rows: 20 }, { PAGER: 'sed s/^/paged:/' });
  await shown.shows('paged:A strong word');
  expect(await shown.ended()).toBe(0);
  close();
});
