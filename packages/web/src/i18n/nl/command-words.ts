/** Dutch words for the commands: what each does, its arguments by name, and its examples in their order. */
import type { CommandWords } from '../types.ts';

export const commandWordsNl: Readonly<Record<string, CommandWords>> = {
  branch: {
    summary: 'Gaat terug naar een eerder bericht in een nieuwe chat die alleen het pad erheen bevat.',
    arguments: {
      node: 'Het bericht vanwaar je doorgaat; standaard dat voor je laatste.',
    },
    examples: [
      'je laatste bericht in een nieuwe chat wijzigen',
      'doorgaan vanaf het derde bericht van de laatste lijst',
    ],
  },
  'branch-here': {
    summary: 'Begint een nieuwe tak vanaf een eerder bericht; standaard voor je laatste.',
    arguments: {
      node: 'Waar de nieuwe tak begint; standaard bij je laatste bericht.',
      summarize: 'Een samenvatting van de verlaten tak toevoegen, desgewenst met een onderwerp.',
    },
    examples: [
      'je laatste bericht wijzigen en opnieuw verzenden',
      'doorgaan vanaf het derde bericht, met een samenvatting van de verlaten tak',
    ],
  },
  branches: {
    summary: 'Toont de takken van de chat, de nieuwste eerst, en markeert de huidige.',
    arguments: {
      limit: 'Hoeveel takken hoogstens; standaard 20.',
    },
    examples: ['takken met nummers voor /switch, /merge en andere opdrachten', 'hoogstens 100 takken tonen'],
  },
  'cherry-pick': {
    summary: 'Kopieert een of meer berichten naar het einde van de huidige tak.',
    arguments: {
      node: 'Het bericht, of het eerste van meerdere.',
      to: 'Het laatste van meerdere, onder het eerste.',
      from: 'De chat waaruit wordt gekopieerd; standaard deze.',
    },
    examples: [
      'het tweede bericht van de lijst naar deze tak kopiëren',
      'meerdere berichten kopiëren, aangeduid met het einde van hun id',
    ],
  },
  clone: {
    summary: 'Kopieert de chat met alle takken naar een nieuwe en gaat daar verder.',
    examples: ['een kopie maken om te proberen'],
  },
  compact: {
    summary:
      'Vat oudere berichten van deze tak samen om ruimte te maken in het contextvenster. Er wordt niets verwijderd.',
    arguments: {
      focus: 'Waar de samenvatting over moet gaan.',
    },
    examples: ['oudere berichten samenvatten', 'samenvatten met een onderwerp'],
  },
  context: {
    summary: 'Toont wat het model hier ziet: elk bericht met zijn tokens, en hoe vol het contextvenster is.',
    arguments: {
      node: 'Het laatste bericht van de tak; standaard het huidige.',
      model: 'Het model; standaard dat van de tak.',
    },
    examples: ['de context en de vrije ruimte tonen', 'tonen voor een ander model'],
  },
  'export-branch': {
    summary: 'Schrijft het pad naar een bericht en alles eronder naar een sessiebestand.',
    arguments: {
      node: 'Het eerste bericht van de tak.',
      path: 'Alleen het pad naar het bericht schrijven.',
      to: 'Het pad van het nieuwe bestand; standaard naast de andere.',
    },
    examples: ['een tak naar een bestand schrijven', 'alleen het pad naar een bestand van je keuze schrijven'],
  },
  fork: {
    summary:
      'Kopieert de tak tot een bericht naar een nieuwe chat en gaat daar verder. Is het bericht van jou, dan komt de tekst terug in het invoerveld.',
    arguments: {
      node: 'Het laatste bericht van de kopie, of jouw bericht om te wijzigen; standaard het huidige.',
    },
    examples: ['de huidige tak kopiëren', 'de tak tot een bladwijzer kopiëren'],
  },
  help: {
    summary: 'Toont de opdrachten, of legt er een uit.',
    arguments: {
      command: 'De opdracht die wordt uitgelegd.',
    },
    examples: ['alle opdrachten tonen', 'een opdracht met voorbeelden uitleggen'],
  },
  label: {
    summary: 'Zet een bladwijzer op het huidige of een ander bericht; zonder tekst toont het de bladwijzers.',
    arguments: {
      text: 'De bladwijzer.',
      on: 'Het bericht; standaard het huidige.',
      remove: 'De bladwijzer verwijderen.',
    },
    examples: [
      'een bladwijzer op het huidige bericht zetten',
      'een bladwijzer op het derde bericht van de lijst zetten',
      'de bladwijzer verwijderen',
    ],
  },
  merge: {
    summary: 'Voegt een andere tak in de huidige in, als samenvatting of met zijn berichten.',
    arguments: {
      node: 'Het laatste bericht van de tak die wordt ingevoegd.',
      messages: 'De berichten sinds de splitsing kopiëren in plaats van ze samen te vatten.',
      focus: 'Waar de samenvatting over moet gaan.',
    },
    examples: [
      'een samenvatting van de tweede tak van de lijst invoegen',
      'de berichten kopiëren die alleen die tak heeft',
    ],
  },
  model: {
    summary: 'Toont of stelt het model van deze tak in; andere takken houden het hunne.',
    arguments: {
      model: 'Als provider/model, of alleen een provider.',
    },
    examples: ['het model tonen, en waarom het wordt gebruikt', 'vanaf hier dit model gebruiken'],
  },
  name: {
    summary: 'Stelt de titel van de chat in; zonder tekst toont het hem.',
    arguments: {
      text: 'De titel.',
      remove: 'De titel verwijderen; de automatische wordt weer getoond.',
    },
    examples: ['de titel instellen', 'de titel tonen'],
  },
  pop: {
    summary:
      'Gaat terug tot voor je laatste bericht of naar een ander, en voegt een samenvatting van de verlaten tak toe.',
    arguments: {
      node: 'Waarheen; standaard naar je laatste bericht.',
      focus: 'Waar de samenvatting over moet gaan.',
      plain: 'Geen samenvatting toevoegen.',
    },
    examples: [
      'een zijtak verlaten en een samenvatting bewaren',
      'verder omhoog, met een onderwerp voor de samenvatting',
      'teruggaan zonder samenvatting',
    ],
  },
  redo: {
    summary: 'Voert opnieuw uit wat je het laatst ongedaan maakte, als je sindsdien niets hebt gewijzigd.',
    arguments: {
      force: 'Ook als anderen erop verder zijn gegaan; hun berichten gaan naar de prullenbak.',
    },
    examples: ['de laatste ongedaan gemaakte wijziging opnieuw uitvoeren', 'ook als anderen erop verder zijn gegaan'],
  },
  switch: {
    summary:
      'Gaat naar een ander bericht of een andere tak. Is het bericht van jou, dan komt de tekst terug in het invoerveld.',
    arguments: {
      node: 'Het bericht waarheen wordt gegaan.',
      exact: 'Precies naar het bericht gaan, ook als het van jou is.',
      summarize: 'Een samenvatting van de verlaten tak toevoegen, desgewenst met een onderwerp.',
    },
    examples: [
      'naar de tweede tak van de laatste lijst gaan',
      'naar een bladwijzer gaan, met een samenvatting van de verlaten tak',
    ],
  },
  tree: {
    summary: 'Toont de chat als overzicht: waar takken beginnen, splitsen en eindigen, en het huidige bericht.',
    arguments: {
      node: 'Alleen tonen wat onder dit bericht staat.',
      filter: 'Wat wordt getoond; standaard ingeklapt.',
      limit: 'Hoeveel regels hoogstens; standaard 200.',
    },
    examples: ['het overzicht, lange stukken ingeklapt', 'jouw berichten op alle takken', 'alles onder een bladwijzer'],
  },
  undo: {
    summary: 'Maakt je laatste wijziging ongedaan, ook na een herstart.',
    arguments: {
      force: 'Ook als anderen erop verder zijn gegaan; hun berichten gaan naar de prullenbak.',
    },
    examples: ['je laatste wijziging ongedaan maken', 'ook als anderen erop verder zijn gegaan'],
  },
};
