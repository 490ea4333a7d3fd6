import { dirname, join } from 'node:path';
import { AppError, type Node } from '@coppice/core';
import { configPath } from '@coppice/engine/config';
import { ChatSession } from '../../chat/chat-session.ts';
import { openInputHistory } from '../../chat/input-history.ts';
import { printTurn } from '../../chat/print-turn.ts';
import { renderAddedMessages } from '../../chat/thread-lines.ts';
import { TranscriptQueue } from '../../chat/transcript-queue.ts';
import type { CliContext } from '../../cli-context.ts';
import { openChatEngine } from '../../cli-engine.ts';
import { makeUsageError } from '../../exit-codes.ts';
import { terminalSizeOrDefault } from '../../output.ts';
import { findTree, isLastTreeName, lastTreeName } from '../../resolve-target.ts';
import { createNamedSession, findSessionTarget } from '../../session-target.ts';
import { shortenId } from '../../short-ids.ts';
import { addUndoHint, buildCommandLine } from '../../tree-changes.ts';
import { defineSubcommand, type SubcommandOutput } from '../contract.ts';

export const chat = defineSubcommand({
  name: 'chat',
  summary: 'chat with a model on a terminal, or get one reply in a pipe',
  group: 'Chat',
  begins: true,
  arguments: [{ name: 'words', summary: 'first message', optional: true, many: true }],
  options: [
    { name: 'tree', short: 't', value: 'chat', summary: 'continue this chat', completes: 'tree' },
    { name: 'resume', short: 'r', summary: 'choose a past chat; in a pipe, the most recent one' },
    { name: 'full-screen', short: 'f', summary: 'use the full screen instead of printing inline' },
    { name: 'plain', short: 'p', summary: 'print one reply and exit' },
    { name: 'model', short: 'm', value: 'model', summary: 'model to ask, as provider/model', completes: 'model' },
    { name: 'system', value: 'text', summary: 'system prompt of a new chat' },
    { name: 'title', value: 'text', summary: 'title of a new chat' },
    { name: 'temperature', value: 'number', summary: 'sampling temperature' },
    { name: 'no-tools', summary: 'do not offer tools to the model' },
    { name: 'no-hooks', summary: 'do not load hooks from ~/.coppice/hooks' },
  ],
  examples: [
    'coppice chat',
    'coppice chat --resume',
    'echo hi | coppice chat -p',
    'coppice chat -p -t last "And then?"',
    'coppice chat -p -t last /branches',
    'coppice chat --store jsonl:./session.jsonl',
  ],
  async run(given, from) {
    const temperature = given.optional('temperature');
    if (temperature !== undefined && !/^\d+(?:\.\d+)?$/.test(temperature))
      throw makeUsageError(`Invalid temperature ${temperature}. Use a number from 0.`);
    const { host } = from;
    // The interface needs a terminal with cursor control.
    const canDraw = host.stdin.isTTY === true && host.stdout.isTTY === true && host.env['TERM'] !== 'dumb';
    const inLines = host.stdin.isTTY === true && host.stdout.isTTY === true && !canDraw;
    const plain = given.flag('plain') || from.options.json || !canDraw;
    const [model, systemPrompt, title] = ['model', 'system', 'title'].map(given.optional);
    const begun = {
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(title === undefined ? {} : { title }),
    };
    const session =
      (await findSessionTarget(await from.storeUrl(), host.cwd)) ??
      (plain ? null : await createNamedSession(from, begun));
    const file = session?.treeId ?? null;
    // A file contains one session. The chat works on the folder of the file, because branches and copies become files
    // there.
    const at = session === null || file === null ? from : from.on(`jsonl:${session.folder}`);
    const requestedTree = given.optional('tree') ?? (given.flag('resume') && plain ? lastTreeName : undefined);
    // For a file, `last` means the session of the file, not a copy that was changed later.
    const word = requestedTree === undefined || isLastTreeName(requestedTree) ? (file ?? requestedTree) : requestedTree;
    const row = word === undefined ? null : await findTree(at, word);
    let tell = (text: string) => at.output.note(`${text}\n`);
    const cliEngine = await openChatEngine(at, given.flag('no-hooks') ? undefined : (text) => tell(text));
    const chatSession = await ChatSession.open({
      cliEngine,
      model,
      systemPrompt,
      title,
      ...(row === null ? {} : { treeId: row.id }),
      ...(temperature === undefined ? {} : { temperature: Number(temperature) }),
      ...(given.flag('no-tools') ? { tools: [] } : {}),
    });
    const words = given.many('words').join(' ');
    if (inLines && words === '' && !given.flag('plain') && !from.options.json) {
      const { runLineChat } = await import('../../chat/line-chat.ts');
      await runLineChat(chatSession, at, async (line) => (await runSlashCommand(chatSession, line, at)).lines);
      return leavingOutput(chatSession, from, at);
    }
    if (plain) return printOneReply(chatSession, words, at);
    const { runChatInterface } = await import('../../chat/interface.tsx');
    // The interface uses the screen, so notices are shown in it.
    tell = (text) => chatSession.note(text, true);
    const { style } = at.output;
    const width = () => Math.max(10, terminalSizeOrDefault(host.stdout.columns, 80) - 1);
    const transcript = given.flag('full-screen') ? null : new TranscriptQueue(chatSession, style, width);
    if (words !== '') void chatSession.send(words);
    const settings = dirname(configPath({ env: host.env, home: host.home }).path);
    await runChatInterface(chatSession, cliEngine, {
      style,
      transcript,
      env: host.env,
      editor: host.env['VISUAL'] || host.env['EDITOR'],
      signal: host.signal,
      inputHistory: openInputHistory(join(settings, 'history.jsonl')),
      pastedFolder: join(settings, 'pasted'),
      choosesChat: given.flag('resume') && row === null,
      tools: given.flag('no-tools') ? [] : undefined,
      folder: host.cwd,
    });
    // Prints the rest of the chat: the full screen is closed, and the end of a running reply was not printed inline.
    const left = transcript === null ? renderAddedMessages(chatSession, width(), style) : transcript.pending();
    for (const line of left) at.output.write(`${line}\n`);
    // The text of a running reply is kept when the engine closes. Queued messages are no longer sent.
    for (const text of chatSession.end()) at.output.note(`Not sent: ${at.output.foreign(text)}\n`);
    host.signal.throwIfAborted();
    return leavingOutput(chatSession, from, at);
  },
});

