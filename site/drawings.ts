/** Generates the drawings of `docs/concepts.md` from live trees: each frame shows a store after real commands. */
import { openStore } from '@coppice/stores';
import { type OpenedTree, openTree } from '@coppice/stores/tree';
import { escapeHtml } from './html.ts';

interface DrawnNode {
  readonly id: string;
  readonly parent: string | null;
  readonly role: string;
  readonly text: string;
  readonly place: string;
  readonly active: boolean;
}

interface Frame {
  readonly caption: string;
  readonly nodes: readonly DrawnNode[];
}

/** A tree in an in-memory store, and the frames to draw of it. */
class Sketch {
  readonly tree: OpenedTree;
  readonly frames: Frame[] = [];
  readonly #ids: string[] = [];

  constructor(tree: OpenedTree) {
    this.tree = tree;
  }

  /** Adds a message of the user, or of the model if `model` is true. Returns its id. */
  async say(text: string, parentId?: string | null, model = false): Promise<string> {
    const role = model ? ('assistant' as const) : ('user' as const);
    const message = { role, content: [{ type: 'text', text }] };
    const { id } = await this.tree.append(message, parentId === undefined ? {} : { parentId });
    return this.#note(id);
  }

  async edit(id: string, text: string): Promise<string> {
    return this.#note((await this.tree.edit(id, text)).id);
  }

  #note(id: string): string {
    if (!this.#ids.includes(id)) this.#ids.push(id);
    return id;
  }

  /** Records the current tree as a frame. */
  async take(caption: string): Promise<void> {
    const active = new Set<string>((await this.tree.messages()).map(({ id }) => id));
    const nodes: DrawnNode[] = [];
    for (const id of this.#ids) {
      const path = await this.tree.path(id).catch(() => []);
      const node = path.at(-1);
      if (node === undefined) continue;
      const place = node.count > 1 ? `${node.index + 1}/${node.count}` : '';
      const parent = path.at(-2)?.id ?? null;
      nodes.push({ id, parent, role: node.role, text: node.text, place, active: active.has(id) });
    }
    this.frames.push({ caption, nodes });
  }
}

const recipes: Readonly<Record<string, (sketch: Sketch) => Promise<void>>> = {
  async tree(sketch) {
    await sketch.say('How do I start?');
    const flour = await sketch.say('Flour and water.', undefined, true);
    const rye = await sketch.say('What about rye?');
    await sketch.say('Rye is easy.', rye, true);
    await sketch.say('Judge it by its bubbles.', rye, true);
    const cold = await sketch.say('My kitchen is cold.', flour);
    const oven = await sketch.say("Use the oven's light.", cold, true);
    await sketch.tree.select(oven);
    await sketch.take('');
  },
  async versions(sketch) {
    await sketch.say('How do I start?');
    await sketch.say('Flour and water.', undefined, true);
    const rye = await sketch.say('What about rye?');
    await sketch.take('Before');
    await sketch.edit(rye, 'What about spelt?');
    await sketch.take('After you edited the question: both are kept');
  },
  async deleting(sketch) {
    await sketch.say('A');
    const b = await sketch.say('B', undefined, true);
    const c = await sketch.say('C');
    await sketch.take('Before');
    await sketch.tree.remove(b, { keepChildren: true });
    await sketch.take('Delete B, keep what follows (splice)');
    await sketch.tree.undo();
    await sketch.tree.select(c);
    await sketch.tree.remove(b);
    await sketch.take('Delete B and everything after it (cascade)');
  },
  async 'prefix-matching'(sketch) {
    const send = async (...texts: readonly string[]) => {
      let parent: string | null = null;
      for (const [at, text] of texts.entries()) parent = await sketch.say(text, parent, at % 2 === 1);
    };
    await send('A', 'B', 'C');
    await sketch.take('Stored');
    await send('A', 'B', 'C', 'D');
    await sketch.take('A, B, C, D is sent: D is new');
    await send('A', 'B', 'X');
    await sketch.take('A, B, X is sent: X becomes a variant of C');
  },
};

/** The names of the drawings; each is a file `docs/drawings/<name>.svg`. */
export const drawingNames: readonly string[] = Object.keys(recipes);

const [rowHeight, gap, charWidth, captionHeight, margin] = [44, 34, 7.6, 30, 18];

