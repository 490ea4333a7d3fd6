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
  ['does the proxy slow my program down', 'docs/proxy.md#recording-never-delays-a-call'],
  ['are my api keys saved in the recordings', 'docs/proxy.md#what-is-recorded', 'docs/security.md#security'],
  ['pause the recording', 'docs/proxy.md#recording-never-delays-a-call'],
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
    'docs/proxy.md#recording-never-delays-a-call',
    'docs/proxy.md#what-is-recorded',
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
    'docs/guides/embed.md#detect-conflicting-writes',
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
    'docs/http-api.md#errors',
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
    'docs/formats.md#how-to-import-and-export',
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

/** Questions of a reader who had only installed the command. 22 found their section before the synonyms were added. */
const afterInstalling: readonly Question[] = [
  [
    "how do I stop a reply that's going on too long",
    'docs/models.md#when-a-provider-fails',
    'docs/getting-started.md#in-a-terminal',
  ],
  [
    'can I get back a message I deleted by mistake',
    'docs/getting-started.md#undo-a-mistake',
    'docs/command-line.md#coppice-restore',
    'docs/concepts.md#deleting',
  ],
  [
    'where does this thing put my chats on disk',
    'docs/guides/upgrade.md#make-a-backup',
    'docs/getting-started.md#look-around',
  ],
  ['how do I hook up my OpenAI key', 'docs/models.md#connecting-a-model', 'docs/getting-started.md#talk-to-a-model'],
  ['does it run with ollama on my own machine', 'docs/models.md#models-on-your-own-machine'],
  ['how do i bring in my chatgpt history', 'docs/getting-started.md#bring-in-your-old-chats'],
  [
    'can I move my chats out as markdown',
    'docs/command-line.md#coppice-export',
    'docs/getting-started.md#back-up-and-restore',
    'docs/formats.md#formats',
  ],
  ['what is a variant', 'docs/glossary.md#glossary', 'docs/concepts.md#versions-of-a-message'],
  ['how do I see an older version of an answer', 'docs/concepts.md#versions-of-a-message'],
  ['is my data sent anywhere', 'docs/getting-started.md#getting-started', 'docs/security.md#security'],
  [
    'how do I give two people separate logins',
    'docs/security.md#for-operators',
    'docs/guides/deploy.md#several-users-postgresql-two-servers',
  ],
  [
    'how can I let a colleague read one conversation',
    'docs/page.md#share-a-chat',
    'docs/command-line.md#coppice-share',
  ],
  ['can I use it from python', 'docs/which-api.md#which-api-do-i-use'],
  [
    'what happens if I change my question after the answer came',
    'docs/concepts.md#versions-of-a-message',
    'docs/getting-started.md#branch-compare-and-merge',
  ],
  [
    'how do I compare what two models say',
    'docs/getting-started.md#branch-compare-and-merge',
    'docs/command-line.md#coppice-diff',
  ],
  [
    'how do i search all my old chats',
    'docs/page.md#find-a-message',
    'docs/command-line.md#coppice-search',
    'docs/getting-started.md#in-a-terminal',
  ],
  ['how much have I spent', 'docs/models.md#prices-and-windows'],
  ['how do I make it shorter when the context gets full', 'docs/compaction.md#what-happens-when-a-window-fills-up'],
  ['how do I connect a tool server over MCP', 'docs/mcp.md#adding-a-server', 'docs/mcp.md#adding-a-server-on-the-page'],
  ['how do I record what Claude Code does', 'docs/command-line.md#coppice-proxy', 'docs/proxy.md#the-recording-proxy'],
  [
    'which port does it listen on and can I change it',
    'docs/getting-started.md#look-around',
    'docs/command-line.md#coppice-serve',
  ],
  ['how do I put it behind nginx with https', 'docs/guides/deploy.md#behind-a-reverse-proxy-with-tls'],
  [
    'how do I back everything up',
    'docs/guides/upgrade.md#make-a-backup',
    'docs/getting-started.md#back-up-and-restore',
  ],
  [
    'what do I do when the database is broken',
    'docs/command-line.md#coppice-fsck',
    'docs/command-line.md#coppice-doctor',
  ],
  [
    'how do I use postgres instead of sqlite',
    'docs/guides/postgres.md#move-there-from-sqlite',
    'docs/guides/postgres.md#run-on-postgresql',
  ],
  ['can I send a picture to the model', 'docs/page.md#attachments', 'docs/models.md#files'],
  ['what does the @ sign do in the chat', 'docs/getting-started.md#in-a-terminal'],
  ['how do I set a system prompt', 'docs/page.md#system-prompts-and-presets'],
  ['how do I use this in my React app', 'docs/which-api.md#which-api-do-i-use', 'docs/getting-started.md#in-a-program'],
  ['how do I update to a newer version without losing my chats', 'docs/guides/upgrade.md#upgrade'],
];

