/** The pages of the site that are generated from Markdown, in the order of the navigation. */

/** A page that is generated from a document of the repository. */
export interface DocumentPage {
  /** The path of the document, from the root of the repository. */
  readonly source: string;
  /** The address, from the root of the site, without `.html`. */
  readonly address: string;
  /** The name in the navigation. */
  readonly label: string;
}

export interface NavigationGroup {
  readonly title: string;
  readonly pages: readonly DocumentPage[];
}

function doc(name: string, label: string): DocumentPage {
  return { source: `docs/${name}.md`, address: `docs/${name}`, label };
}

function rootDocument(name: string, address: string, label: string): DocumentPage {
  return { source: `${name}.md`, address: `project/${address}`, label };
}

/**
 * The groups of the navigation. A test checks that every document of `docs/` is in one of them. Decisions have their
 * own list.
 */
export const navigationGroups: readonly NavigationGroup[] = [
  {
    title: 'Start here',
    pages: [
      doc('getting-started', 'Getting started'),
      doc('concepts', 'Concepts'),
      doc('comparison', 'Comparison'),
      doc('which-api', 'Which API do I use'),
    ],
  },
  {
    title: 'Use it',
    pages: [
      doc('page', 'The page'),
      doc('models', 'Models'),
      doc('command-line', 'Command line'),
      doc('commands', 'Commands'),
      doc('formats', 'Import and export'),
      doc('proxy', 'Recording proxy'),
      doc('mcp', 'MCP'),
      doc('sessions', 'Session files'),
      doc('compaction', 'Compaction'),
      doc('security', 'Security'),
    ],
  },
  {
    title: 'Run it',
    pages: [
      doc('guides/deploy', 'On a server'),
      doc('guides/postgres', 'On PostgreSQL'),
      doc('guides/large-scale', 'For very many users'),
      doc('guides/upgrade', 'Upgrades and backups'),
      doc('guides/observe', 'Metrics and logs'),
    ],
  },
  {
    title: 'Build on it',
    pages: [
      doc('guides/embed', 'In your program'),
      doc('guides/add-branching', 'Add branching to your app'),
      doc('guides/move-your-messages', 'Move your messages'),
      doc('guides/write-a-provider', 'Write a provider'),
      doc('guides/write-a-store', 'Write a store'),
      doc('guides/write-a-format', 'Write a format'),
      doc('guides/write-a-hook', 'Write a hook'),
      doc('guides/write-a-command', 'Write a command'),
    ],
  },
  {
    title: 'Reference',
    pages: [
      doc('http-api', 'HTTP API, explained'),
      doc('settings', 'Settings'),
      doc('error-codes', 'Error codes'),
      doc('files-layout', 'Files on disk'),
      doc('glossary', 'Glossary'),
    ],
  },
  {
    title: 'The project',
    pages: [
      doc('benchmarks', 'Benchmarks'),
      doc('torture', 'How it is tested'),
      doc('dependencies', 'Dependencies'),
      rootDocument('CHANGELOG', 'changelog', 'Changelog'),
      rootDocument('ARCHITECTURE', 'architecture', 'Architecture'),
      rootDocument('CONTRIBUTING', 'contributing', 'Contributing'),
      rootDocument('SECURITY', 'security-policy', 'Report a vulnerability'),
      rootDocument('CODE_OF_CONDUCT', 'code-of-conduct', 'Code of conduct'),
      { source: 'docs/decisions/README.md', address: 'docs/decisions/index', label: 'Decisions' },
    ],
  },
];

/** Returns whether a document of `docs/` has a page but no line in the navigation. */
export function isUnlistedPage(path: string): boolean {
  return /^docs\/decisions\/[\w-]+\.md$/.test(path) && path !== 'docs/decisions/README.md';
}

/**
 * Returns all pages that are generated from documents: those of the navigation, then the decisions among these paths.
 */
export function listDocumentPages(paths: readonly string[]): readonly DocumentPage[] {
  const decisions = paths.filter(isUnlistedPage).map((source) => {
    const name = source.replace(/^docs\/|\.md$/g, '');
    return { source, address: `docs/${name}`, label: name.replace('decisions/', '').replaceAll('-', ' ') };
  });
  return [...navigationGroups.flatMap(({ pages }) => pages), ...decisions];
}
