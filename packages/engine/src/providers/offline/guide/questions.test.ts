/** Newcomers' questions, each with the sections of the documentation that answer it. */
import { describe, expect, it } from 'vitest';
import { guideKnowledge } from './knowledge.ts';
import { createPassageIndex } from './search.ts';

type Question = readonly [question: string, ...sections: readonly string[]];

/** Questions that were written from the headings of the documents. */
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

/** Questions in other words, written before their ranking was known. */
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
  [
    'I want a safe copy of everything',
    'docs/getting-started.md#back-up-and-restore',
    'docs/guides/upgrade.md#make-a-backup',
  ],
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
    'docs/command-line.md#coppice-switch',
  ],
  [
    'take the result of a side branch into the main one',
    'docs/getting-started.md#branch-compare-and-merge',
    'docs/compaction.md#branches',
    'docs/commands.md#merge',
    'docs/command-line.md#coppice-merge',
  ],
  ['what do the numbers 2/3 next to a message mean', 'docs/concepts.md#versions-of-a-message'],
  [
    'does editing overwrite my old question',
    'docs/concepts.md#versions-of-a-message',
    'docs/getting-started.md#branch-compare-and-merge',
    'docs/command-line.md#coppice-edit',
  ],
  [
    'what is the difference between a branch and a variant',
    'docs/concepts.md#versions-of-a-message',
    'docs/concepts.md#a-chat-is-a-tree',
    'docs/glossary.md#glossary',
  ],
  ['keyboard shortcuts of the terminal chat', 'docs/getting-started.md#in-a-terminal'],
  ['tab completion for zsh', 'docs/getting-started.md#in-a-terminal', 'docs/command-line.md#coppice-completion'],
  [
    'can several people share one server',
    'docs/security.md#for-operators',
    'docs/guides/postgres.md#run-on-postgresql',
  ],
  [
    'put it on the internet behind nginx',
    'docs/security.md#for-operators',
    'docs/guides/deploy.md#behind-a-reverse-proxy-with-tls',
  ],
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

/**
 * Questions of a user who knew the program but had not seen the index, written before the ranking was changed for them.
 */