/**
 * Questions that were written from the headings alone. 33 of the first 50 found their section at once. The last 30 were
 * written after the ranking had been improved for those; 21 of them did.
 */
const fromOutsider: readonly Question[] = [
  ['how do I put this on my laptop?', 'README.md#install', 'docs/getting-started.md#getting-started'],
  [
    'what do I need to type to see it working for the first time',
    'docs/getting-started.md#look-around',
    'README.md#your-first-chat',
  ],
  [
    'can I chat from my shell instead of the browser?',
    'docs/getting-started.md#in-a-terminal',
    'docs/command-line.md#coppice-chat',
  ],
  [
    'where do I paste my openai api key',
    'docs/models.md#connecting-a-model',
    'docs/getting-started.md#talk-to-a-model',
    'docs/command-line.md#coppice-keys',
    'docs/settings.md#keys-of-providers',
  ],
  ['does it run with ollama or llama.cpp locally', 'docs/models.md#models-on-your-own-machine'],
  [
    'I removed a message by accident, can I get it back',
    'docs/getting-started.md#undo-a-mistake',
    'docs/concepts.md#deleting',
    'docs/command-line.md#coppice-undo',
    'docs/command-line.md#coppice-restore',
    'docs/concepts.md#undo-and-history',
  ],
  [
    'how do I bring over my ChatGPT history?',
    'docs/getting-started.md#bring-in-your-old-chats',
    'docs/formats.md#databases-logs-and-pipes',
    'docs/command-line.md#coppice-import',
  ],
  [
    'how can I make a copy of everything in case my disk dies',
    'docs/getting-started.md#back-up-and-restore',
    'docs/guides/upgrade.md#make-a-backup',
    'docs/command-line.md#coppice-backup',
    'docs/guides/deploy.md#backups',
  ],
  ['what does "tree" mean here, I thought a chat was a list', 'docs/concepts.md#a-chat-is-a-tree'],
  ['what happens if I edit a question I already asked', 'docs/concepts.md#versions-of-a-message'],
  [
    'how do I give someone a link to my conversation',
    'docs/page.md#share-a-chat',
    'docs/command-line.md#coppice-share',
  ],
  ['is there a dark mode', 'docs/page.md#appearance-and-language'],
  ['which keys can I press in the web page', 'docs/page.md#keyboard-shortcuts'],
  ['can I attach a pdf or a photo', 'docs/page.md#attachments'],
  ['how do I search all of my old messages', 'docs/page.md#find-a-message', 'docs/command-line.md#coppice-search'],
  ['I want the model to think longer before it replies', 'docs/page.md#thinking-temperature-and-several-replies'],
  ['can I ask for three answers at once and pick the best', 'docs/page.md#thinking-temperature-and-several-replies'],
  ['how do I tell the assistant how to behave in every chat', 'docs/page.md#system-prompts-and-presets'],
  ['what is that picture with circles and lines', 'docs/page.md#the-map'],
  [
    'what happens when the conversation gets too long for the model',
    'docs/compaction.md#what-happens-when-a-window-fills-up',
    'docs/compaction.md#when-it-happens',
  ],
  ['who names my chats and can I turn that off', 'docs/compaction.md#titles'],
  ['how do I stop spending too much money', 'docs/models.md#budgets'],
  ['how much does a message cost me', 'docs/models.md#prices-and-windows'],
  ["which model is used if I don't choose one", 'docs/models.md#which-model-answers-by-default'],
  ['can I use it on a plane without internet', 'docs/models.md#without-a-key-and-without-a-network'],
  ['openai is down, what does it do then', 'docs/models.md#when-a-provider-fails'],
  ['how do I record what claude code sends', 'docs/proxy.md#the-recording-proxy', 'docs/command-line.md#coppice-proxy'],
  ['will recording slow down or break my agent', 'docs/proxy.md#recording-never-delays-a-call'],
  ['what of my api traffic is stored', 'docs/proxy.md#what-is-recorded'],
  ['how do I connect an MCP server', 'docs/mcp.md#adding-a-server', 'docs/mcp.md#adding-a-server-on-the-page'],
  ['do tools run without asking me first?', 'docs/mcp.md#approval'],
  ['can claude desktop read my chats from here', 'docs/mcp.md#coppice-as-a-server', 'docs/command-line.md#coppice-mcp'],
  [
    'how do I host it for my team with postgres',
    'docs/guides/deploy.md#several-users-postgresql-two-servers',
    'docs/guides/postgres.md#run-on-postgresql',
  ],
  ['how to put nginx with https in front of it', 'docs/guides/deploy.md#behind-a-reverse-proxy-with-tls'],
  ['how do I move my data from sqlite to postgres', 'docs/guides/postgres.md#move-there-from-sqlite'],
  ['how do I update to a newer version', 'docs/guides/upgrade.md#upgrade', 'docs/guides/deploy.md#upgrades'],
  ['can I go back to the old version after updating', 'docs/guides/upgrade.md#go-back'],
  [
    'where is the config file and what can I put in it',
    'docs/settings.md#the-configuration-file',
    'docs/models.md#the-configuration-file',
    'docs/getting-started.md#change-settings',
    'docs/command-line.md#coppice-config',
  ],
  ['what environment variables are there', 'docs/settings.md#environment-variables'],
  ['I found a security hole, who do I tell', 'docs/security.md#security'],
  [
    'is it safe to put it on the public internet',
    'docs/security.md#for-operators',
    'docs/security.md#security',
    'docs/guides/deploy.md#run-it-on-a-server',
  ],
  ['is a deleted message really gone for good', 'docs/security.md#what-a-purge-leaves', 'docs/concepts.md#deleting'],
  [
    'how is it better than ChatGPT or Open WebUI',
    'docs/comparison.md#comparison',
    'docs/comparison.md#conversations',
    'docs/comparison.md#the-page-beside-six-others',
  ],
  ['what does exit code 4 mean in my script', 'docs/command-line.md#exit-codes'],
  [
    'how do I go back to an earlier message inside the terminal chat',
    'docs/commands.md#going-back',
    'docs/commands.md#pop',
    'docs/commands.md#tree',
  ],
  [
    'how do I compare two branches',
    'docs/command-line.md#coppice-diff',
    'docs/getting-started.md#branch-compare-and-merge',
  ],
  [
    'how do I combine what I learned in a side branch with the main one',
    'docs/getting-started.md#branch-compare-and-merge',
    'docs/command-line.md#coppice-merge',
    'docs/commands.md#merge',
    'docs/compaction.md#branches',
  ],
  [
    'how can I use it from my react app',
    'docs/guides/add-branching.md#add-branching-to-your-chat-app',
    'docs/guides/embed.md#embed-coppice-in-your-app',
    'README.md#branches-in-the-chat-app-you-have',
    'docs/guides/add-branching.md#the-ai-sdk',
  ],
  ['can I write my own storage backend', 'docs/guides/write-a-store.md#write-a-store'],
  [
    'how do I export a chat as markdown',
    'docs/command-line.md#coppice-export',
    'docs/formats.md#how-to-import-and-export',
    'docs/formats.md#the-report-of-an-export',
  ],
  [
    'how do I start the program',
    'docs/getting-started.md#look-around',
    'README.md#install',
    'README.md#your-first-chat',
    'docs/command-line.md#coppice-serve',
  ],
  ['how can I use gemini', 'docs/models.md#connecting-a-model', 'docs/getting-started.md#talk-to-a-model'],
  ['can I use my own GPU', 'docs/models.md#models-on-your-own-machine'],
  ['what does the guide do if no model is connected', 'docs/models.md#without-a-key-and-without-a-network'],
  ['how to search in every conversation at once', 'docs/page.md#find-a-message', 'docs/command-line.md#coppice-search'],
  [
    'what is a branch',
    'docs/concepts.md#a-chat-is-a-tree',
    'docs/glossary.md#glossary',
    'docs/concepts.md#versions-of-a-message',
  ],
  ['how to see the old version of my message after editing', 'docs/concepts.md#versions-of-a-message'],
  [
    'can I delete a message but keep the replies below it',
    'docs/concepts.md#deleting',
    'docs/command-line.md#coppice-rm',
  ],
  [
    'where do I set how much history is sent',
    'docs/compaction.md#when-it-happens',
    'docs/concepts.md#what-the-model-sees',
    'docs/settings.md#compaction',
  ],
  ['summarise a branch when I leave it', 'docs/compaction.md#branches', 'docs/commands.md#branch'],
  [
    'how do I pick another model for one chat',
    'docs/commands.md#the-model-of-a-branch',
    'docs/commands.md#model',
    'docs/models.md#which-model-answers-by-default',
  ],
  ['limit the length of replies', 'docs/models.md#parameters', 'docs/settings.md#generate'],
  ['a budget for each day', 'docs/models.md#budgets'],
  ['how do I share only a part of a chat', 'docs/page.md#share-a-chat', 'docs/command-line.md#coppice-share'],
  ['change the interface to french', 'docs/page.md#appearance-and-language'],
  [
    "use coppice in vs code or another editor's terminal",
    'docs/getting-started.md#in-a-terminal',
    'docs/command-line.md#coppice-chat',
  ],
  [
    'send the output of a shell command to the model',
    'docs/getting-started.md#in-a-terminal',
    'docs/command-line.md#coppice-chat',
  ],
  [
    'ask one question in a script and get json',
    'docs/command-line.md#coppice-chat',
    'docs/getting-started.md#in-a-terminal',
  ],
  ['record opencode', 'docs/proxy.md#the-recording-proxy', 'docs/command-line.md#coppice-proxy'],
  ['are secrets removed from recordings', 'docs/proxy.md#what-is-recorded', 'docs/security.md#security'],
  [
    'import an export of claude.ai',
    'docs/getting-started.md#bring-in-your-old-chats',
    'docs/formats.md#formats',
    'docs/command-line.md#coppice-import',
  ],
  [
    'export everything as json',
    'docs/command-line.md#coppice-export',
    'docs/getting-started.md#back-up-and-restore',
    'docs/formats.md#the-archive',
    'docs/formats.md#how-to-import-and-export',
  ],
  ['upgrade several servers without downtime', 'docs/guides/upgrade.md#several-servers'],
  [
    'restore the backup on another server',
    'docs/guides/upgrade.md#go-back',
    'docs/getting-started.md#back-up-and-restore',
    'docs/guides/deploy.md#backups',
    'docs/guides/upgrade.md#make-a-backup',
  ],
  ['run the server behind caddy', 'docs/guides/deploy.md#behind-a-reverse-proxy-with-tls'],
  [
    'what must I know before I open it to the internet',
    'docs/security.md#for-operators',
    'docs/guides/deploy.md#run-it-on-a-server',
    'docs/guides/deploy.md#behind-a-reverse-proxy-with-tls',
  ],
  [
    'react hooks for branches',
    'docs/guides/add-branching.md#add-branching-to-your-chat-app',
    'docs/which-api.md#which-api-do-i-use',
    'README.md#branches-in-the-chat-app-you-have',
  ],
  [
    'write a plugin that runs before each message',
    'docs/guides/write-a-hook.md#write-a-hook',
    'docs/sessions.md#hooks',
  ],
  ['my own slash command', 'docs/guides/write-a-command.md#write-a-command'],
  ['support a file format that is not known', 'docs/guides/write-a-format.md#write-a-format'],
];

