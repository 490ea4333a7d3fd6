import { reverse } from '../../reversing.ts';
import { defineSubcommand } from '../contract.ts';

export const undo = defineSubcommand({
  name: 'undo',
  summary: 'undo your last change, in any conversation or the one you name',
  group: 'Undo',
  arguments: [
    { name: 'tree', summary: 'conversation: id or a part of it, title, or last', optional: true, completes: 'tree' },
  ],
  options: [{ name: 'force', summary: 'also if others changed it since; what they added goes to the trash' }],
  examples: ['coppice undo', 'coppice undo last', 'coppice undo last --force'],
  run: (given, at) => reverse('undo', given, at),
});