const fromUnfamiliarUser: readonly Question[] = [
  ['what is this program good for?', 'README.md#coppice', 'README.md#who-it-is-for'],
  ['how do I get it onto my laptop?', 'README.md#install', 'docs/getting-started.md#look-around'],
  ['which version of node do I need?', 'README.md#install'],
  ['where does it put my chats on disk?', 'docs/getting-started.md#look-around', 'README.md#your-first-chat'],
  [
    'can I use my claude account key with it?',
    'docs/getting-started.md#talk-to-a-model',
    'docs/models.md#connecting-a-model',
  ],
  ['how do i tell it my openai key?', 'docs/getting-started.md#talk-to-a-model', 'docs/models.md#connecting-a-model'],
  ['does it run with ollama or another model on my own machine?', 'docs/models.md#models-on-your-own-machine'],
  [
    'can I talk to two models at once and compare what they say?',
    'docs/getting-started.md#branch-compare-and-merge',
    'docs/page.md#thinking-temperature-and-several-replies',
  ],
  [
    "I don't like the answer, can I get another one?",
    'docs/getting-started.md#branch-compare-and-merge',
    'docs/command-line.md#coppice-regenerate',
  ],
  [
    'how do I change something I already sent?',
    'docs/getting-started.md#branch-compare-and-merge',
    'docs/concepts.md#versions-of-a-message',
    'docs/command-line.md#coppice-edit',
  ],
  [
    'I deleted a message by accident, how do I get it back',
    'docs/getting-started.md#undo-a-mistake',
    'docs/concepts.md#deleting',
    'docs/command-line.md#coppice-restore',
  ],
  [
    'how can I undo the last thing I did',
    'docs/getting-started.md#undo-a-mistake',
    'docs/concepts.md#undo-and-history',
  ],
  [
    'where do deleted chats go and how do I get rid of them for good?',
    'docs/security.md#what-a-purge-leaves',
    'docs/concepts.md#deleting',
  ],
  ['how do I bring in my chatgpt history?', 'docs/getting-started.md#bring-in-your-old-chats'],
  ["can it read claude code's sessions?", 'docs/sessions.md#other-files', 'docs/formats.md#formats'],
  [
    'how do I save a chat as markdown?',
    'docs/getting-started.md#back-up-and-restore',
    'docs/command-line.md#coppice-export',
  ],
  ['how do I show a chat to a friend who has no coppice?', 'docs/page.md#share-a-chat'],
  ['can several people use one installation?', 'docs/security.md#for-operators'],
  ['how do I add a user?', 'docs/security.md#for-operators'],
  ['I forgot my password', 'docs/security.md#for-operators', 'docs/command-line.md#coppice-token'],
  ['how do I make a backup?', 'docs/guides/upgrade.md#make-a-backup', 'docs/getting-started.md#back-up-and-restore'],
  ['how do I restore from a backup', 'docs/guides/upgrade.md#go-back', 'docs/getting-started.md#back-up-and-restore'],
  [
    'can I put everything in postgres instead of a file?',
    'docs/guides/postgres.md#run-on-postgresql',
    'docs/guides/postgres.md#move-there-from-sqlite',
  ],
  ['how do I move my chats from sqlite to postgres?', 'docs/guides/postgres.md#move-there-from-sqlite'],
  ['is my data sent anywhere?', 'docs/getting-started.md#getting-started', 'README.md#install'],
  ['how much does a chat cost me?', 'docs/models.md#prices-and-windows'],
  ['can I limit what is spent per day?', 'docs/models.md#budgets'],
  [
    'what happens when the conversation gets too long for the model?',
    'docs/compaction.md#what-happens-when-a-window-fills-up',
  ],
  ['how do I attach a picture?', 'docs/page.md#attachments', 'docs/models.md#files'],
  ['what file types can I drop in?', 'docs/page.md#attachments', 'docs/models.md#files', 'docs/formats.md#formats'],
  [
    'how can the model run tools or commands on my computer?',
    'docs/mcp.md#tools-of-mcp-servers',
    'docs/mcp.md#adding-a-server',
  ],
  ['how do I stop it from running dangerous commands?', 'docs/mcp.md#approval'],
  ['how do I connect an MCP server?', 'docs/mcp.md#adding-a-server', 'docs/mcp.md#adding-a-server-on-the-page'],
  ['can claude desktop read my coppice chats through mcp?', 'docs/mcp.md#coppice-as-a-server'],
  [
    "what's the difference between a branch and a variant?",
    'docs/concepts.md#versions-of-a-message',
    'docs/glossary.md#glossary',
    'docs/concepts.md#a-chat-is-a-tree',
  ],
  [
    'how do I jump to another branch?',
    'docs/commands.md#switch',
    'docs/getting-started.md#branch-compare-and-merge',
    'docs/command-line.md#coppice-switch',
  ],
  [
    'how do I see the whole tree?',
    'docs/page.md#the-map',
    'docs/getting-started.md#in-a-terminal',
    'docs/commands.md#tree',
  ],
  ['how do I find a message I wrote months ago?', 'docs/page.md#find-a-message'],
  [
    'how do I give a chat a different name?',
    'docs/getting-started.md#keep-your-chats-in-order',
    'docs/commands.md#name',
    'docs/command-line.md#coppice-rename',
  ],
  ['can I sort chats into folders or tag them?', 'docs/getting-started.md#keep-your-chats-in-order'],
  ['which keyboard shortcuts are there?', 'docs/page.md#keyboard-shortcuts'],
  ['is there a dark theme?', 'docs/page.md#appearance-and-language'],
  ['can I have the interface in german?', 'docs/page.md#appearance-and-language'],
  [
    'how do I write a system prompt?',
    'docs/page.md#system-prompts-and-presets',
    'docs/getting-started.md#keep-your-chats-in-order',
  ],
  [
    'how do I set the temperature?',
    'docs/models.md#parameters',
    'docs/page.md#thinking-temperature-and-several-replies',
  ],
  ['how do I turn on thinking / reasoning?', 'docs/page.md#thinking-temperature-and-several-replies'],
  ['how do I run it in docker?', 'docs/guides/deploy.md#run-it-on-a-server', 'docs/guides/deploy.md#one-person-sqlite'],
  ['how do I put it behind nginx with https?', 'docs/guides/deploy.md#behind-a-reverse-proxy-with-tls'],
  ['how do I record the calls of another app through the proxy?', 'docs/proxy.md#the-recording-proxy'],
  [
    'how do I use it in my own react app?',
    'docs/which-api.md#which-api-do-i-use',
    'docs/guides/add-branching.md#add-branching-to-your-chat-app',
    'docs/guides/embed.md#embed-coppice-in-your-app',
  ],
  ['how do I call it from python over http?', 'docs/http-api.md#http-api'],
  [
    'does it work with the vercel ai sdk?',
    'docs/guides/add-branching.md#add-branching-to-your-chat-app',
    'docs/guides/add-branching.md#the-ai-sdk',
  ],
  ['what do the exit codes mean?', 'docs/command-line.md#exit-codes', 'docs/error-codes.md#error-codes'],
  ['the port is already in use, what now?', 'docs/getting-started.md#look-around'],
  ['why does it say the store is locked?', 'docs/files-layout.md#lock'],
  [
    'my database is damaged, how do I repair it?',
    'docs/getting-started.md#back-up-and-restore',
    'docs/command-line.md#coppice-fsck',
  ],
  [
    'how do I make the terminal complete commands with tab?',
    'docs/getting-started.md#in-a-terminal',
    'docs/command-line.md#coppice-completion',
  ],
  ['how do I upgrade to a newer version?', 'docs/guides/upgrade.md#upgrade'],
  [
    'can I copy one message into another chat?',
    'docs/commands.md#cherry-pick',
    'docs/command-line.md#coppice-cherry-pick',
  ],
  [
    'how do I put two branches back together?',
    'docs/getting-started.md#branch-compare-and-merge',
    'docs/commands.md#merge',
    'docs/compaction.md#branches',
    'docs/command-line.md#coppice-merge',
  ],
];