/** Questions that were written and labelled before their first search. Nothing was adjusted to them. */
const neverTuned: readonly Question[] = [
  [
    'how do I get this thing running on my laptop',
    'README.md#install',
    'docs/getting-started.md#getting-started',
    'README.md#your-first-chat',
  ],
  ['do I need node and which release', 'README.md#install'],
  [
    'can I try it without paying anyone',
    'docs/models.md#without-a-key-and-without-a-network',
    'docs/getting-started.md#look-around',
    'docs/getting-started.md#getting-started',
  ],
  [
    'where do I paste my openai key',
    'docs/models.md#connecting-a-model',
    'docs/getting-started.md#talk-to-a-model',
    'docs/command-line.md#coppice-keys',
  ],
  ['I have ollama on my machine, how do I point coppice at it', 'docs/models.md#models-on-your-own-machine'],
  ['how do I use claude here', 'docs/models.md#connecting-a-model', 'docs/getting-started.md#talk-to-a-model'],
  [
    'which models can I choose from',
    'docs/command-line.md#coppice-models',
    'docs/models.md#models',
    'docs/models.md#connecting-a-model',
    'docs/commands.md#model',
  ],
  ['set the model used by default', 'docs/models.md#which-model-answers-by-default'],
  ['change the temperature', 'docs/models.md#parameters', 'docs/page.md#thinking-temperature-and-several-replies'],
  ['give the assistant permanent instructions', 'docs/page.md#system-prompts-and-presets'],
  [
    'where on my disk are the chats saved',
    'docs/settings.md#environment-variables',
    'README.md#your-first-chat',
    'docs/files-layout.md#a-store-in-folders-field-by-field',
    'docs/getting-started.md#getting-started',
    'docs/getting-started.md#back-up-and-restore',
    'docs/getting-started.md#look-around',
  ],
  ['can I keep everything in postgres instead', 'docs/guides/postgres.md#run-on-postgresql'],
  [
    'sqlite or files, what should I pick',
    'docs/which-api.md#where-it-runs',
    'docs/guides/deploy.md#one-person-sqlite',
    'docs/which-api.md#which-api-do-i-use',
    'docs/which-api.md#what-it-costs',
    'docs/files-layout.md#a-store-in-folders-field-by-field',
  ],
  ['move my data from sqlite to postgres', 'docs/guides/postgres.md#move-there-from-sqlite'],
  [
    'how do I make a safety copy of all my data',
    'docs/getting-started.md#back-up-and-restore',
    'docs/guides/upgrade.md#make-a-backup',
    'docs/command-line.md#coppice-backup',
  ],
  [
    'put a backup back',
    'docs/getting-started.md#back-up-and-restore',
    'docs/guides/upgrade.md#go-back',
    'docs/guides/upgrade.md#make-a-backup',
  ],
  ['is my database broken, how to check', 'docs/command-line.md#coppice-fsck'],
  [
    'I deleted a message by accident',
    'docs/getting-started.md#undo-a-mistake',
    'docs/concepts.md#deleting',
    'docs/command-line.md#coppice-restore',
    'docs/command-line.md#coppice-undo',
    'docs/concepts.md#undo-and-history',
  ],
  [
    'how do I get rid of a chat for good, unrecoverable',
    'docs/concepts.md#deleting',
    'docs/command-line.md#coppice-trash',
    'docs/security.md#what-a-purge-leaves',
  ],
  ['empty the wastebasket', 'docs/command-line.md#coppice-trash', 'docs/concepts.md#deleting'],
  ['how long do deleted chats stay recoverable', 'docs/concepts.md#deleting', 'docs/command-line.md#coppice-trash'],
  [
    'ask the same question again and get another reply',
    'docs/command-line.md#coppice-regenerate',
    'docs/concepts.md#versions-of-a-message',
    'docs/page.md#thinking-temperature-and-several-replies',
  ],
  [
    'edit something I said earlier without losing the old version',
    'docs/concepts.md#versions-of-a-message',
    'docs/command-line.md#coppice-edit',
  ],
  ['flip between two versions of a reply', 'docs/concepts.md#versions-of-a-message'],
  [
    'compare two answers side by side',
    'docs/getting-started.md#branch-compare-and-merge',
    'docs/command-line.md#coppice-diff',
  ],
  [
    'start a side discussion from the middle of a chat',
    'docs/getting-started.md#branch-compare-and-merge',
    'docs/command-line.md#coppice-branch',
    'docs/commands.md#branch',
    'docs/commands.md#branch-here',
    'docs/concepts.md#a-chat-is-a-tree',
    'docs/commands.md#fork',
  ],
  [
    'combine two branches into one',
    'docs/getting-started.md#branch-compare-and-merge',
    'docs/command-line.md#coppice-merge',
    'docs/commands.md#merge',
  ],
  [
    'copy some messages over to a different chat',
    'docs/command-line.md#coppice-cherry-pick',
    'docs/commands.md#cherry-pick',
  ],
  ['drop a message but keep the ones following it', 'docs/concepts.md#deleting', 'docs/command-line.md#coppice-rm'],
  [
    'undo my last change',
    'docs/getting-started.md#undo-a-mistake',
    'docs/command-line.md#coppice-undo',
    'docs/concepts.md#undo-and-history',
    'docs/commands.md#undo',
  ],
  [
    'see the history of what happened in a chat',
    'docs/command-line.md#coppice-log',
    'docs/concepts.md#undo-and-history',
  ],
  ['find a word across all chats', 'docs/page.md#find-a-message', 'docs/command-line.md#coppice-search'],
  [
    'give a chat a different name',
    'docs/command-line.md#coppice-rename',
    'docs/commands.md#name',
    'docs/getting-started.md#keep-your-chats-in-order',
    'docs/compaction.md#titles',
  ],
  ['group chats with labels', 'docs/command-line.md#coppice-tag', 'docs/getting-started.md#keep-your-chats-in-order'],
  [
    'keep a chat at the top of the list',
    'docs/command-line.md#coppice-pin',
    'docs/getting-started.md#keep-your-chats-in-order',
  ],
  ['mark a message so that I find it again', 'docs/command-line.md#coppice-bookmark', 'docs/commands.md#label'],
  ['send a link of a chat to a friend', 'docs/page.md#share-a-chat', 'docs/command-line.md#coppice-share'],
  ['stop sharing a link', 'docs/page.md#share-a-chat', 'docs/command-line.md#coppice-share'],
  [
    'how do I bring in my chatgpt history',
    'docs/getting-started.md#bring-in-your-old-chats',
    'docs/command-line.md#coppice-import',
    'docs/formats.md#how-to-import-and-export',
    'docs/formats.md#formats',
  ],
  [
    'import conversations from claude.ai',
    'docs/getting-started.md#bring-in-your-old-chats',
    'docs/command-line.md#coppice-import',
    'docs/formats.md#how-to-import-and-export',
    'docs/formats.md#formats',
  ],
  [
    'read pi session files',
    'docs/sessions.md#session-files',
    'docs/sessions.md#working-with-a-session',
    'docs/sessions.md#other-files',
    'docs/formats.md#formats',
  ],
  [
    'save a chat as markdown',
    'docs/command-line.md#coppice-export',
    'docs/formats.md#how-to-import-and-export',
    'docs/commands.md#export-branch',
    'docs/formats.md#formats',
  ],
  [
    'export a whole chat to json',
    'docs/command-line.md#coppice-export',
    'docs/formats.md#how-to-import-and-export',
    'docs/formats.md#formats',
  ],
  [
    'the conversation got too long for the model',
    'docs/compaction.md#what-happens-when-a-window-fills-up',
    'docs/models.md#when-a-provider-fails',
    'docs/commands.md#compact',
  ],
  [
    'how does it shorten old messages',
    'docs/compaction.md#what-happens-when-a-window-fills-up',
    'docs/compaction.md#compaction-summaries-and-titles',
    'docs/compaction.md#when-it-happens',
    'docs/compaction.md#who-writes-the-summary',
  ],
  ['what exactly gets sent to the model', 'docs/concepts.md#what-the-model-sees', 'docs/commands.md#context'],
  [
    'how many tokens does this chat use',
    'docs/commands.md#context',
    'docs/models.md#prices-and-windows',
    'docs/concepts.md#what-the-model-sees',
  ],
  ['how much money did I spend', 'docs/models.md#prices-and-windows', 'docs/models.md#budgets'],
  ['limit spending per day', 'docs/models.md#budgets'],
  [
    'let the model run commands on my computer',
    'docs/mcp.md#tools-of-mcp-servers',
    'docs/mcp.md#adding-a-server',
    'docs/mcp.md#approval',
    'docs/getting-started.md#in-a-terminal',
  ],
  ['stop it from executing tools without asking me', 'docs/mcp.md#approval'],
  ['connect an MCP server', 'docs/mcp.md#adding-a-server', 'docs/mcp.md#adding-a-server-on-the-page'],
  [
    'let another program use coppice as an mcp server',
    'docs/mcp.md#coppice-as-a-server',
    'docs/command-line.md#coppice-mcp',
  ],
  ['record the traffic of my existing app', 'docs/proxy.md#the-recording-proxy', 'docs/command-line.md#coppice-proxy'],
  [
    'put the proxy between my program and openai',
    'docs/proxy.md#the-recording-proxy',
    'docs/command-line.md#coppice-proxy',
  ],
  [
    'which environment variable sets the base url for the proxy',
    'docs/proxy.md#the-recording-proxy',
    'docs/command-line.md#coppice-proxy',
    'docs/proxy.md#where-calls-go',
  ],
  ['does the proxy add delay', 'docs/proxy.md#recording-never-delays-a-call'],
  ['use it from python', 'docs/http-api.md#http-api', 'docs/guides/add-branching.md#plain-fetch'],
  [
    'use coppice with the vercel ai sdk',
    'docs/guides/add-branching.md#the-ai-sdk',
    'docs/guides/add-branching.md#add-branching-to-your-chat-app',
  ],
  [
    'hook it up to langchain',
    'docs/guides/add-branching.md#langchain',
    'docs/guides/add-branching.md#add-branching-to-your-chat-app',
  ],
  [
    'react components for showing a tree',
    'docs/guides/add-branching.md#assistant-ui',
    'docs/guides/add-branching.md#add-branching-to-your-chat-app',
    'README.md#what-is-here',
    'docs/guides/embed.md#embed-coppice-in-your-app',
    'docs/guides/embed.md#follow-changes',
    'README.md#branches-in-the-chat-app-you-have',
    'docs/which-api.md#which-api-do-i-use',
  ],
  [
    'embed the store in my own node program',
    'docs/guides/embed.md#embed-coppice-in-your-app',
    'docs/getting-started.md#in-a-program',
    'README.md#the-library-in-ten-lines',
    'docs/guides/embed.md#store-a-conversation',
  ],
  ['write my own storage backend', 'docs/guides/write-a-store.md#write-a-store'],
  [
    'add a provider coppice does not know',
    'docs/guides/write-a-provider.md#write-a-provider',
    'docs/models.md#the-configuration-file',
    'docs/models.md#connecting-a-model',
  ],
  ['http api reference', 'docs/http-api.md#http-api'],
  ['how do clients get live updates', 'docs/http-api.md#live-events', 'docs/guides/embed.md#follow-changes'],
  [
    'let several people use one server',
    'docs/guides/deploy.md#several-users-postgresql-two-servers',
    'docs/guides/deploy.md#run-it-on-a-server',
    'docs/security.md#for-operators',
    'docs/command-line.md#coppice-token',
  ],
  [
    'make a new user account',
    'docs/security.md#for-operators',
    'docs/command-line.md#coppice-token',
    'docs/guides/deploy.md#several-users-postgresql-two-servers',
  ],
  [
    'I forgot the admin password',
    'docs/security.md#for-operators',
    'docs/command-line.md#coppice-token',
    'docs/guides/observe.md#when-something-is-wrong',
  ],
  [
    'create an access token for a script',
    'docs/command-line.md#coppice-token',
    'docs/http-api.md#authentication',
    'docs/security.md#for-operators',
  ],
  [
    'run it in docker',
    'docs/guides/deploy.md#run-it-on-a-server',
    'docs/guides/deploy.md#one-person-sqlite',
    'docs/guides/deploy.md#several-users-postgresql-two-servers',
  ],
  ['put it behind nginx with https', 'docs/guides/deploy.md#behind-a-reverse-proxy-with-tls'],
  [
    'is it safe to expose it to the internet',
    'docs/security.md#for-operators',
    'docs/security.md#security',
    'docs/guides/deploy.md#run-it-on-a-server',
  ],
  [
    'are my api keys encrypted',
    'docs/security.md#security',
    'docs/security.md#for-operators',
    'docs/models.md#connecting-a-model',
    'docs/command-line.md#coppice-keys',
  ],
  ['upload a picture to the chat', 'docs/page.md#attachments', 'docs/models.md#files'],
  ['attach a pdf', 'docs/page.md#attachments', 'docs/models.md#files'],
  ['use the chat inside the terminal', 'docs/getting-started.md#in-a-terminal', 'docs/command-line.md#coppice-chat'],
  ['keyboard shortcuts', 'docs/page.md#keyboard-shortcuts'],
  ['tab completion in zsh', 'docs/command-line.md#coppice-completion'],
  [
    'use coppice in a shell script with json output',
    'docs/command-line.md#the-command-line',
    'docs/getting-started.md#in-a-terminal',
    'docs/command-line.md#exit-codes',
  ],
];

