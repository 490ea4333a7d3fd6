// The page around the conversation. The page is self-contained, and its content security policy forbids loading
// anything else.
import { toBase64 } from '../../base64.ts';
import { sha256Hex } from '../../sha256.ts';

/** Escapes text for HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
}

/** The style sheet of an exported page. */
export const pageStyle = `
:root{color-scheme:light dark;--paper:light-dark(#fdfdfb,#1b201c);--ground:light-dark(#f2f4ef,#161a17);--line:light-dark(#dfe3da,#343a35);--ink:light-dark(#22302a,#eceee8);--soft:light-dark(#5c665f,#aab3ab);--live:light-dark(#2f7d32,#8fce7e)}
*{box-sizing:border-box}
body{margin:0;display:grid;grid-template-columns:20rem minmax(0,1fr);min-height:100vh;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1rem;background:var(--ground);border-right:1px solid var(--line);font-size:.85rem}
nav ul{list-style:none;margin:0;padding-left:.8rem;border-left:1px solid var(--line)}
nav>ul{padding:0;border:0}
nav a{display:block;padding:.15rem .4rem;border-radius:.3rem;color:var(--soft);text-decoration:none;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
nav a:hover{background:var(--line)}
nav a.on{color:var(--live);font-weight:600}
main{max-width:46rem;width:100%;margin:0 auto;padding:1.5rem}
h1{font-size:1.4rem;margin:0 0 .2rem}
.about,header{color:var(--soft);font-size:.85rem}
article{margin:1.4rem 0;scroll-margin-top:1rem}
article[hidden]{display:none}
article.user>div{background:var(--ground);border-radius:.6rem;padding:.6rem .9rem}
header{display:flex;gap:.6rem;margin-bottom:.25rem}
header a{color:inherit}
p{margin:.5rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
pre{margin:.5rem 0;padding:.7rem;background:var(--ground);border:1px solid var(--line);border-radius:.4rem;overflow:auto;font:13px/1.5 ui-monospace,monospace}
img{max-width:100%}
details{color:var(--soft)}
@media(max-width:50rem){body{display:block}nav{position:static;height:auto;max-height:40vh;border:0;border-bottom:1px solid var(--line)}}
@media print{nav{display:none}body{display:block}}
`;

/**
 * The script of the page. It shows the messages on the path through a message to its last visited leaf, hides the
 * others, and marks the path in the outline. Without the script every message is shown in order, and the links still
 * work.
 */
export const pageScript = `(()=>{
const all=[...document.querySelectorAll('article')],byId=new Map(all.map(a=>[a.id,a])),links=[...document.querySelectorAll('nav a')],last=new Map();
for(const a of all)last.set(a.dataset.parent,a.id);
const upFrom=id=>{const path=[];for(let at=id;byId.has(at);at=byId.get(at).dataset.parent)path.push(at);return path};
const visit=id=>{for(const at of upFrom(id))last.set(byId.get(at).dataset.parent,at)};
visit(document.body.dataset.leaf);
const show=id=>{
if(byId.has(id))visit(id);
let leaf=byId.has(id)?id:document.body.dataset.leaf;
while(last.has(leaf))leaf=last.get(leaf);
const path=new Set(upFrom(leaf));
for(const a of all)a.hidden=!path.has(a.id);
for(const l of links)l.classList.toggle('on',path.has(l.hash.slice(1)));
if(byId.has(id))byId.get(id).scrollIntoView();
};
addEventListener('hashchange',()=>show(location.hash.slice(1)));
show(location.hash.slice(1));
})();`;

function cspHash(text: string): string {
  const hex = sha256Hex(text);
  const bytes = new Uint8Array(32);
  for (let at = 0; at < 32; at++) bytes[at] = Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16);
  return `'sha256-${toBase64(bytes)}'`;
}

/**
 * Returns the content security policy: only the page's own style and script, and embedded images. It is computed when a
 * page is written, because the hashes would delay every program that loads the formats.
 */
export function buildContentSecurityPolicy(): string {
  return `default-src 'none'; style-src ${cspHash(pageStyle)}; script-src ${cspHash(pageScript)}; img-src data:; base-uri 'none'; form-action 'none'`;
}