/** Questions that were written later, to test the ranking with texts it was not tuned for. */
const writtenLater: readonly Question[] = [
  [
    'what do I type to begin a new conversation?',
    'README.md#your-first-chat',
    'docs/command-line.md#coppice-new',
    'docs/getting-started.md#keep-your-chats-in-order',
    'docs/getting-started.md#look-around',
  ],
  [
    'my api key stopped working, how do I replace it?',
    'docs/models.md#connecting-a-model',
    'docs/getting-started.md#talk-to-a-model',
    'docs/command-line.md#coppice-keys',
  ],
  [
    'can it use gemini?',
    'docs/getting-started.md#talk-to-a-model',
    'docs/models.md#connecting-a-model',
    'docs/models.md#models',
  ],
  [
    'how do I make it answer with a different model this time?',
    'docs/commands.md#the-model-of-a-branch',
    'docs/commands.md#model',
    'docs/page.md#thinking-temperature-and-several-replies',
  ],
  ['the answer stopped in the middle, can it go on?', 'docs/models.md#when-a-provider-fails'],
  [
    'how do I stop an answer while it is writing?',
    'docs/getting-started.md#in-a-terminal',
    'docs/models.md#when-a-provider-fails',
  ],
  ["how do I go back to yesterday's version of a chat?", 'docs/concepts.md#undo-and-history'],
  ['who can read my chats on a shared server?', 'docs/security.md#for-operators', 'docs/security.md#security'],
  ['is there an app for my phone?', 'docs/page.md#the-page'],
  ['can I use it without internet?', 'docs/models.md#without-a-key-and-without-a-network'],
  [
    'how do I delete a whole conversation?',
    'docs/getting-started.md#keep-your-chats-in-order',
    'docs/concepts.md#deleting',
    'docs/command-line.md#coppice-rm',
  ],
  [
    'how do I empty the trash?',
    'docs/security.md#what-a-purge-leaves',
    'docs/concepts.md#deleting',
    'docs/command-line.md#coppice-trash',
  ],
  [
    'what does pinned mean?',
    'docs/getting-started.md#keep-your-chats-in-order',
    'docs/glossary.md#glossary',
    'docs/command-line.md#coppice-pin',
  ],
  [
    'can I put notes or bookmarks on messages?',
    'docs/getting-started.md#branch-compare-and-merge',
    'docs/command-line.md#coppice-bookmark',
    'docs/commands.md#label',
  ],
  [
    'how do I print a chat as a web page?',
    'docs/page.md#share-a-chat',
    'docs/command-line.md#coppice-export',
    'docs/getting-started.md#back-up-and-restore',
  ],
  [
    'which file does the program keep its settings in?',
    'docs/models.md#the-configuration-file',
    'docs/getting-started.md#change-settings',
  ],
  ['how do I use another port?', 'docs/getting-started.md#look-around', 'docs/command-line.md#coppice-serve'],
  [
    'how do I open the browser page again?',
    'docs/page.md#the-page',
    'docs/command-line.md#coppice-open',
    'docs/getting-started.md#look-around',
  ],
  ['I want json output for a script', 'docs/getting-started.md#in-a-terminal', 'docs/command-line.md#exit-codes'],
  [
    'how do I see how many tokens are used?',
    'docs/commands.md#context',
    'docs/concepts.md#what-the-model-sees',
    'docs/models.md#prices-and-windows',
    'docs/getting-started.md#in-a-terminal',
  ],
  [
    'how can I make the summary shorter or in my own words?',
    'docs/compaction.md#who-writes-the-summary',
    'docs/commands.md#compact',
  ],
  ['does it log my prompts?', 'docs/security.md#security', 'docs/security.md#for-operators'],
  ['can claude code be recorded?', 'docs/proxy.md#the-recording-proxy', 'docs/command-line.md#coppice-proxy'],
  [
    'why is my recorded call missing?',
    'docs/proxy.md#never-in-the-way',
    'docs/proxy.md#what-is-kept',
    'docs/command-line.md#coppice-proxy',
  ],
  ['list everything my agents did today', 'docs/command-line.md#coppice-agents'],
  ['how do I split a long message in two?', 'docs/command-line.md#coppice-split'],
  ['how do I move a branch to another chat?', 'docs/command-line.md#coppice-move'],
  [
    'how do I check whether my installation is ok?',
    'docs/command-line.md#coppice-doctor',
    'docs/getting-started.md#back-up-and-restore',
    'docs/guides/observe.md#when-something-is-wrong',
  ],
  ['where can I see what changed in a chat?', 'docs/concepts.md#undo-and-history', 'docs/command-line.md#coppice-log'],
  [
    'can two people write in the same chat at the same time?',
    'docs/concepts.md#undo-and-history',
    'docs/security.md#for-operators',
    'README.md#who-it-is-for',
  ],
  [
    'which databases are supported?',
    'README.md#coppice',
    'docs/guides/postgres.md#run-on-postgresql',
    'README.md#your-first-chat',
  ],
  [
    'how do I write my own provider for our company llm?',
    'docs/guides/write-a-provider.md#write-a-provider',
    'docs/models.md#models-on-your-own-machine',
  ],
  ['prometheus metrics?', 'docs/guides/observe.md#metrics'],
  ['how large can a chat get?', 'README.md#who-it-is-for', 'docs/comparison.md#conversations'],
  [
    'how do I import a folder of claude code sessions automatically?',
    'docs/getting-started.md#bring-in-your-old-chats',
    'docs/command-line.md#coppice-import',
    'docs/sessions.md#other-files',
  ],
  [
    'can I edit what the model said?',
    'docs/concepts.md#versions-of-a-message',
    'docs/getting-started.md#branch-compare-and-merge',
    'docs/command-line.md#coppice-edit',
  ],
  [
    'how do I see my old chats in the terminal?',
    'docs/command-line.md#coppice-ls',
    'docs/getting-started.md#in-a-terminal',
    'docs/command-line.md#coppice-chat',
    'docs/command-line.md#coppice-show',
  ],
  ['does coppice store my api key in plain text?', 'docs/models.md#connecting-a-model', 'docs/security.md#security'],
  ['how do I set a monthly spending limit?', 'docs/models.md#budgets'],
  ['can I turn a branch into its own chat?', 'docs/commands.md#fork', 'docs/commands.md#branch'],
  ['what are hooks good for?', 'docs/sessions.md#hooks', 'docs/guides/write-a-hook.md#write-a-hook'],
  [
    'I want to run it on a raspberry pi for my family',
    'docs/security.md#for-operators',
    'docs/guides/deploy.md#run-it-on-a-server',
    'docs/guides/deploy.md#one-person-sqlite',
  ],
  ['how do I log in?', 'docs/security.md#for-operators', 'docs/command-line.md#coppice-token'],
  [
    'my chat has no title, how do I set one?',
    'docs/getting-started.md#keep-your-chats-in-order',
    'docs/compaction.md#titles',
    'docs/commands.md#name',
    'docs/command-line.md#coppice-rename',
  ],
  ['can the model search the web?', 'docs/mcp.md#tools-of-mcp-servers', 'docs/mcp.md#adding-a-server'],
  [
    'how do I regenerate only the last reply?',
    'docs/getting-started.md#branch-compare-and-merge',
    'docs/command-line.md#coppice-regenerate',
  ],
  [
    'is it free?',
    'README.md#coppice',
    'README.md#install',
    'README.md#who-it-is-for',
    'docs/comparison.md#comparison',
    'docs/models.md#prices-and-windows',
  ],
  [
    'how do I export all my data?',
    'docs/getting-started.md#back-up-and-restore',
    'docs/command-line.md#coppice-export',
  ],
  ['will my chats survive an update?', 'docs/guides/upgrade.md#upgrade'],
  [
    'how can I write multiple lines in the terminal chat?',
    'docs/getting-started.md#in-a-terminal',
    'docs/command-line.md#coppice-chat',
  ],
  ['how do I paste an image in the terminal?', 'docs/getting-started.md#in-a-terminal', 'docs/page.md#attachments'],
  [
    'which programs can I import from?',
    'docs/formats.md#formats',
    'docs/getting-started.md#bring-in-your-old-chats',
    'docs/command-line.md#coppice-import',
  ],
  [
    'what happens if two people edit the same message?',
    'docs/concepts.md#undo-and-history',
    'docs/guides/embed.md#refuse-what-is-stale',
  ],
  [
    'how do I delete only one message but keep the rest?',
    'docs/concepts.md#deleting',
    'docs/command-line.md#coppice-rm',
  ],
  ['how do I use lm studio?', 'docs/models.md#models-on-your-own-machine', 'docs/getting-started.md#talk-to-a-model'],
  ['show me the environment variables', 'docs/models.md#connecting-a-model'],
  [
    'why was my request refused?',
    'docs/http-api.md#what-is-refused',
    'docs/guides/observe.md#logs',
    'docs/models.md#budgets',
    'docs/error-codes.md#error-codes',
  ],
  [
    'how do I add langchain?',
    'docs/guides/add-branching.md#langchain',
    'docs/guides/add-branching.md#add-branching-to-your-chat-app',
  ],
  ['can I see exactly what was sent to the model?', 'docs/concepts.md#what-the-model-sees', 'docs/commands.md#context'],
  [
    'make coppice remember the model I picked',
    'docs/models.md#which-model-answers-by-default',
    'docs/commands.md#the-model-of-a-branch',
    'docs/getting-started.md#change-settings',
  ],
  ['how do I unshare a link?', 'docs/page.md#share-a-chat', 'docs/command-line.md#coppice-share'],
  [
    'where is the database file?',
    'docs/getting-started.md#look-around',
    'README.md#coppice',
    'README.md#your-first-chat',
    'docs/guides/upgrade.md#make-a-backup',
  ],
  ['do you support windows?', 'docs/getting-started.md#getting-started', 'README.md#install'],
];

