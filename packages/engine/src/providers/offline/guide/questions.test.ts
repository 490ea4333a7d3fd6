/** Newcomers' questions, each with the sections of the documentation that answer it. */
import { describe, expect, it } from 'vitest';
import { knowledge } from './knowledge.ts';
import { createIndex } from './search.ts';

type Question = readonly [question: string, ...sections: readonly string[]];

/** Written from the headings of the documents. */
const fromHeadings: readonly Question[] = [
  ['How do I install Coppice?', 'README.md#install'],
  ['Who is Coppice for?', 'README.md#who-it-is-for'],
  ['Which packages are there?', 'README.md#what-is-here'],
  ['How do I start my first chat?', 'README.md#your-first-chat', 'docs/getting-started.md#look-around'],
  ['How do I look around in the example?', 'docs/getting-started.md#look-around'],
  ['How do I use it in a terminal?', 'docs/getting-started.md#in-a-terminal'],
  ['How do I talk to a model?', 'docs/getting-started.md#talk-to-a-model', 'docs/models.md#connecting-a-model'],
  ['How do I undo a mistake?', 'docs/getting-started.md#undo-a-mistake'],
  ['How do I compare and merge branches?', 'docs/getting-started.md#branch-compare-and-merge'],
  ['How do I keep my chats in order?', 'docs/getting-started.md#keep-your-chats-in-order'],
  [
    'How do I import my chats from ChatGPT?',
    'docs/getting-started.md#bring-in-your-old-chats',
    'docs/formats.md#formats',
  ],
  ['How do I make a backup and restore it?', 'docs/getting-started.md#back-up-and-restore'],
  ['How do I change settings?', 'docs/getting-started.md#change-settings', 'docs/models.md#the-configuration-file'],
  ['What is a tree?', 'docs/concepts.md#a-chat-is-a-tree', 'docs/glossary.md#glossary'],
  ['What are versions of a message?', 'docs/concepts.md#versions-of-a-message'],
  ['How do undo and history work?', 'docs/concepts.md#undo-and-history'],
  ['What happens when I delete a message?', 'docs/concepts.md#deleting'],
  ['What does the model see?', 'docs/concepts.md#what-the-model-sees'],
  ['What is prefix matching?', 'docs/concepts.md#prefix-matching'],
  ['How do I connect a model?', 'docs/models.md#connecting-a-model', 'docs/getting-started.md#talk-to-a-model'],
  ['How do I use models on my own machine?', 'docs/models.md#models-on-your-own-machine'],
  ['Which model answers by default?', 'docs/models.md#which-model-answers-by-default'],
  ['Can I use Coppice without a key and without a network?', 'docs/models.md#without-a-key-and-without-a-network'],
  ['Which parameters can I set?', 'docs/models.md#parameters'],
  ['How do I set prices and context windows?', 'docs/models.md#prices-and-windows'],
  ['How do I set a budget?', 'docs/models.md#budgets'],
  ['What happens when a provider fails?', 'docs/models.md#when-a-provider-fails'],
  [
    'Where is the configuration file?',
    'docs/models.md#the-configuration-file',
    'docs/getting-started.md#change-settings',
  ],
  ['What is a session file?', 'docs/sessions.md#session-files'],
  ['Which lines does a session file have?', 'docs/sessions.md#lines'],
  ['How do hooks work?', 'docs/sessions.md#hooks', 'docs/guides/write-a-hook.md#write-a-hook'],
  ['What is the recording proxy?', 'docs/proxy.md#the-recording-proxy'],
  ['Where do the calls of the proxy go?', 'docs/proxy.md#where-calls-go'],
  ['How do I add an MCP server?', 'docs/mcp.md#adding-a-server', 'docs/mcp.md#adding-a-server-on-the-page'],
  ['Do tools need my approval?', 'docs/mcp.md#approval'],
  ['What happens with tools that change?', 'docs/mcp.md#tools-that-change'],
  ['How do I use Coppice as an MCP server?', 'docs/mcp.md#coppice-as-a-server'],
  ['What happens when the context window is full?', 'docs/compaction.md#what-happens-when-a-window-fills-up'],
  ['Who writes the summary?', 'docs/compaction.md#who-writes-the-summary'],
  ['How are titles made?', 'docs/compaction.md#titles'],
  ['How do I name a node in a command?', 'docs/commands.md#naming-a-node'],
  ['How do I go back to an earlier message?', 'docs/commands.md#going-back'],
  [
    'How do I embed Coppice in my app?',
    'docs/guides/embed.md#embed-coppice-in-your-app',
    'docs/guides/embed.md#store-a-conversation',
  ],
  ['How do I run it on PostgreSQL?', 'docs/guides/postgres.md#run-on-postgresql'],
  ['How do I write a provider?', 'docs/guides/write-a-provider.md#write-a-provider'],
  ['How do I write a store?', 'docs/guides/write-a-store.md#write-a-store'],
  ['How do I write a command?', 'docs/guides/write-a-command.md#write-a-command'],
  ['Which API do I use?', 'docs/which-api.md#which-api-do-i-use'],
  ['What does a purge leave?', 'docs/security.md#what-a-purge-leaves'],
  ['What do operators of a server for a team have to know?', 'docs/security.md#for-operators'],
];

