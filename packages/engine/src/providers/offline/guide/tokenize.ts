/** Words as the guide compares them. */

// What stands in every question and says nothing about its subject.
const common = new Set(
  'a about after all also am an and any are as at be because been but by can could describe did do does explain for from get give had has have he her here his how i if in into is it its just know like make may me mean means more most my need no not of on one only or our out please see she should show so some such tell than that the their them then there these they this those to too up us use used using want was way we were what when where which while who why will with without would you your coppice'.split(
    ' ',
  ),
);

/** A word without its ending, so that branches, branching and branch meet. Crude on purpose: both sides go through it. */
function stem(word: string): string {
  let stemmed = word;
  for (const ending of ['ations', 'ation', 'ings', 'ing', 'ies', 'ers', 'ed', 'es', 'er', 's', 'y', 'e']) {
    if (stemmed.length - ending.length >= 3 && stemmed.endsWith(ending)) {
      stemmed = stemmed.slice(0, -ending.length);
      break;
    }
  }
  return stemmed;
}

/** The words of a text that say something, in order, small and without endings. */
export function tokenize(text: string): string[] {
  const words: string[] = [];
  for (const [raw] of text.toLowerCase().matchAll(/[\p{L}\p{N}][\p{L}\p{N}_'-]*/gu)) {
    for (const part of raw.replace(/'s$/, '').split(/[-_']/)) {
      if (part.length > 1 && !common.has(part)) words.push(stem(part));
    }
  }
  return words;
}
