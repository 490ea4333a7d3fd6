/** French words for the commands: what each does, its arguments by name, and its examples in their order. */
import type { CommandWords } from '../types.ts';

export const commandWordsFr: Readonly<Record<string, CommandWords>> = {
  branch: {
    summary: 'Revient à un message antérieur dans une nouvelle discussion qui ne contient que le chemin jusqu’à lui.',
    arguments: {
      node: 'Le message à partir duquel continuer ; par défaut celui avant votre dernier.',
    },
    examples: [
      'modifier votre dernier message dans une nouvelle discussion',
      'continuer à partir du troisième message de la dernière liste',
    ],
  },
  'branch-here': {
    summary: 'Commence une nouvelle branche à partir d’un message antérieur ; par défaut avant votre dernier.',
    arguments: {
      node: 'Où commence la nouvelle branche ; par défaut à votre dernier message.',
      summarize: 'Ajouter un résumé de la branche quittée, au besoin avec un sujet.',
    },
    examples: [
      'modifier votre dernier message et le renvoyer',
      'continuer à partir du troisième message, avec un résumé de la branche quittée',
    ],
  },
  branches: {
    summary: 'Liste les branches de la discussion, les plus récentes d’abord, et marque l’actuelle.',
    arguments: {
      limit: 'Nombre maximal de branches ; 20 par défaut.',
    },
    examples: ['branches avec des numéros pour /switch, /merge et d’autres commandes', 'lister jusqu’à 100 branches'],
  },
  'cherry-pick': {
    summary: 'Copie un message ou plusieurs à la fin de la branche actuelle.',
    arguments: {
      node: 'Le message, ou le premier de plusieurs.',
      to: 'Le dernier de plusieurs, sous le premier.',
      from: 'La discussion d’où copier ; par défaut celle-ci.',
    },
    examples: [
      'copier le deuxième message de la liste vers cette branche',
      'copier plusieurs messages, désignés par la fin de leurs identifiants',
    ],
  },
  clone: {
    summary: 'Copie la discussion avec toutes ses branches dans une nouvelle et y continue.',
    examples: ['faire une copie pour essayer'],
  },
  compact: {
    summary: 'Résume les anciens messages de cette branche pour libérer la fenêtre de contexte. Rien n’est supprimé.',
    arguments: {
      focus: 'Ce sur quoi le résumé doit porter.',
    },
    examples: ['résumer les anciens messages', 'résumer autour d’un sujet'],
  },
  context: {
    summary:
      'Montre ce que le modèle voit ici : chaque message avec ses tokens, et le remplissage de la fenêtre de contexte.',
    arguments: {
      node: 'Le dernier message de la branche ; par défaut l’actuel.',
      model: 'Le modèle ; par défaut celui de la branche.',
    },
    examples: ['afficher le contexte et la place libre', 'afficher pour un autre modèle'],
  },
  'export-branch': {
    summary: 'Écrit le chemin jusqu’à un message et tout ce qui suit dans un fichier de session.',
    arguments: {
      node: 'Le premier message de la branche.',
      path: 'N’écrire que le chemin jusqu’au message.',
      to: 'Le chemin du nouveau fichier ; par défaut à côté des autres.',
    },
    examples: ['écrire une branche dans un fichier', 'n’écrire que le chemin dans un fichier de votre choix'],
  },
  fork: {
    summary:
      'Copie la branche jusqu’à un message dans une nouvelle discussion et y continue. Si le message est de vous, son texte revient dans le champ de saisie.',
    arguments: {
      node: 'Le dernier message de la copie, ou votre message à modifier ; par défaut l’actuel.',
    },
    examples: ['copier la branche actuelle', 'copier la branche jusqu’à un signet'],
  },
  help: {
    summary: 'Liste les commandes, ou en explique une.',
    arguments: {
      command: 'La commande à expliquer.',
    },
    examples: ['lister toutes les commandes', 'expliquer une commande avec des exemples'],
  },
  label: {
    summary: 'Met un signet sur le message actuel ou un autre ; sans texte, liste les signets.',
    arguments: {
      text: 'Le signet.',
      on: 'Le message ; par défaut l’actuel.',
      remove: 'Retirer le signet.',
    },
    examples: [
      'mettre un signet sur le message actuel',
      'mettre un signet sur le troisième message de la liste',
      'retirer le signet',
    ],
  },
  merge: {
    summary: 'Fusionne une autre branche dans l’actuelle, sous forme de résumé ou avec ses messages.',
    arguments: {
      node: 'Le dernier message de la branche à fusionner.',
      messages: 'Copier les messages depuis la bifurcation au lieu de les résumer.',
      focus: 'Ce sur quoi le résumé doit porter.',
    },
    examples: [
      'fusionner un résumé de la deuxième branche de la liste',
      'copier les messages que seule cette branche contient',
    ],
  },
  model: {
    summary: 'Affiche ou règle le modèle de cette branche ; les autres branches gardent le leur.',
    arguments: {
      model: 'Sous la forme fournisseur/modèle, ou seulement un fournisseur.',
    },
    examples: ['afficher le modèle, et pourquoi il est utilisé', 'utiliser ce modèle à partir d’ici'],
  },
  name: {
    summary: 'Règle le titre de la discussion ; sans texte, l’affiche.',
    arguments: {
      text: 'Le titre.',
      remove: 'Retirer le titre ; le titre automatique est de nouveau affiché.',
    },
    examples: ['régler le titre', 'afficher le titre'],
  },
  pop: {
    summary: 'Revient avant votre dernier message ou à un autre, et ajoute un résumé de la branche quittée.',
    arguments: {
      node: 'Où ; par défaut à votre dernier message.',
      focus: 'Ce sur quoi le résumé doit porter.',
      plain: 'Ne pas ajouter de résumé.',
    },
    examples: [
      'quitter une branche secondaire en gardant un résumé',
      'remonter plus haut, avec un sujet pour le résumé',
      'revenir sans résumé',
    ],
  },
  redo: {
    summary: 'Rétablit ce que vous avez annulé en dernier, si vous n’avez rien modifié depuis.',
    arguments: {
      force: 'Même si d’autres ont continué dessus ; leurs messages vont à la corbeille.',
    },
    examples: ['rétablir la dernière modification annulée', 'même si d’autres ont continué dessus'],
  },
  switch: {
    summary:
      'Passe à un autre message ou à une autre branche. Si le message est de vous, son texte revient dans le champ de saisie.',
    arguments: {
      node: 'Le message auquel passer.',
      exact: 'Passer exactement au message, même s’il est de vous.',
      summarize: 'Ajouter un résumé de la branche quittée, au besoin avec un sujet.',
    },
    examples: [
      'passer à la deuxième branche de la dernière liste',
      'passer à un signet, avec un résumé de la branche quittée',
    ],
  },
  tree: {
    summary:
      'Montre la discussion sous forme de plan : où les branches commencent, bifurquent et finissent, et le message actuel.',
    arguments: {
      node: 'N’afficher que ce qui est sous ce message.',
      filter: 'Ce qui est affiché ; par défaut replié.',
      limit: 'Nombre maximal de lignes ; 200 par défaut.',
    },
    examples: [
      'le plan, les longs passages repliés',
      'vos messages sur toutes les branches',
      'tout ce qui est sous un signet',
    ],
  },
  undo: {
    summary: 'Annule votre dernière modification, même après un redémarrage.',
    arguments: {
      force: 'Même si d’autres ont continué dessus ; leurs messages vont à la corbeille.',
    },
    examples: ['annuler votre dernière modification', 'même si d’autres ont continué dessus'],
  },
};
