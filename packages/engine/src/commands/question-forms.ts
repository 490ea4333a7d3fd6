/**
 * Questions that each slash command answers, in the words of newcomers. The guide finds the section of the command by
 * them; they are a comment in `docs/commands.md`.
 */
export const questionForms: Readonly<Record<string, readonly string[]>> = {
  branch: ['How do I continue an earlier message in a new chat?', 'How do I start a separate chat from here?'],
  'branch-here': ['How do I branch inside a chat?', 'How do I ask my last question differently?'],
  branches: ['How do I list the branches of this chat?', 'Which branches does this chat have?'],
  'cherry-pick': ['How do I copy a message of another branch here?', 'How do I take over a reply in a chat?'],
  clone: ['How do I duplicate a whole chat?', 'How do I make a copy of a chat to experiment with?'],
  compact: ['How do I summarise older messages now?', 'How do I free space in the context window?'],
  context: [
    'How many tokens does this chat use?',
    'How much space is left in the context window?',
    'How do I see what is sent to the model?',
  ],
  'export-branch': ['How do I write one branch to a session file?'],
  fork: ['How do I copy a branch into a new chat?', 'How do I fork a chat?'],
  help: ['How do I list the slash commands?', 'How do I get help on a command?'],
  label: ['How do I label a message?', 'How do I list my labels?', 'How do I find a message again later?'],
  merge: ['How do I merge another branch in a chat?', 'How do I get the result of another branch into this one?'],
  model: ['How do I switch the model in the middle of a chat?', 'Which model answers in this chat?'],
  name: ['How do I give a chat a title while chatting?'],
  pop: ['How do I leave a side branch with a summary?', 'How do I return from a detour?'],
  redo: ['How do I redo what I undid?'],
  switch: ['How do I go to another branch in a chat?', 'How do I jump to a label?'],
  tree: ['How do I see the outline of a chat?', 'How do I see all branches at once in a chat?'],
  undo: ['How do I undo in a chat?', 'Can I undo after a restart?'],
};
