/** Spanish words for the commands: what each does, its arguments by name, and its examples in their order. */
import type { CommandWords } from '../types.ts';

export const commandWordsEs: Readonly<Record<string, CommandWords>> = {
  branch: {
    summary: 'Vuelve a un mensaje anterior en un chat nuevo que solo contiene el camino hasta él.',
    arguments: {
      node: 'El mensaje desde el que continuar; por defecto el anterior a tu último.',
    },
    examples: ['cambiar tu último mensaje en un chat nuevo', 'continuar desde el tercer mensaje de la última lista'],
  },
  'branch-here': {
    summary: 'Empieza una rama nueva desde un mensaje anterior; por defecto antes de tu último.',
    arguments: {
      node: 'Dónde empieza la rama nueva; por defecto en tu último mensaje.',
      summarize: 'Añadir un resumen de la rama abandonada, si quieres con un tema.',
    },
    examples: [
      'cambiar tu último mensaje y enviarlo de nuevo',
      'continuar desde el tercer mensaje, con un resumen de la rama abandonada',
    ],
  },
  branches: {
    summary: 'Muestra las ramas del chat, las más recientes primero, y marca la actual.',
    arguments: {
      limit: 'Cuántas ramas como máximo; por defecto 20.',
    },
    examples: ['ramas con números para /switch, /merge y otros comandos', 'mostrar hasta 100 ramas'],
  },
  'cherry-pick': {
    summary: 'Copia uno o varios mensajes al final de la rama actual.',
    arguments: {
      node: 'El mensaje, o el primero de varios.',
      to: 'El último de varios, por debajo del primero.',
      from: 'El chat del que se copia; por defecto este.',
    },
    examples: [
      'copiar el segundo mensaje de la lista a esta rama',
      'copiar varios mensajes, indicados por el final de sus identificadores',
    ],
  },
  clone: {
    summary: 'Copia el chat con todas sus ramas a uno nuevo y continúa allí.',
    examples: ['hacer una copia para probar'],
  },
  compact: {
    summary: 'Resume los mensajes antiguos de esta rama para liberar la ventana de contexto. No se elimina nada.',
    arguments: {
      focus: 'En qué debe centrarse el resumen.',
    },
    examples: ['resumir los mensajes antiguos', 'resumir centrándose en un tema'],
  },
  context: {
    summary: 'Muestra lo que el modelo ve aquí: cada mensaje con sus tokens y cuánto se llena la ventana de contexto.',
    arguments: {
      node: 'El último mensaje de la rama; por defecto el actual.',
      model: 'El modelo; por defecto el de la rama.',
    },
    examples: ['mostrar el contexto y el espacio libre', 'mostrarlo para otro modelo'],
  },
  'export-branch': {
    summary: 'Escribe el camino hasta un mensaje y todo lo que hay debajo en un archivo de sesión.',
    arguments: {
      node: 'El primer mensaje de la rama.',
      path: 'Escribir solo el camino hasta el mensaje.',
      to: 'La ruta del archivo nuevo; por defecto junto a los demás.',
    },
    examples: ['escribir una rama en un archivo', 'escribir solo el camino en un archivo de tu elección'],
  },
  fork: {
    summary:
      'Copia la rama hasta un mensaje a un chat nuevo y continúa allí. Si el mensaje es tuyo, su texto vuelve al cuadro de texto.',
    arguments: {
      node: 'El último mensaje de la copia, o tu mensaje para cambiarlo; por defecto el actual.',
    },
    examples: ['copiar la rama actual', 'copiar la rama hasta un marcador'],
  },
  help: {
    summary: 'Muestra los comandos, o explica uno.',
    arguments: {
      command: 'El comando que se explica.',
    },
    examples: ['mostrar todos los comandos', 'explicar un comando con ejemplos'],
  },
  label: {
    summary: 'Pone un marcador en el mensaje actual o en otro; sin texto, muestra los marcadores.',
    arguments: {
      text: 'El marcador.',
      on: 'El mensaje; por defecto el actual.',
      remove: 'Quitar el marcador.',
    },
    examples: [
      'poner un marcador en el mensaje actual',
      'poner un marcador en el tercer mensaje de la lista',
      'quitar el marcador',
    ],
  },
  merge: {
    summary: 'Fusiona otra rama en la actual, como resumen o con sus mensajes.',
    arguments: {
      node: 'El último mensaje de la rama que se fusiona.',
      messages: 'Copiar los mensajes desde la bifurcación en lugar de resumirlos.',
      focus: 'En qué debe centrarse el resumen.',
    },
    examples: ['fusionar un resumen de la segunda rama de la lista', 'copiar los mensajes que solo tiene esa rama'],
  },
  model: {
    summary: 'Muestra o fija el modelo de esta rama; las demás ramas conservan el suyo.',
    arguments: {
      model: 'Como proveedor/modelo, o solo un proveedor.',
    },
    examples: ['mostrar el modelo y por qué se usa', 'usar este modelo a partir de aquí'],
  },
  name: {
    summary: 'Fija el título del chat; sin texto lo muestra.',
    arguments: {
      text: 'El título.',
      remove: 'Quitar el título; vuelve a mostrarse el automático.',
    },
    examples: ['fijar el título', 'mostrar el título'],
  },
  pop: {
    summary: 'Vuelve a antes de tu último mensaje o a otro, y añade un resumen de la rama abandonada.',
    arguments: {
      node: 'Adónde; por defecto a tu último mensaje.',
      focus: 'En qué debe centrarse el resumen.',
      plain: 'No añadir ningún resumen.',
    },
    examples: [
      'dejar una rama secundaria y conservar un resumen',
      'más arriba, con un tema para el resumen',
      'volver sin resumen',
    ],
  },
  redo: {
    summary: 'Rehace lo último que deshiciste, si no has cambiado nada desde entonces.',
    arguments: {
      force: 'Aunque otros hayan continuado sobre ello; sus mensajes van a la papelera.',
    },
    examples: ['rehacer el último cambio deshecho', 'aunque otros hayan continuado sobre ello'],
  },
  switch: {
    summary: 'Cambia a otro mensaje o a otra rama. Si el mensaje es tuyo, su texto vuelve al cuadro de texto.',
    arguments: {
      node: 'El mensaje al que se cambia.',
      exact: 'Cambiar exactamente al mensaje, aunque sea tuyo.',
      summarize: 'Añadir un resumen de la rama abandonada, si quieres con un tema.',
    },
    examples: [
      'cambiar a la segunda rama de la última lista',
      'cambiar a un marcador, con un resumen de la rama abandonada',
    ],
  },
  tree: {
    summary: 'Muestra el chat como esquema: dónde empiezan, se bifurcan y terminan las ramas, y el mensaje actual.',
    arguments: {
      node: 'Mostrar solo lo que hay debajo de este mensaje.',
      filter: 'Qué se muestra; por defecto contraído.',
      limit: 'Cuántas líneas como máximo; por defecto 200.',
    },
    examples: [
      'el esquema, con los tramos largos contraídos',
      'tus mensajes en todas las ramas',
      'todo lo que hay debajo de un marcador',
    ],
  },
  undo: {
    summary: 'Deshace tu último cambio, también después de un reinicio.',
    arguments: {
      force: 'Aunque otros hayan continuado sobre ello; sus mensajes van a la papelera.',
    },
    examples: ['deshacer tu último cambio', 'aunque otros hayan continuado sobre ello'],
  },
};