/** Returns the command that continues the chat; null for a chat without messages. */
function leavingOutput(chatSession: ChatSession, from: CliContext, at: CliContext): SubcommandOutput | null {
  const id = chatSession.treeId;
  if (id === null) return null;
  const line = buildCommandLine(from, `coppice chat -t ${shortenId(id)}`);
  return { data: { treeId: id }, lines: line === null ? [] : [at.output.style.quiet(`Continue with ${line}`)] };
}

// Only a single line is a command: a longer text that begins with a slash is a message.
const oneCommand = /^\/[a-z][a-z-]*(?:[ \t].*)?$/;

async function runSlashCommand(chatSession: ChatSession, line: string, at: CliContext): Promise<SubcommandOutput> {
  const stop = () => void chatSession.stop();
  at.host.signal.addEventListener('abort', stop, { once: true });
  const result = await chatSession.command(line);
  at.host.signal.removeEventListener('abort', stop);
  if (result === null)
    throw (
      chatSession.state.notice?.error ??
      new AppError({ code: 'chat/failed', kind: 'refused', message: 'The command was refused.' })
    );
  const { said, text, data, undo, selectedText } = result;
  const { style, foreign } = at.output;
  return {
    data: { treeId: chatSession.treeId, nodeId: chatSession.here, said, undo, text, selectedText, data },
    lines: [
      ...(text === undefined || text === '' ? [] : [foreign(text)]),
      style.quiet(foreign(addUndoHint(said, undo))),
      ...(selectedText === undefined ? [] : [foreign(selectedText)]),
    ],
  };
}

async function printOneReply(
  chatSession: ChatSession,
  words: string,
  at: CliContext,
): Promise<SubcommandOutput | null> {
  const piped = at.host.stdin.isTTY === true ? '' : (await at.input()).replace(/\r?\n$/, '');
  const text = [words, piped].filter((part) => part !== '').join('\n\n');
  if (text.trim() === '') throw makeUsageError('The message is empty. Give a text, or pipe one in.');
  if (oneCommand.test(text)) return runSlashCommand(chatSession, text, at);
  const quiet = { ...at.output, write: () => undefined };
  const whole = await printTurn(chatSession, text, at.options.json ? quiet : at.output, at.host.signal);
  if (!whole) {
    const { notice } = chatSession.state;
    const message = notice?.text ?? 'The reply was not completed.';
    if (at.host.signal.aborted) throw new AppError({ code: 'cli/aborted', kind: 'aborted', message });
    throw notice?.error ?? new AppError({ code: 'chat/failed', kind: 'unavailable', message });
  }
  if (!at.options.json) return null;
  const reply: Node | undefined = chatSession.state.nodes.at(-1);
  return {
    data: {
      treeId: chatSession.treeId,
      nodeId: reply?.id,
      model: chatSession.state.model,
      text: reply?.text,
      node: reply,
    },
    lines: [],
  };
}