interface Placed extends DrawnNode {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** Computes the positions of a frame's nodes: children are right of their parent, one below the other. */
function place(
  nodes: readonly DrawnNode[],
  top: number,
): { readonly placed: readonly Placed[]; readonly height: number } {
  const placed: Placed[] = [];
  let row = 0;
  const open = nodes.filter(({ parent }) => parent === null).map((node) => ({ node, x: margin, first: true }));
  open.reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, x, first } = next;
    if (!first) row += 1;
    const width = Math.round((node.text.length + (node.place === '' ? 0 : node.place.length + 2)) * charWidth) + 42;
    placed.push({ ...node, x, y: top + row * rowHeight, width });
    const children = nodes.filter(({ parent }) => parent === node.id);
    for (const [at, child] of [...children.entries()].reverse())
      open.push({ node: child, x: x + width + gap, first: at === 0 });
  }
  return { placed, height: (row + 1) * rowHeight };
}

function drawEdge(from: Placed, to: Placed): string {
  const [x1, y1, x2, y2] = [from.x + from.width, from.y + 15, to.x, to.y + 15];
  const middle = x1 + gap / 2;
  const path = y1 === y2 ? `M${x1} ${y1}H${x2}` : `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
  return `<path class="${to.active && from.active ? 'on' : 'off'}" d="${path}"/>`;
}

function drawNode({ x, y, width, role, text, place: variant, active }: Placed): string {
  const look = `${active ? 'on' : 'off'}${role === 'user' ? ' user' : ''}`;
  const count = variant === '' ? '' : `<tspan class="place" dx="10">${variant}</tspan>`;
  return `<g class="${look}"><rect x="${x}" y="${y}" width="${width}" height="30" rx="15"/><circle cx="${x + 17}" cy="${y + 15}" r="5"/><text x="${x + 30}" y="${y + 20}">${escapeHtml(text)}${count}</text></g>`;
}

const style = `text{font:13.5px ui-sans-serif,system-ui,sans-serif;fill:#1d2620}path{fill:none;stroke-width:1.5;stroke:#8b8f80}path.on{stroke:#3f8a24;stroke-width:2.5}
rect{fill:#fff;stroke:#c9cec4}.paper{fill:#fcfdfb;stroke:none}.user rect{fill:#eef2ea}.on rect{stroke:#3f8a24}circle{fill:none;stroke:#6d7265;stroke-width:1.5}.user circle{fill:#6d7265}.on circle{stroke:#3f8a24}.on.user circle{fill:#3f8a24}.place{fill:#57605a;font-size:12px}.caption{fill:#46504a}
@media(prefers-color-scheme:dark){text{fill:#e8ebe4}.paper{fill:#1c211e}rect{fill:#262d29;stroke:#4a534d}.user rect{fill:#303a34}.on rect,path.on,.on circle{stroke:#8fd36f}.on.user circle{fill:#8fd36f}.place,.caption{fill:#c0c7c0}}`;

/** Draws all frames of one drawing as SVG. */
export async function renderDrawing(name: string): Promise<string> {
  const recipe = recipes[name];
  if (recipe === undefined) throw new Error(`There is no drawing ${name}.`);
  const store = await openStore('memory:');
  const sketch = new Sketch(openTree(store));
  await recipe(sketch);
  await store.close();
  const parts: string[] = [];
  let [y, width] = [margin, 0];
  for (const { caption, nodes } of sketch.frames) {
    if (caption !== '') {
      parts.push(`<text class="caption" x="${margin}" y="${y + 14}">${escapeHtml(caption)}</text>`);
      y += captionHeight;
      width = Math.max(width, margin * 2 + caption.length * 7);
    }
    const { placed, height } = place(nodes, y);
    const byId = new Map(placed.map((node) => [node.id, node]));
    for (const node of placed) {
      const parent = node.parent === null ? undefined : byId.get(node.parent);
      if (parent !== undefined) parts.push(drawEdge(parent, node));
    }
    parts.push(...placed.map(drawNode));
    width = Math.max(width, ...placed.map((node) => node.x + node.width + margin));
    y += height;
  }
  const height = y + 4;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img"><title>${escapeHtml(name.replaceAll('-', ' '))}</title><style>${style}</style><rect class="paper" width="${width}" height="${height}" rx="10"/>${parts.join('')}</svg>\n`;
}
