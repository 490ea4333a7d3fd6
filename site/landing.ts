/** Draws the landing page of the site. */
import { projectAddresses } from '../scripts/project-addresses.ts';
import { colourCode } from './markdown.ts';

/** A reason to use Coppice, and the page that explains it. */
interface Point {
  readonly title: string;
  readonly text: string;
  readonly link: string;
}

const points: readonly Point[] = [
  {
    title: 'Nothing is lost',
    text: 'Edits and new replies are kept as versions. You can undo every change, even after a restart, and look at every earlier state.',
    link: 'docs/concepts.html#versions-of-a-message',
  },
  {
    title: 'Bring your history',
    text: 'Import ChatGPT, Claude, Gemini, Open WebUI, Claude Code, Codex and many others, with all their branches.',
    link: 'docs/formats.html',
  },
  {
    title: 'Record your agents',
    text: 'Point any OpenAI or Anthropic client at Coppice. Every call is forwarded unchanged and becomes part of one tree.',
    link: 'docs/proxy.html',
  },
  {
    title: 'Build on it',
    text: 'A library with no server, React hooks, an HTTP API, and chats behind an unmodified useChat of the AI SDK.',
    link: 'docs/which-api.html',
  },
  {
    title: 'Your files',
    text: 'SQLite, PostgreSQL, plain folders or session files on your own machine. No account, and nothing is sent anywhere.',
    link: 'docs/security.html',
  },
  {
    title: 'Fast on large trees',
    text: 'A tree of 100,000 messages opens as fast as one of 1,000. The figures are measured side by side, misses included.',
    link: 'docs/benchmarks.html',
  },
];

const install = projectAddresses.published
  ? `npx coppice          # the server and the page, with an example to explore
npx coppice chat     # or stay in the terminal`
  : `git clone ${projectAddresses.repository} && cd coppice
npm install && npm start   # the server and the page, with an example`;

const library = `import { openStore } from '@coppice/stores';
import { openTree } from '@coppice/stores/tree';

const store = await openStore('sqlite:./trees.db');
const tree = openTree(store, undefined, { title: 'Greetings' });
const hello = await tree.append('Hello');
await tree.edit(hello.id, 'Good day'); // both versions are kept: 2/2
await tree.undo();`;

function code(text: string, language: string): string {
  return `<pre tabindex="0"><code>${colourCode(text, language)}</code></pre>`;
}

/** Returns the HTML of the landing page. */
export function drawLanding(): string {
  const cards = points.map(
    ({ title, text, link }) => `<a class="card" href="./${link}"><h3>${title}</h3><p>${text}</p></a>`,
  );
  return `<div class="landing">
<section class="hero">
<h1>Every conversation with a language model is a tree</h1>
<p class="lead">Coppice keeps all of it: edit, branch, compare, merge, search and undo without losing anything. A web page, a terminal program, a recording proxy and a TypeScript library on one engine.</p>
${code(install, 'sh')}
<p class="actions"><a class="button primary" href="./docs/getting-started.html">Get started</a><a class="button" href="./demo/index.html">Open the demo</a></p>
</section>
<section class="demo" aria-labelledby="try-it">
<h2 id="try-it">Try it here</h2>
<p>This is the real page with the real server, both inside your browser. A built-in guide answers; your messages stay in this tab and are gone when you close it.</p>
<iframe src="./demo/index.html" title="Demo of Coppice" loading="lazy"></iframe>
</section>
<section aria-labelledby="why"><h2 id="why">What you get</h2><div class="cards">${cards.join('')}</div></section>
<section class="split" aria-labelledby="library"><div><h2 id="library">Ten lines are enough</h2>
<p>The library keeps trees in your own program, without a server. The same operations are an <a href="./reference/http.html">HTTP API</a> and <a href="./reference/react.html">React hooks</a>.</p>
<p><a href="./docs/which-api.html">Which API do I use?</a></p></div>${code(library, 'ts')}</section>
</div>`;
}