/** Other wording, written before anybody saw how the index ranks it. */
const otherWording: readonly Question[] = [
  ['what do i need on my computer before npm install', 'README.md#install', 'docs/getting-started.md#getting-started'],
  ['in one line, what is this program good for', 'README.md#coppice', 'README.md#who-it-is-for'],
  ['is this something for me?', 'README.md#who-it-is-for'],
  [
    'how can I take back what I just did',
    'docs/getting-started.md#undo-a-mistake',
    'docs/concepts.md#undo-and-history',
  ],
  ['oops, I deleted the wrong branch', 'docs/getting-started.md#undo-a-mistake', 'docs/concepts.md#deleting'],
  [
    'can I get my Claude.ai history in here',
    'docs/getting-started.md#bring-in-your-old-chats',
    'docs/formats.md#formats',
  ],
  [
    'move all my conversations to another computer',
    'docs/getting-started.md#back-up-and-restore',
    'docs/getting-started.md#bring-in-your-old-chats',
  ],
  ['I want a safe copy of everything', 'docs/getting-started.md#back-up-and-restore'],
  ['change the name of a conversation', 'docs/getting-started.md#keep-your-chats-in-order', 'docs/commands.md#name'],
  ['where do I put my OpenAI key', 'docs/models.md#connecting-a-model', 'docs/getting-started.md#talk-to-a-model'],
  ['does it work with ollama', 'docs/models.md#models-on-your-own-machine'],
  ['I want to run a local llm', 'docs/models.md#models-on-your-own-machine'],
  [
    'why does a guide answer instead of GPT',
    'docs/models.md#without-a-key-and-without-a-network',
    'docs/getting-started.md#talk-to-a-model',
    'docs/models.md#which-model-answers-by-default',
  ],
  ['can I limit how much money it spends', 'docs/models.md#budgets'],
  ['the replies are too random', 'docs/models.md#parameters'],
  ['what is the context length of my model', 'docs/models.md#prices-and-windows'],
  ['anthropic is overloaded, what now', 'docs/models.md#when-a-provider-fails'],
  ['where are my settings stored', 'docs/models.md#the-configuration-file', 'docs/getting-started.md#change-settings'],
  ['pick the llm that is used when I say nothing', 'docs/models.md#which-model-answers-by-default'],
  [
    'give the model access to a folder of mine with tools',
    'docs/mcp.md#adding-a-server',
    'docs/mcp.md#adding-a-server-on-the-page',
  ],
  ['stop asking me before each tool call', 'docs/mcp.md#approval'],
  ['is it safe to add a tool server that someone else wrote', 'docs/mcp.md#approval', 'docs/mcp.md#tools-that-change'],
  ['let claude desktop search my old chats', 'docs/mcp.md#coppice-as-a-server'],
  ['record what my agent sends to openai', 'docs/proxy.md#the-recording-proxy'],
  ['does the proxy slow my program down', 'docs/proxy.md#never-in-the-way'],
  ['are my api keys saved in the recordings', 'docs/proxy.md#what-is-kept', 'docs/security.md#security'],
  ['pause the recording', 'docs/proxy.md#never-in-the-way'],
  [
    'the conversation got too long for the model',
    'docs/compaction.md#what-happens-when-a-window-fills-up',
    'docs/compaction.md#when-it-happens',
    'docs/concepts.md#what-the-model-sees',
    'docs/compaction.md#compaction-summaries-and-titles',
  ],
  [
    'shorten old messages with a summary',
    'docs/compaction.md#compaction-summaries-and-titles',
    'docs/compaction.md#what-happens-when-a-window-fills-up',
    'docs/compaction.md#when-it-happens',
    'docs/commands.md#compact',
  ],
  ['turn automatic summaries off', 'docs/compaction.md#when-it-happens', 'docs/compaction.md#who-writes-the-summary'],
  ['see two answers side by side', 'docs/getting-started.md#branch-compare-and-merge'],
  [
    'jump back to an older message and try something else',
    'docs/commands.md#going-back',
    'docs/getting-started.md#branch-compare-and-merge',
    'docs/commands.md#branch-here',
  ],
  [
    'take the result of a side branch into the main one',
    'docs/getting-started.md#branch-compare-and-merge',
    'docs/compaction.md#branches',
    'docs/commands.md#merge',
  ],
  ['what do the numbers 2/3 next to a message mean', 'docs/concepts.md#versions-of-a-message'],
  [
    'does editing overwrite my old question',
    'docs/concepts.md#versions-of-a-message',
    'docs/getting-started.md#branch-compare-and-merge',
  ],
  [
    'what is the difference between a branch and a variant',
    'docs/concepts.md#versions-of-a-message',
    'docs/concepts.md#a-chat-is-a-tree',
    'docs/glossary.md#glossary',
  ],
  ['keyboard shortcuts of the terminal chat', 'docs/getting-started.md#in-a-terminal'],
  ['tab completion for zsh', 'docs/getting-started.md#in-a-terminal'],
  [
    'can several people share one server',
    'docs/security.md#for-operators',
    'docs/guides/postgres.md#run-on-postgresql',
  ],
  ['put it on the internet behind nginx', 'docs/security.md#for-operators'],
  ['erase something permanently', 'docs/security.md#what-a-purge-leaves', 'docs/concepts.md#deleting'],
  ['call it from python over http', 'docs/http-api.md#http-api', 'docs/which-api.md#which-api-do-i-use'],
  ['react components for a chat app', 'docs/which-api.md#which-api-do-i-use', 'README.md#what-is-here'],
  [
    'use the typescript library without a server',
    'docs/which-api.md#which-api-do-i-use',
    'docs/guides/embed.md#embed-coppice-in-your-app',
    'README.md#the-library-in-ten-lines',
    'docs/getting-started.md#in-a-program',
  ],
  ['many servers on one database', 'docs/guides/postgres.md#run-on-postgresql'],
  ["support the export file of another chat program that isn't listed", 'docs/guides/write-a-format.md#write-a-format'],
  ['add my own slash command', 'docs/guides/write-a-command.md#write-a-command'],
  ['plug in a different database', 'docs/guides/write-a-store.md#write-a-store'],
  ['open a jsonl file that Claude Code wrote', 'docs/sessions.md#other-files', 'docs/sessions.md#session-files'],
  ['what does the word graft mean', 'docs/glossary.md#glossary'],
];

/** The questions that the best passage does not answer, with what was found instead. */
function misses(questions: readonly Question[]): string[] {
  const index = createIndex(knowledge.passages);
  return questions.flatMap(([question, ...sections]) => {
    const best = index.search(question, 1)[0]?.passage;
    const found = best === undefined ? 'nothing' : `${best.path}#${best.anchor}`;
    return sections.includes(found) ? [] : [`${question} → ${found}`];
  });
}

describe('questions of newcomers', () => {
  it('[G69] at least 45 of 50 questions that are written from the headings find the right section', () => {
    expect(fromHeadings).toHaveLength(50);
    const missed = misses(fromHeadings);
    expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(5);
  });

  it('[G69] at least 40 of 50 questions in other words find the right section', () => {
    expect(otherWording).toHaveLength(50);
    const missed = misses(otherWording);
    expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(10);
  });

  it('[G69] every section that a question expects exists', () => {
    const anchors = new Set(knowledge.passages.map(({ path, anchor }) => `${path}#${anchor}`));
    const expected = [...fromHeadings, ...otherWording].flatMap(([, ...sections]) => sections);
    expect(expected.filter((section) => !anchors.has(section))).toEqual([]);
  });
});
