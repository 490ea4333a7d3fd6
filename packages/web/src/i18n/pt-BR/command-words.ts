/** Brazilian Portuguese words for the commands: what each does, its arguments by name, and its examples in their order. */
import type { CommandWords } from '../types.ts';

export const commandWordsPtBr: Readonly<Record<string, CommandWords>> = {
  branch: {
    summary: 'Volta a uma mensagem anterior em um novo chat que contém só o caminho até ela.',
    arguments: {
      node: 'A mensagem de onde continuar; por padrão, a anterior à sua última.',
    },
    examples: ['mudar sua última mensagem em um novo chat', 'continuar da terceira mensagem da última lista'],
  },
  'branch-here': {
    summary: 'Começa um novo ramo a partir de uma mensagem anterior; por padrão, antes da sua última.',
    arguments: {
      node: 'Onde o novo ramo começa; por padrão, na sua última mensagem.',
      summarize: 'Adicionar um resumo do ramo deixado, se quiser com um assunto.',
    },
    examples: [
      'mudar sua última mensagem e enviar de novo',
      'continuar da terceira mensagem, com um resumo do ramo deixado',
    ],
  },
  branches: {
    summary: 'Lista os ramos do chat, os mais novos primeiro, e marca o atual.',
    arguments: {
      limit: 'Quantos ramos no máximo; por padrão 20.',
    },
    examples: ['ramos com números para /switch, /merge e outros comandos', 'listar até 100 ramos'],
  },
  'cherry-pick': {
    summary: 'Copia uma ou mais mensagens para o fim do ramo atual.',
    arguments: {
      node: 'A mensagem, ou a primeira de várias.',
      to: 'A última de várias, abaixo da primeira.',
      from: 'O chat de onde copiar; por padrão este.',
    },
    examples: [
      'copiar a segunda mensagem da lista para este ramo',
      'copiar várias mensagens, indicadas pelo fim dos identificadores',
    ],
  },
  clone: {
    summary: 'Copia o chat com todos os ramos para um novo e continua lá.',
    examples: ['fazer uma cópia para experimentar'],
  },
  compact: {
    summary: 'Resume mensagens antigas deste ramo para liberar a janela de contexto. Nada é excluído.',
    arguments: {
      focus: 'Em que o resumo deve se concentrar.',
    },
    examples: ['resumir as mensagens antigas', 'resumir com foco em um assunto'],
  },
  context: {
    summary: 'Mostra o que o modelo vê aqui: cada mensagem com seus tokens e quão cheia está a janela de contexto.',
    arguments: {
      node: 'A última mensagem do ramo; por padrão a atual.',
      model: 'O modelo; por padrão o do ramo.',
    },
    examples: ['mostrar o contexto e o espaço livre', 'mostrar para outro modelo'],
  },
  'export-branch': {
    summary: 'Escreve o caminho até uma mensagem e tudo abaixo dela em um arquivo de sessão.',
    arguments: {
      node: 'A primeira mensagem do ramo.',
      path: 'Escrever só o caminho até a mensagem.',
      to: 'O caminho do novo arquivo; por padrão junto aos outros.',
    },
    examples: ['escrever um ramo em um arquivo', 'escrever só o caminho em um arquivo à sua escolha'],
  },
  fork: {
    summary:
      'Copia o ramo até uma mensagem para um novo chat e continua lá. Se a mensagem for sua, o texto dela volta à caixa de texto.',
    arguments: {
      node: 'A última mensagem da cópia, ou sua mensagem para mudar; por padrão a atual.',
    },
    examples: ['copiar o ramo atual', 'copiar o ramo até um marcador'],
  },
  help: {
    summary: 'Lista os comandos, ou explica um.',
    arguments: {
      command: 'O comando a explicar.',
    },
    examples: ['listar todos os comandos', 'explicar um comando com exemplos'],
  },
  label: {
    summary: 'Coloca um marcador na mensagem atual ou em outra; sem texto, lista os marcadores.',
    arguments: {
      text: 'O marcador.',
      on: 'A mensagem; por padrão a atual.',
      remove: 'Remover o marcador.',
    },
    examples: [
      'colocar um marcador na mensagem atual',
      'colocar um marcador na terceira mensagem da lista',
      'remover o marcador',
    ],
  },
  merge: {
    summary: 'Mescla outro ramo no atual, como resumo ou com suas mensagens.',
    arguments: {
      node: 'A última mensagem do ramo a mesclar.',
      messages: 'Copiar as mensagens desde a bifurcação em vez de resumi-las.',
      focus: 'Em que o resumo deve se concentrar.',
    },
    examples: ['mesclar um resumo do segundo ramo da lista', 'copiar as mensagens que só aquele ramo tem'],
  },
  model: {
    summary: 'Mostra ou define o modelo deste ramo; os outros ramos mantêm o deles.',
    arguments: {
      model: 'Como provedor/modelo, ou só um provedor.',
    },
    examples: ['mostrar o modelo e por que é usado', 'usar este modelo daqui em diante'],
  },
  name: {
    summary: 'Define o título do chat; sem texto, mostra-o.',
    arguments: {
      text: 'O título.',
      remove: 'Remover o título; o automático volta a ser mostrado.',
    },
    examples: ['definir o título', 'mostrar o título'],
  },
  pop: {
    summary: 'Volta para antes da sua última mensagem ou para outra e adiciona um resumo do ramo deixado.',
    arguments: {
      node: 'Para onde; por padrão, sua última mensagem.',
      focus: 'Em que o resumo deve se concentrar.',
      plain: 'Não adicionar resumo.',
    },
    examples: [
      'deixar um ramo lateral e manter um resumo',
      'mais para cima, com um assunto para o resumo',
      'voltar sem resumo',
    ],
  },
  redo: {
    summary: 'Refaz o que você desfez por último, se não mudou nada desde então.',
    arguments: {
      force: 'Mesmo que outros tenham continuado a partir disso; as mensagens deles vão para a lixeira.',
    },
    examples: ['refazer a última alteração desfeita', 'mesmo que outros tenham continuado a partir disso'],
  },
  switch: {
    summary: 'Muda para outra mensagem ou outro ramo. Se a mensagem for sua, o texto dela volta à caixa de texto.',
    arguments: {
      node: 'A mensagem para a qual mudar.',
      exact: 'Mudar exatamente para a mensagem, mesmo que seja sua.',
      summarize: 'Adicionar um resumo do ramo deixado, se quiser com um assunto.',
    },
    examples: ['mudar para o segundo ramo da última lista', 'mudar para um marcador, com um resumo do ramo deixado'],
  },
  tree: {
    summary: 'Mostra o chat como estrutura: onde os ramos começam, se bifurcam e terminam, e a mensagem atual.',
    arguments: {
      node: 'Mostrar só o que está abaixo desta mensagem.',
      filter: 'O que é mostrado; por padrão recolhido.',
      limit: 'Quantas linhas no máximo; por padrão 200.',
    },
    examples: [
      'a estrutura, com os trechos longos recolhidos',
      'suas mensagens em todos os ramos',
      'tudo abaixo de um marcador',
    ],
  },
  undo: {
    summary: 'Desfaz sua última alteração, mesmo após reiniciar.',
    arguments: {
      force: 'Mesmo que outros tenham continuado a partir disso; as mensagens deles vão para a lixeira.',
    },
    examples: ['desfazer sua última alteração', 'mesmo que outros tenham continuado a partir disso'],
  },
};
