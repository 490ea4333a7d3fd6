/** Checks that the example format of the guide passes the conformance suite. */
import * as content from '@coppice/content';
import * as formats from '@coppice/content/formats';
import { runFormatConformance } from '@coppice/content/formats/conformance';
import * as core from '@coppice/core';
import * as coreChatgpt from '@coppice/core/chatgpt';
import * as coreContext from '@coppice/core/context';
import * as coreDiff from '@coppice/core/diff';
import * as coreHistory from '@coppice/core/history';
import * as coreStore from '@coppice/core/store';
import * as coreTree from '@coppice/core/tree';
import * as stores from '@coppice/stores';
import { toFunctionBody } from './checks/example-code.ts';
import { findExamples } from './checks/examples.ts';
import { openRepository } from './checks/workspace.ts';

const packages = {
  '@coppice/content': content,
  '@coppice/content/formats': formats,
  '@coppice/core': core,
  '@coppice/core/tree': coreTree,
  '@coppice/core/context': coreContext,
  '@coppice/core/diff': coreDiff,
  '@coppice/core/history': coreHistory,
  '@coppice/core/chatgpt': coreChatgpt,
  '@coppice/core/store': coreStore,
  '@coppice/stores': stores,
};
const page = 'docs/guides/write-a-format.md';
const [example] = findExamples(page, openRepository().read(page));
// Only the definition is compiled, not the code that uses it.
const [code = ''] = (example?.code ?? '').split('const input = ');
const play: formats.Format = new Function('packages', `${await toFunctionBody(code)}; return play;`)(packages);

runFormatConformance(play, [
  {
    name: 'two turns',
    files: { 'tea.txt': 'ME: Which tea?\nIT: Green.\n' },
    trees: 1,
    nodes: 2,
    findings: [],
    thread: ['Which tea?', 'Green.'],
    roundTrip: (files) => [...files.values()],
  },
  {
    name: 'several lines, one of which begins as a turn does',
    files: { 'tea.txt': 'ME: Which tea?\n  \n  IT: is no turn\nIT: Green.\n' },
    trees: 1,
    nodes: 2,
    findings: [],
    thread: ['Which tea?\n\nIT: is no turn', 'Green.'],
    roundTrip: (files) => [...files.values()],
  },
  {
    name: 'a turn of nobody',
    files: { 'tea.txt': 'ME: Which tea?\nWHO: Green.\n' },
    trees: 1,
    nodes: 1,
    findings: ['import/record-unreadable'],
  },
]);