/** Questions that were written before the slash commands and the guides for operators had question forms. */
const beforeMoreExamples: readonly Question[] = [
  ['Can I use this offline with a model on my own laptop?', 'docs/models.md#models-on-your-own-machine'],
  [
    'where does it save my conversations on disk',
    'docs/getting-started.md#look-around',
    'docs/guides/upgrade.md#make-a-backup',
    'docs/getting-started.md#back-up-and-restore',
  ],
  [
    'I deleted a chat by accident, can I get it back?',
    'docs/getting-started.md#undo-a-mistake',
    'docs/concepts.md#deleting',
    'docs/command-line.md#coppice-restore',
    'docs/command-line.md#coppice-trash',
  ],
  [
    'how do I see what changed between two answers',
    'docs/getting-started.md#branch-compare-and-merge',
    'docs/command-line.md#coppice-diff',
  ],
  ['Does it send my data anywhere?', 'docs/getting-started.md#getting-started', 'docs/security.md#security'],
  ['how do I set a spending limit per day', 'docs/models.md#budgets'],
  [
    'how do I bring my ChatGPT history in',
    'docs/getting-started.md#bring-in-your-old-chats',
    'docs/command-line.md#coppice-import',
  ],
  [
    'can two people use one installation',
    'docs/guides/deploy.md#several-users-postgresql-two-servers',
    'docs/security.md#for-operators',
  ],
  ['How can I put it behind nginx with https', 'docs/guides/deploy.md#behind-a-reverse-proxy-with-tls'],
  [
    'how to make a backup every night',
    'docs/guides/upgrade.md#make-a-backup',
    'docs/guides/deploy.md#backups',
    'docs/getting-started.md#back-up-and-restore',
    'docs/command-line.md#coppice-backup',
  ],
  ['my reply was cut off half way, how do I go on', 'docs/models.md#when-a-provider-fails'],
  ['Can I get three answers to the same question at once', 'docs/page.md#thinking-temperature-and-several-replies'],
  ['run it in docker', 'docs/guides/deploy.md#run-it-on-a-server', 'docs/guides/deploy.md#one-person-sqlite'],
  ['how do I open it on my phone', 'docs/page.md#the-page', 'docs/getting-started.md#look-around'],
  ['which keyboard shortcuts exist', 'docs/page.md#keyboard-shortcuts'],
  [
    'what happens when the conversation gets too long for the model',
    'docs/compaction.md#what-happens-when-a-window-fills-up',
  ],
  ['can I use it with claude code', 'docs/proxy.md#the-recording-proxy', 'docs/command-line.md#coppice-proxy'],
  [
    'how do I record what my agent sends to openai',
    'docs/proxy.md#the-recording-proxy',
    'docs/command-line.md#coppice-proxy',
  ],
  ['can a cheaper model write the titles', 'docs/compaction.md#titles', 'docs/compaction.md#who-writes-the-summary'],
  [
    'can the model read my files with tools',
    'docs/mcp.md#tools-of-mcp-servers',
    'docs/mcp.md#adding-a-server',
    'docs/page.md#attachments',
  ],
  [
    'how do I stop an answer that is running',
    'docs/getting-started.md#in-a-terminal',
    'docs/command-line.md#coppice-chat',
    'docs/page.md#keyboard-shortcuts',
  ],
  ['how do I change the language of the interface', 'docs/page.md#appearance-and-language'],
  [
    'export a chat as markdown',
    'docs/formats.md#ways-in-and-out',
    'docs/command-line.md#coppice-export',
    'docs/getting-started.md#back-up-and-restore',
  ],
  ['send a link of a chat to a colleague', 'docs/page.md#share-a-chat', 'docs/command-line.md#coppice-share'],
  ['can I call it from python over http', 'docs/http-api.md#http-api'],
  ['how do I move from sqlite to postgres', 'docs/guides/postgres.md#move-there-from-sqlite'],
  [
    "what's the difference between a branch and a variant",
    'docs/concepts.md#versions-of-a-message',
    'docs/glossary.md#glossary',
    'docs/concepts.md#a-chat-is-a-tree',
  ],
  [
    'can I delete a single message in the middle without losing the rest',
    'docs/concepts.md#deleting',
    'docs/command-line.md#coppice-rm',
  ],
  ['how do I attach a pdf', 'docs/page.md#attachments'],
  ['port 4747 is already in use', 'docs/command-line.md#coppice-serve', 'docs/getting-started.md#look-around'],
];