/** Returns the questions that none of the best passages answers, with the best passage. */
function findMisses(questions: readonly Question[], most = 1): string[] {
  const index = createPassageIndex(guideKnowledge.passages);
  return questions.flatMap(([question, ...sections]) => {
    const found = index.search(question, most).map(({ passage }) => `${passage.path}#${passage.anchor}`);
    return found.some((each) => sections.includes(each)) ? [] : [`${question} → ${found[0] ?? 'nothing'}`];
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

  it('[G69] at least 50 of 60 questions of an unfamiliar user, 45 of another 63, 26 of 30 and 27 of 30 find the right section', () => {
    expect([fromUnfamiliarUser.length, writtenLater.length, beforeMoreExamples.length]).toEqual([60, 63, 30]);
    expect(afterInstalling).toHaveLength(30);
    for (const [questions, most] of [
      [fromUnfamiliarUser, 10],
      [writtenLater, 18],
      [beforeMoreExamples, 4],
      [afterInstalling, 3],
    ] as const) {
      const missed = findMisses(questions);
      expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(most);
    }
  });

  it('[G69] at least 66 of 80 questions of an outsider find the right section, and 74 name it among three', () => {
    expect(fromOutsider).toHaveLength(80);
    for (const [most, misses] of [
      [1, 14],
      [3, 6],
    ] as const) {
      const missed = findMisses(fromOutsider, most);
      expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(misses);
    }
  });

  it('[G69] at least 64 of 80 questions that nothing was adjusted to find the right section, and 76 name it among three', () => {
    expect(neverTuned).toHaveLength(80);
    for (const [most, misses] of [
      [1, 16],
      [3, 4],
    ] as const) {
      const missed = findMisses(neverTuned, most);
      expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(misses);
    }
  });

  it('[G69] an example value of a command is not its subject, and Windows is not the window of a model', () => {
    const [best] = createPassageIndex(guideKnowledge.passages).search('find that conversation about bread', 1);
    expect(best?.passage.anchor).not.toBe('coppice-tag');
    const right: readonly Question[] = [
      ['does it work on windows', 'README.md#install'],
      ['what is this thing good for', 'README.md#who-it-is-for'],
      ['how do i move everything over from open webui', 'docs/getting-started.md#bring-in-your-old-chats'],
      ['can i write my own tool', 'docs/mcp.md#tools-of-mcp-servers'],
      ['erase a whole convo', 'docs/getting-started.md#keep-your-chats-in-order'],
    ];
    expect(findMisses(right)).toEqual([]);
  });

  it('[G69] where something is saved is no question about backups, and tokens of a model are not those that sign in', () => {
    const index = createPassageIndex(guideKnowledge.passages);
    const best = (question: string) => index.search(question, 1)[0]?.passage;
    expect(best('where do my conversations get saved')?.anchor).not.toBe('back-up-and-restore');
    expect(best('where are the chats stored on this laptop')?.anchor).toBe('look-around');
    expect(best('how many tokens did this chat take')?.path).not.toBe('docs/security.md');
    expect(best('sign in with a token')?.path).toBe('docs/security.md');
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
      ...afterInstalling,
      ...fromOutsider,
      ...neverTuned,
    ].flatMap(([, ...sections]) => sections);
    expect(expected.filter((section) => !anchors.has(section))).toEqual([]);
  });
});
