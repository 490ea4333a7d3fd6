/** Simplified Chinese words for the commands: what each does, its arguments by name, and its examples in their order. */
import type { CommandWords } from '../types.ts';

export const commandWordsZhCn: Readonly<Record<string, CommandWords>> = {
  branch: {
    summary: '在只包含到该处路径的新聊天中返回较早的消息。',
    arguments: {
      node: '从哪条消息继续；默认为你最后一条消息之前。',
    },
    examples: ['在新聊天中修改你的最后一条消息', '从上一个列表的第三条消息继续'],
  },
  'branch-here': {
    summary: '从较早的消息开始新分支；默认在你最后一条消息之前。',
    arguments: {
      node: '新分支的起点；默认为你的最后一条消息。',
      summarize: '添加离开的分支的摘要，可指定重点。',
    },
    examples: ['修改你的最后一条消息并重新发送', '从第三条消息继续，并附上离开的分支的摘要'],
  },
  branches: {
    summary: '列出聊天的分支，最新的在前，并标出当前分支。',
    arguments: {
      limit: '最多多少个分支；默认 20。',
    },
    examples: ['带编号的分支，供 /switch、/merge 等命令使用', '最多列出 100 个分支'],
  },
  'cherry-pick': {
    summary: '将一条或多条消息复制到当前分支末端。',
    arguments: {
      node: '消息，或多条中的第一条。',
      to: '多条中的最后一条，位于第一条之下。',
      from: '从哪个聊天复制；默认为此聊天。',
    },
    examples: ['将列表的第二条消息复制到此分支', '复制多条消息，用其 ID 的末尾指定'],
  },
  clone: {
    summary: '将聊天及其所有分支复制到新聊天，并在那里继续。',
    examples: ['创建副本用于尝试'],
  },
  compact: {
    summary: '为此分支较早的消息生成摘要，腾出上下文窗口。不会删除任何内容。',
    arguments: {
      focus: '摘要的重点。',
    },
    examples: ['为较早的消息生成摘要', '按重点生成摘要'],
  },
  context: {
    summary: '显示模型在这里看到的内容：每条消息及其 token 数，以及上下文窗口的占用情况。',
    arguments: {
      node: '分支的最后一条消息；默认为当前消息。',
      model: '模型；默认为分支的模型。',
    },
    examples: ['显示上下文和剩余空间', '按另一个模型显示'],
  },
  'export-branch': {
    summary: '将到某条消息的路径及其下的所有内容写入会话文件。',
    arguments: {
      node: '分支的第一条消息。',
      path: '只写入到该消息的路径。',
      to: '新文件的路径；默认与其他文件放在一起。',
    },
    examples: ['将分支写入文件', '只将路径写入你选择的文件'],
  },
  fork: {
    summary: '将到某条消息为止的分支复制到新聊天并在那里继续。如果是你的消息，其文本会回到输入框。',
    arguments: {
      node: '副本的最后一条消息，或要修改的你的消息；默认为当前消息。',
    },
    examples: ['复制当前分支', '复制到某个书签为止的分支'],
  },
  help: {
    summary: '列出命令，或说明其中一个。',
    arguments: {
      command: '要说明的命令。',
    },
    examples: ['列出所有命令', '用示例说明一个命令'],
  },
  label: {
    summary: '在当前或其他消息上设置书签；不带文本时列出书签。',
    arguments: {
      text: '书签。',
      on: '消息；默认为当前消息。',
      remove: '移除书签。',
    },
    examples: ['在当前消息上设置书签', '在列表的第三条消息上设置书签', '移除书签'],
  },
  merge: {
    summary: '将另一个分支合并到当前分支，作为摘要或连同其消息。',
    arguments: {
      node: '要合并的分支的最后一条消息。',
      messages: '复制分叉以来的消息，而不是生成摘要。',
      focus: '摘要的重点。',
    },
    examples: ['合并列表中第二个分支的摘要', '复制只有那个分支才有的消息'],
  },
  model: {
    summary: '显示或设置此分支的模型；其他分支保持不变。',
    arguments: {
      model: '格式为 提供商/模型，或仅提供商。',
    },
    examples: ['显示模型及使用它的原因', '从这里起使用此模型'],
  },
  name: {
    summary: '设置聊天的标题；不带文本时显示标题。',
    arguments: {
      text: '标题。',
      remove: '移除标题；重新显示自动标题。',
    },
    examples: ['设置标题', '显示标题'],
  },
  pop: {
    summary: '返回到你最后一条消息之前或其他消息，并添加离开的分支的摘要。',
    arguments: {
      node: '返回到哪里；默认为你的最后一条消息。',
      focus: '摘要的重点。',
      plain: '不添加摘要。',
    },
    examples: ['离开旁支并保留摘要', '再往上，并指定摘要重点', '不带摘要返回'],
  },
  redo: {
    summary: '重做你上次撤销的操作，前提是此后没有更改。',
    arguments: {
      force: '即使其他人已在其上继续；他们的消息会移到回收站。',
    },
    examples: ['重做上次撤销的更改', '即使其他人已在其上继续'],
  },
  switch: {
    summary: '切换到另一条消息或另一个分支。如果是你的消息，其文本会回到输入框。',
    arguments: {
      node: '要切换到的消息。',
      exact: '准确切换到该消息，即使是你的消息。',
      summarize: '添加离开的分支的摘要，可指定重点。',
    },
    examples: ['切换到上一个列表的第二个分支', '切换到书签，并附上离开的分支的摘要'],
  },
  tree: {
    summary: '以大纲显示聊天：分支在哪里开始、分叉和结束，以及当前消息。',
    arguments: {
      node: '只显示此消息之下的内容。',
      filter: '显示哪些内容；默认为折叠。',
      limit: '最多多少行；默认 200。',
    },
    examples: ['大纲，较长的部分折叠', '你在所有分支上的消息', '某个书签之下的所有内容'],
  },
  undo: {
    summary: '撤销你的上一项更改，重启后也可以。',
    arguments: {
      force: '即使其他人已在其上继续；他们的消息会移到回收站。',
    },
    examples: ['撤销你的上一项更改', '即使其他人已在其上继续'],
  },
};