/** Returns the questions that the best passage does not answer, with what was found instead. */
function findMisses(questions: readonly Question[]): string[] {
  const index = createPassageIndex(guideKnowledge.passages);
  return questions.flatMap(([question, ...sections]) => {
    const best = index.search(question, 1)[0]?.passage;
    const found = best === undefined ? 'nothing' : `${best.path}#${best.anchor}`;
    return sections.includes(found) ? [] : [`${question} → ${found}`];
  });
}

describe('questions of newcomers', () => {
  it('[G69] at least 45 of 50 questions that are written from the headings find the right section', () => {
    expect(fromHeadings).toHaveLength(50);
    const missed = findMisses(fromHeadings);
    expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(5);
  });

  it('[G69] at least 40 of 50 questions in other words find the right section', () => {
    expect(otherWording).toHaveLength(50);
    const missed = findMisses(otherWording);
    expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(10);
  });

  it('[G69] at least 50 of 60 questions of an unfamiliar user, 45 of another 63 and 26 of 30 find the right section', () => {
    expect([fromUnfamiliarUser.length, writtenLater.length, beforeMoreExamples.length]).toEqual([60, 63, 30]);
    for (const [questions, most] of [
      [fromUnfamiliarUser, 10],
      [writtenLater, 18],
      [beforeMoreExamples, 4],
    ] as const) {
      const missed = findMisses(questions);
      expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(most);
    }
  });

  it('[G69] one wrong letter in a word does not matter', () => {
    const right: readonly Question[] = [
      ['How do I improt my chats?', 'docs/getting-started.md#bring-in-your-old-chats'],
      ['how do I set the temprature', 'docs/models.md#parameters'],
      ['which keybord shortcuts are there', 'docs/page.md#keyboard-shortcuts'],
    ];
    expect(findMisses(right)).toEqual([]);
  });

  it('[G69] a word that differs from one of the documents in its first letter is another word', () => {
    const question: Question = ['how to make a backup every night', 'docs/guides/upgrade.md#make-a-backup'];
    expect(findMisses([question])).toEqual([]);
  });

  it('[G69] every section that a question expects exists', () => {
    const anchors = new Set(guideKnowledge.passages.map(({ path, anchor }) => `${path}#${anchor}`));
    const expected = [
      ...fromHeadings,
      ...otherWording,
      ...fromUnfamiliarUser,
      ...writtenLater,
      ...beforeMoreExamples,
    ].flatMap(([, ...sections]) => sections);
    expect(expected.filter((section) => !anchors.has(section))).toEqual([]);
  });
});
